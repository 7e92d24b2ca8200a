import type { Conversation } from '../core/conversation.ts'
import { chatNameOf } from '../core/identity.ts'
import type { House } from '../gateway/house.ts'
import { type Problem, problem } from './problem.ts'

/** The one-to-one chat where a person, or who stands behind an identity, wrote to an account; undefined where they never did. */
export async function conversationWith(house: House, account: string, who: string): Promise<Conversation | undefined> {
  const { id } = await house.store.person(who)
  const known = (await house.store.people()).find((person) => person.id === id)
  const identities = known?.identities.filter(({ taken }) => taken === undefined).map(({ value }) => value) ?? []
  for (const identity of new Set([who, ...identities])) {
    const conversation = { account, chat: chatNameOf(identity) }
    if (await house.store.hasWritten(conversation, id)) return conversation
  }
  return undefined
}

export const unknownAccount = (at: string): Problem =>
  problem(400, 'unknown_account', 'There is no such account.', {
    errors: [{ in: 'body', at, detail: 'is an account of the configuration' }],
  })
