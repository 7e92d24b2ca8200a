import type { Reversibility } from './proposal.ts'

const order: readonly Reversibility[] = ['reversible', 'observed', 'irreversible']

/** How hard one call of an action is to undo. */
interface Undoable {
  readonly reversibility: Reversibility
  readonly reversibilityOf?: (args: unknown) => Reversibility
}

/**
 * What the action says of this call, never less than what it says of all. Throws where its function does, or answers anything else: what
 * cannot be judged is not asked for.
 */
export function reversibilityFor({ reversibility, reversibilityOf }: Undoable, args: unknown): Reversibility {
  if (reversibilityOf === undefined) return reversibility
  const said = reversibilityOf(args)
  if (!order.includes(said)) throw new TypeError(`reversibilityOf answered ${String(said)}, not ${order.join(', ')}`)
  return order.indexOf(said) > order.indexOf(reversibility) ? said : reversibility
}
