import type { Proposal } from '../core/proposal.ts'
import type { Change } from '../ports/store.ts'
import type { House } from './house.ts'

/** What a no of the requester ends beside the card, and what is said of it. */
export interface EndedGrant {
  readonly change: Pick<Change, 'endGrants'>
  readonly text: string
}

/**
 * Whoever says no to something is asked again the next time: the standing yes for that action, of that person, in that conversation ends
 * with it. Undefined where none holds. Writes nothing: the caller commits it together with the rest.
 */
export async function endGrant(
  house: House,
  { action: name, requester, conversation, always, under }: Proposal,
  by: string,
): Promise<EndedGrant | undefined> {
  const mayHaveOne = always !== undefined || under !== undefined || house.actions.get(name)?.always !== undefined
  if (requester === undefined || !mayHaveOne) return undefined
  const scope = { conversation, person: requester, action: name }
  if ((await house.store.grantFor(scope)) === undefined) return undefined
  return {
    change: { endGrants: { ...scope, by } },
    text: house.texts.say(house.localeOf(conversation.account), 'grant.ended'),
  }
}
