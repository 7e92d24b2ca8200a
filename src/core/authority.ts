import type { Proposal } from './proposal.ts'

/** A person with the roles that hold right now. */
export interface Person {
  readonly id: string
  readonly roles: readonly string[]
  /** Other names that they stand under in what was kept before their ids were known to be one person's. */
  readonly formerly: readonly string[]
}

/** Is this the person that was kept under that name? The one place where that is asked. Nobody is nobody's. */
export const isSamePerson = ({ id, formerly }: Pick<Person, 'id' | 'formerly'>, name: string | undefined): boolean =>
  name !== undefined && (id === name || formerly.includes(name))

/** May this person approve this proposal? Roles are asked for at the decision and again at the claim (RULES 6.8). */
export function mayApprove(proposal: Proposal, person: Person): boolean {
  switch (proposal.approvers.kind) {
    case 'requester':
      return isSamePerson(person, proposal.requester)
    case 'role':
      return (
        person.roles.includes(proposal.approvers.role) && !(proposal.approvers.second && isSamePerson(person, proposal.requester))
      )
  }
}

/** May this person refuse it? Whoever may approve may, and so may who asked for it. */
export const mayRefuse = (proposal: Proposal, person: Person): boolean =>
  isSamePerson(person, proposal.requester) || mayApprove(proposal, person)
