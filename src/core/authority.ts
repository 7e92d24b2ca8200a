import type { Proposal } from './proposal.ts'

/** A person with the roles that hold right now. */
export interface Person {
  readonly id: string
  readonly roles: readonly string[]
}

/** May this person approve this proposal? Roles are asked for at the decision and again at the claim (RULES 6.8). */
export function mayApprove(proposal: Proposal, person: Person): boolean {
  switch (proposal.approvers.kind) {
    case 'requester':
      return person.id === proposal.requester
    case 'role':
      return person.roles.includes(proposal.approvers.role) && !(proposal.approvers.second && person.id === proposal.requester)
  }
}

/** May this person refuse it? Whoever may approve may, and so may who asked for it. */
export const mayRefuse = (proposal: Proposal, person: Person): boolean =>
  person.id === proposal.requester || mayApprove(proposal, person)
