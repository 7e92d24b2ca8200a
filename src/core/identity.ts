/**
 * What kind of id an identity is, by its spelling. A `phone` may change hands; every other id is one person's for as long as it is
 * anybody's. WhatsApp: digits, `<user>@lid`, and the business-scoped id (two letters, a point, letters and digits), of which a person has
 * one at a time (https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids/). A parent's
 * business-scoped id (`AR.ENT.…`) and the ids of other channels are `other`.
 */
export function schemeOf(identity: string): 'phone' | 'lid' | 'bsuid' | 'other' {
  if (/^wa:\d+$/.test(identity)) return 'phone'
  if (/^wa:[^@\s]+@lid$/.test(identity)) return 'lid'
  return /^wa:[A-Z]{2}\.[A-Za-z0-9]+$/.test(identity) ? 'bsuid' : 'other'
}

/** The prefix of the identities of a channel, by the channel's kind. */
const prefixes: Readonly<Record<string, string>> = {
  telegram: 'tg',
  'whatsapp-cloud': 'wa',
  'whatsapp-baileys': 'wa',
  simulator: 'sim',
}

/** Does the identity name this one-to-one chat of a channel of that kind? */
export const isNamedBy = (identity: string, kind: string, chat: string): boolean => identity === `${prefixes[kind]}:${chat}`

/** An identity without its channel's prefix: how a one-to-one chat is named by its person. */
export const chatNameOf = (identity: string): string => identity.slice(identity.indexOf(':') + 1)
