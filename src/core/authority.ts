import { asksTwo, type Proposal } from './proposal.ts'

/** A person with the roles that hold right now. */
export interface Person {
  readonly id: string
  readonly roles: readonly string[]
  /** Other names that they stand under in what was kept before their ids were known to be one person's. */
  readonly formerly: readonly string[]
  /** Proposals whose function chose them just now (`gateway/chosen.ts`). */
  readonly chosenFor?: readonly string[]
}

/** Is this the person that was kept under that name? The one place where that is asked. Nobody is nobody's. */
export const isSamePerson = ({ id, formerly }: Pick<Person, 'id' | 'formerly'>, name: string | undefined): boolean =>
  name !== undefined && (id === name || formerly.includes(name))

/** Did this person ask for it, or make it what it is by an edit? Neither can be the second person (RULES 6.9). */
export const isAsker = ({ requester, editors = [] }: Proposal, person: Pick<Person, 'id' | 'formerly'>): boolean =>
  [requester, ...editors].some((name) => isSamePerson(person, name))

/** May this person approve this proposal? Roles and functions are asked at the decision and again at the claim (RULES 6.8). */
export function mayApprove(proposal: Proposal, person: Person): boolean {
  if (asksTwo(proposal.approvers) && isAsker(proposal, person)) return false
  return isAsked(proposal, person) || isAskedSince(proposal, person)
}

function isAsked({ approvers, requester, id }: Proposal, person: Person): boolean {
  switch (approvers.kind) {
    case 'requester':
      return isSamePerson(person, requester)
    case 'role':
      return person.roles.includes(approvers.role)
    case 'function':
      return person.chosenFor?.includes(id) === true
  }
}

/** Has their role come in because nobody decided? */
const isAskedSince = ({ escalate, escalatedAtMs }: Proposal, { roles }: Person): boolean =>
  escalatedAtMs !== undefined && escalate !== undefined && roles.includes(escalate.to)

/** Is it asked of this person by a role or a function, be it that they cannot be the second of two? Whoever it is asked of so may edit it. */
export const isColleague = (proposal: Proposal, person: Person): boolean =>
  (proposal.approvers.kind !== 'requester' && isAsked(proposal, person)) || isAskedSince(proposal, person)

/** May this person refuse it? Whoever may approve may, and so may who asked for it or edited it. */
export const mayRefuse = (proposal: Proposal, person: Person): boolean =>
  isAsker(proposal, person) || mayApprove(proposal, person)
