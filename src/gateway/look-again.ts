import { previewDigestOf } from '../core/fingerprint.ts'
import type { Proposal } from '../core/proposal.ts'
import type { Action, Prepared } from '../ports/action.ts'
import { askPreview } from './ask-preview.ts'
import type { House } from './house.ts'
import { stillMeans } from './still-means.ts'

/** How long a decision waits for the action's word on the present state of the world. */
const lookMs = 3_000

/** What the world says right before a yes counts. `unknown`: it could not be asked, in time or at all. */
export type Look =
  | { readonly kind: 'seen'; readonly digest: string; readonly prepared: Extract<Prepared, { kind: 'ready' }> }
  | { readonly kind: 'over'; readonly reason: 'denied' | 'completed'; readonly message: string }
  /** The action is another by now. `prepared`: what it shows for the same arguments, where it does. */
  | { readonly kind: 'moved'; readonly reason: 'version' | 'schema'; readonly prepared?: Extract<Prepared, { kind: 'ready' }> }
  | { readonly kind: 'unknown' }

/**
 * Looks at the world once more before a yes counts (RULES 6), outside of any transaction and for three seconds at most. An action whose
 * preview reads nothing answers at once. Never throws.
 */
export async function lookAgain(house: House, proposal: Proposal): Promise<Look> {
  const before = stillMeans(house, proposal)
  const seen = before.kind === 'same' ? await look(house, proposal, before.action, before.args) : undefined
  // A look may itself find out that the action is another by now.
  const means = stillMeans(house, proposal)
  if (means.kind === 'same') return seen ?? (await look(house, proposal, means.action, means.args))
  const action = house.actions.get(proposal.action)
  const parsed = action?.parse(JSON.parse(proposal.canonicalArgs))
  if (action === undefined || parsed?.ok !== true) return means
  const now = await look(house, proposal, action, parsed.args)
  return now.kind === 'seen' ? { ...means, prepared: now.prepared } : means
}

async function look(
  house: House,
  { id, conversation, requester, locale }: Proposal,
  action: Action,
  args: unknown,
): Promise<Exclude<Look, { kind: 'moved' }>> {
  try {
    const prepared = await askPreview(action, args, { locale, conversation, requester }, lookMs)
    if (prepared.kind !== 'ready') return { kind: 'over', reason: prepared.kind, message: prepared.message }
    return { kind: 'seen', digest: previewDigestOf(prepared), prepared }
  } catch (error) {
    house.log.warn({ proposal: id, action: action.name, err: error }, 'look_failed')
    house.count('look_failed', { action: action.name })
    return { kind: 'unknown' }
  }
}
