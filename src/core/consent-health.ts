/** What the health of one action's cards is told by. */
export interface Answered {
  readonly approved: number
  readonly rejected: number
  readonly medianSeconds?: number
}

/** What says that a card is no longer read. */
export type Flag = 'nearly_always_approved' | 'decided_at_once'

/** So many decisions tell something; fewer are chance. */
export const enoughDecisions = 20
/** Above this share of yes a card asks for nothing (RULES 7). */
export const approvedAtMost = 0.97
/** Under this median nobody has read it. */
export const medianAtLeastSeconds = 4

/** The share of yes among what people said; undefined where nobody said anything. */
export const approvedShareOf = ({ approved, rejected }: Answered): number | undefined =>
  approved + rejected === 0 ? undefined : approved / (approved + rejected)

/** Where the trigger is too broad: the card comes for what needs none. */
export function flagsOf(answered: Answered): readonly Flag[] {
  const { approved, rejected, medianSeconds } = answered
  if (approved + rejected < enoughDecisions) return []
  const flags: Flag[] = []
  if ((approvedShareOf(answered) ?? 0) > approvedAtMost) flags.push('nearly_always_approved')
  if (medianSeconds !== undefined && medianSeconds < medianAtLeastSeconds) flags.push('decided_at_once')
  return flags
}
