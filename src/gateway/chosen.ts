import type { Asker } from '../core/policy.ts'
import type { Proposal } from '../core/proposal.ts'
import { type Choosing, type Colleague, chosenBy, named } from '../core/whom.ts'
import { colleagueOf } from '../ports/people.ts'
import type { House } from './house.ts'

/** What a function is asked about: a proposal, or one that is about to be. */
export type Chosen = Pick<Proposal, 'action' | 'canonicalArgs' | 'conversation' | 'requester' | 'editors' | 'approvers'>

/**
 * Whom the function of a proposal chooses now, with the roles that hold now. Nobody, and logged why, where the configuration has no such
 * function of that version any more, or it fails, names nobody, or names somebody whom the house does not know.
 */
export async function chosen(house: House, about: Chosen): Promise<readonly Colleague[]> {
  const { approvers, action, canonicalArgs, conversation, requester } = about
  if (approvers.kind !== 'function') return []
  const choosing = functionNamed(house, approvers)
  const nobody = (error: unknown): readonly Colleague[] => {
    house.log.error({ action, function: approvers.name, err: error }, 'nobody_chosen')
    house.count('nobody_chosen', { action })
    return []
  }
  if (choosing === undefined) return nobody(new TypeError(`the configuration has no version ${approvers.version} of it any more`))
  const people = (await house.store.people()).map(colleagueOf)
  const roles = people.find(({ id }) => id === requester)?.roles ?? []
  const asker: Asker = {
    account: conversation.account,
    roles,
    ...(requester === undefined ? {} : { person: { id: requester, roles, formerly: [] } }),
  }
  try {
    return chosenBy(choosing.choose, JSON.parse(canonicalArgs), asker, people)
  } catch (error) {
    return nobody(error)
  }
}

function functionNamed(house: House, { name, version }: { readonly name: string; readonly version: string }) {
  const rules = house.policies.rules.map(({ approvers }, index) => ({ approvers, place: `policies.${index}` }))
  const actions = [...house.actions.values()].map((action) => ({ approvers: action.approvers, place: `actions.${action.name}` }))
  return [...rules, ...actions]
    .flatMap(({ approvers, place }): readonly Required<Choosing>[] =>
      approvers?.kind === 'function' ? [named(approvers, place)] : [],
    )
    .find((one) => one.name === name && one.version === version)
}
