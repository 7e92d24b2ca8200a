import type { z } from '@hono/zod-openapi'
import { type Conversation, nowhereOf } from '../core/conversation.ts'
import { chatNameOf } from '../core/identity.ts'
import type { House } from '../gateway/house.ts'
import { type Problem, problem } from './problem.ts'
import type * as schemas from './schemas.ts'

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

/** An account was named that there is not; `at` is where in the body. */
export const unknownAccount = (at: string): Problem =>
  problem(400, 'unknown_account', 'There is no such account.', {
    errors: [{ in: 'body', at, detail: 'is an account of the configuration' }],
  })

/** The conversation that a program names, with no topic where it names none. */
export const conversationNamed = ({
  account,
  chat,
  topic,
}: {
  readonly account: string
  readonly chat: string
  readonly topic?: string | undefined
}): Conversation => ({ account, chat, ...(topic === undefined ? {} : { topic }) })

/** Where something is asked, and for whom. */
export type Place = { readonly conversation: Conversation; readonly requester?: string }

/** Where and for whom: the conversation named, the requester's own, or none. */
export async function placeOf(house: House, asked: z.output<typeof schemas.ask>): Promise<Place | Problem> {
  const account = asked.conversation?.account ?? asked.account ?? onlyOf(house)
  if (asked.conversation !== undefined && asked.account !== undefined && asked.account !== asked.conversation.account)
    return invalid('account', 'is another one than the conversation’s')
  if (account === undefined) return invalid('account', 'is needed: there are several')
  if (!house.channels.has(account)) return unknownAccount(asked.conversation === undefined ? '/account' : '/conversation/account')
  const requester = asked.requester === undefined ? undefined : (await house.store.person(asked.requester)).id
  if (asked.conversation !== undefined)
    return { conversation: conversationNamed(asked.conversation), ...(requester === undefined ? {} : { requester }) }
  if (requester === undefined) return { conversation: nowhereOf(account) }
  const conversation = await conversationWith(house, account, asked.requester ?? '')
  return conversation === undefined
    ? problem(422, 'no_conversation', 'This person never wrote here: name the conversation.')
    : { conversation, requester }
}

const invalid = (at: string, detail: string): Problem =>
  problem(400, 'invalid_request', 'The request is not as it should be.', { errors: [{ in: 'body', at: `/${at}`, detail }] })

function onlyOf(house: House): string | undefined {
  const [only, ...others] = house.channels.keys()
  return others.length === 0 ? only : undefined
}
