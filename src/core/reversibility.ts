import type { Proposal, Reversibility } from './proposal.ts'

const order: readonly Reversibility[] = ['reversible', 'observed', 'irreversible']

/** How grave one call of an action is. */
interface Grave {
  readonly severity?: 'high'
  readonly severityOf?: (args: unknown) => 'normal' | 'high'
}

/** How heavy one call is: what it can be undone, and whether its card looks different. */
export type Weight = Pick<Proposal, 'reversibility' | 'severity'>

/**
 * What the action says of this call, never less than what it says of all. Throws where a function of its does, or answers anything else: what
 * cannot be judged is not asked for.
 */
export function weightFor(action: Undoable & Grave, args: unknown): Weight {
  const severity = severityFor(action, args)
  return { reversibility: reversibilityFor(action, args), ...(severity === undefined ? {} : { severity }) }
}

function severityFor({ severity, severityOf }: Grave, args: unknown): 'high' | undefined {
  const said = severityOf?.(args) ?? 'normal'
  if (said !== 'high' && said !== 'normal') throw new TypeError(`severityOf answered ${String(said)}, not normal or high`)
  return severity ?? (said === 'high' ? said : undefined)
}

/** How hard one call of an action is to undo. */
interface Undoable {
  readonly reversibility: Reversibility
  readonly reversibilityOf?: (args: unknown) => Reversibility
}

function reversibilityFor({ reversibility, reversibilityOf }: Undoable, args: unknown): Reversibility {
  if (reversibilityOf === undefined) return reversibility
  const said = reversibilityOf(args)
  if (!order.includes(said)) throw new TypeError(`reversibilityOf answered ${String(said)}, not ${order.join(', ')}`)
  return order.indexOf(said) > order.indexOf(reversibility) ? said : reversibility
}
