import { canonicalOf } from '../core/fingerprint.ts'
import type { Proposal } from '../core/proposal.ts'
import type { Action } from '../ports/action.ts'
import type { House } from './house.ts'

/** The action and the arguments as they are to be called with; or what of them is no more as it was shown. */
export type StillMeans =
  | { readonly kind: 'same'; readonly action: Action; readonly args: unknown }
  | { readonly kind: 'moved'; readonly reason: 'version' | 'schema' }

/** Does a proposal still mean what it meant when it was shown: is the action of the same version there, and are the arguments the same to it? */
export function stillMeans(house: House, { action: name, actionVersion, canonicalArgs }: Proposal): StillMeans {
  const action = house.actions.get(name)
  if (action === undefined || action.version !== actionVersion) return { kind: 'moved', reason: 'version' }
  const parsed = action.parse(JSON.parse(canonicalArgs))
  const again = parsed.ok ? canonicalOf(parsed.args) : undefined
  if (!parsed.ok || again?.ok !== true || again.canonical !== canonicalArgs) return { kind: 'moved', reason: 'schema' }
  return { kind: 'same', action, args: parsed.args }
}
