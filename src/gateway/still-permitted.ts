import { isSamePerson } from '../core/authority.ts'
import { type DecisionRecord, deciderOf } from '../core/decision.ts'
import type { Proposal } from '../core/proposal.ts'
import { chosen } from './chosen.ts'
import type { House } from './house.ts'

/**
 * Does a yes that was given still count (RULES 6.8)? Only while who gave it may still give it, and while the id that they gave it with is
 * still theirs: a number that changed hands, or an id that was given up, takes it along.
 */
export async function isStillPermitted(house: House, proposal: Proposal, decision: DecisionRecord): Promise<boolean> {
  const decider = deciderOf(decision)
  const { escalate, escalatedAtMs, requester } = proposal
  const holds = async (role: string) => (await house.store.peopleWith(role)).some((person) => isSamePerson(decider, person))
  const isAllowed = async (): Promise<boolean> => {
    switch (proposal.approvers.kind) {
      case 'requester':
        return isSamePerson(decider, requester)
      case 'role':
        return holds(proposal.approvers.role)
      case 'function':
        return (await chosen(house, proposal)).some(({ id }) => isSamePerson(decider, id))
    }
  }
  const isAskedSince = escalate !== undefined && escalatedAtMs !== undefined && (await holds(escalate.to))
  if (!(isAskedSince || (await isAllowed()))) return false
  if (decision.identity === undefined) return true
  return isSamePerson(await house.store.person(decision.identity), decision.person)
}
