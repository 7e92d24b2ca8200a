import { chatNameOf } from '../../src/core/identity.ts'
import type { InboundMessage, InboundReaddressed } from '../../src/core/inbound.ts'
import { aMessage } from '../store/contract/under-test.ts'
import { someTimeMs } from './proposals.ts'

/** Ids as WhatsApp spells them. */
export const phone = (digits: string): string => `wa:549115555${digits}`
export const lid = (digits: string): string => `wa:1844670000${digits}@lid`
export const bsuid = (letters: string): string => `wa:AR.13500022${letters}`

/** What somebody writes in their one-to-one chat, under the first id and with the others beside it, that many seconds after the morning began. */
export function writesAs(
  [id, ...also]: readonly [string, ...string[]],
  text = 'hola',
  atS = 0,
  over: Partial<InboundMessage> = {},
): InboundMessage {
  const party = { id, also }
  return aMessage(text, {
    conversation: { account: 'tienda', chat: chatNameOf(id) },
    sender: party,
    peer: party,
    moment: { atMs: someTimeMs + atS * 1000 },
    ...over,
  })
}

let told = 0

/** The provider says that an id was given up or went to somebody else. */
export function givenUp(from: string, atS: number, to?: string): InboundReaddressed {
  told += 1
  return {
    kind: 'readdressed',
    conversation: { account: 'tienda', chat: chatNameOf(from) },
    providerId: `r${told}`,
    from,
    ...(to === undefined ? {} : { to }),
    moment: { atMs: someTimeMs + atS * 1000 },
  }
}
