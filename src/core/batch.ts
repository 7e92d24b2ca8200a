import { gestureOf } from './gesture.ts'
import { isDecidable, type Proposal } from './proposal.ts'

/** More cannot be looked at one by one. */
export const batchAtMost = 10

/**
 * May one act decide these together (RULES 7)? Two to ten cards of one action, each of which waits and none of which is irreversible or takes
 * a value to be typed. Only the console asks, where each of them is shown; in a chat every card is decided by itself. Each decision is then
 * made and recorded on its own, so one that fails leaves the others as they are.
 */
export function mayBeDecidedTogether(proposals: readonly Proposal[]): boolean {
  const [first] = proposals
  const distinct = new Set(proposals.map(({ id }) => id)).size
  return (
    first !== undefined &&
    distinct === proposals.length &&
    distinct >= 2 &&
    distinct <= batchAtMost &&
    proposals.every(
      (one) =>
        one.action === first.action && one.reversibility !== 'irreversible' && gestureOf(one) === 'word' && isDecidable(one),
    )
  )
}
