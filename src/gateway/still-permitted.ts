import { isSamePerson } from '../core/authority.ts'
import { type DecisionRecord, deciderOf } from '../core/decision.ts'
import type { Proposal } from '../core/proposal.ts'
import type { House } from './house.ts'

/**
 * Does a yes that was given still count (RULES 6.8)? Only while who gave it may still give it, and while the id that they gave it with is
 * still theirs: a number that changed hands, or an id that was given up, takes it along.
 */
export async function isStillPermitted(
  house: House,
  { approvers, requester }: Proposal,
  decision: DecisionRecord,
): Promise<boolean> {
  const decider = deciderOf(decision)
  const isAllowed =
    approvers.kind === 'requester'
      ? isSamePerson(decider, requester)
      : (await house.store.peopleWith(approvers.role)).some((person) => isSamePerson(decider, person))
  if (!isAllowed || decision.identity === undefined) return isAllowed
  return isSamePerson(await house.store.person(decision.identity), decision.person)
}
