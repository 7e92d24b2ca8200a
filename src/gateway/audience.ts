import { type Conversation, conversationKeyOf } from '../core/conversation.ts'
import { asksTwo } from '../core/proposal.ts'
import { type Chosen, chosen } from './chosen.ts'
import type { House } from './house.ts'

/**
 * Where the card of a proposal is to be shown; nowhere, when too few could ever decide it. Whom a function chooses is shown it in the
 * chats of their roles.
 */
export async function audienceOf(house: House, about: Chosen): Promise<readonly Conversation[]> {
  const { approvers, requester, editors = [], conversation } = about
  const enough = asksTwo(approvers) ? 2 : 1
  const others = (people: readonly string[]) =>
    people.filter((person) => !(asksTwo(approvers) && [requester, ...editors].includes(person)))
  switch (approvers.kind) {
    case 'requester':
      return requester === undefined ? [] : [conversation]
    case 'role':
      return others(await house.store.peopleWith(approvers.role)).length < enough ? [] : house.store.roleChats(approvers.role)
    case 'function': {
      const people = await chosen(house, about)
      if (others(people.map(({ id }) => id)).length < enough) return []
      const chats = await Promise.all(
        [...new Set(people.flatMap(({ roles }) => roles))].map((role) => house.store.roleChats(role)),
      )
      return [...new Map(chats.flat().map((chat) => [conversationKeyOf(chat), chat])).values()]
    }
  }
}
