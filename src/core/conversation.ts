/**
 * Where people and Dale talk: one account (a bot, a number), one chat, and on channels that have them one topic.
 * A one-to-one chat is keyed by the person, so a new form of address keeps it and its open proposals.
 */
export interface Conversation {
  readonly account: string
  readonly chat: string
  readonly topic?: string
}

/** Where something is asked that comes from no chat: nothing is ever said there, and nobody writes there. */
export const nowhereOf = (account: string): Conversation => ({ account, chat: '' })

/** Is it no chat at all? */
export const isNowhere = ({ chat }: Conversation): boolean => chat === ''

/** One string for one conversation; the parts are percent-encoded, so no chat can spell another's key. */
export const conversationKeyOf = ({ account, chat, topic }: Conversation): string =>
  [account, chat, ...(topic === undefined ? [] : [topic])].map(encodeURIComponent).join('/')

/** The conversation behind a key made by `conversationKeyOf`. */
export function conversationOf(key: string): Conversation {
  const [account = '', chat = '', topic] = key.split('/').map(decodeURIComponent)
  return topic === undefined ? { account, chat } : { account, chat, topic }
}
