import { createCipheriv, hash, hkdfSync } from 'node:crypto'
import { decryptPollVote, proto } from 'baileys'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BaileysContext, Poll } from '../../../src/channels/whatsapp-baileys/context.ts'
import { messageFactsOf } from '../../../src/channels/whatsapp-baileys/message-facts.ts'
import { normalizeBaileys } from '../../../src/channels/whatsapp-baileys/normalize.ts'
import { castOf } from '../../../src/channels/whatsapp-baileys/poll.ts'
import { contextOf, recorded } from './recorded.ts'

const pollId = '3EB0AABBCCDDEEFF001122'
const secret = new Uint8Array(32).fill(7)
const poll: Poll = {
  secret,
  options: [
    { name: 'Confirmar', payload: 'approve', style: 'success' },
    { name: 'Cancelar', payload: 'reject', style: 'danger' },
  ],
}
const context = contextOf({}, { polls: new Map([[pollId, poll]]) })
const me = { phone: '15550001111@s.whatsapp.net', lid: '99900001111@lid' }
const ana = { phone: '15550002222@s.whatsapp.net', lid: '99900002222@lid' }

/** A vote as a phone seals it: for a poll of `creator`, by `voter`, with these bytes for a choice. */
function sealed(creator: string, voter: string, choice: Uint8Array, of = pollId, under = secret) {
  const key = Buffer.from(hkdfSync('sha256', under, new Uint8Array(32), `${of}${creator}${voter}Poll Vote`, 32))
  const encIv = new Uint8Array(12).fill(3)
  const cipher = createCipheriv('aes-256-gcm', key, encIv).setAAD(Buffer.from(`${of}\0${voter}`))
  return { encPayload: new Uint8Array(Buffer.concat([cipher.update(choice), cipher.final(), cipher.getAuthTag()])), encIv }
}
const choiceOf = (...names: readonly string[]): Uint8Array =>
  proto.Message.PollVoteMessage.encode({ selectedOptions: names.map((name) => hash('sha256', name, 'buffer')) }).finish()

const votes = (
  vote: ReturnType<typeof sealed>,
  {
    key = {},
    id = pollId,
    world = context,
  }: { readonly key?: object; readonly id?: string; readonly world?: BaileysContext } = {},
) =>
  normalizeBaileys(
    {
      event: 'messages.upsert',
      data: {
        type: 'notify',
        messages: [
          {
            key: { remoteJid: ana.lid, remoteJidAlt: ana.phone, fromMe: false, id: '3AVOTE', ...key },
            messageTimestamp: 1_795_987_163,
            message: { pollUpdateMessage: { pollCreationMessageKey: { id, fromMe: true }, vote, senderTimestampMs: 1 } },
          },
        ],
      },
    },
    world,
  )[0]

describe('a vote on a poll of ours', () => {
  const pairs = Object.values(me).flatMap((creator) => Object.values(ana).map((voter) => [creator, voter] as const))

  it.each(pairs)('opens, created by %s and cast by %s, and presses what it chose', (creator, voter) => {
    const vote = sealed(creator, voter, choiceOf('Confirmar'))
    // The same bytes, as Baileys itself opens them.
    const opened = decryptPollVote(vote, { pollCreatorJid: creator, pollMsgId: pollId, pollEncKey: secret, voterJid: voter })
    expect(opened.selectedOptions).toHaveLength(1)
    expect(votes(vote)).toEqual({
      kind: 'press',
      conversation: { account: 'demo', chat: ana.lid },
      providerId: `${ana.lid}:3AVOTE`,
      peer: { id: `wa:${ana.lid}`, also: ['wa:15550002222'] },
      sender: { id: `wa:${ana.lid}`, also: ['wa:15550002222'] },
      pressId: '3AVOTE',
      payload: 'approve',
      messageId: pollId,
      poll: true,
      // Its phone says any time it likes; only the server's counts.
      moment: { atMs: 1_795_987_163_000 },
      group: false,
    })
  })

  it('for Cancel presses Cancel, and is not withdrawn', () => {
    const press = votes(sealed(me.phone, ana.phone, choiceOf('Cancelar')))
    expect(press).toMatchObject({ kind: 'press', payload: 'reject' })
    expect(press).not.toHaveProperty('withdrawn')
  })

  it('for nothing takes back what was chosen: Cancel, and withdrawn', () => {
    expect(votes(sealed(me.phone, ana.phone, choiceOf()))).toMatchObject({ kind: 'press', payload: 'reject', withdrawn: true })
  })
})

describe('a vote that is none', () => {
  const good = sealed(me.phone, ana.phone, choiceOf('Confirmar'))
  const beto = { remoteJid: '99900003333@lid', remoteJidAlt: '15550003333@s.whatsapp.net' }

  it.each([
    ['for both', 'several_options', votes(sealed(me.phone, ana.phone, choiceOf('Confirmar', 'Cancelar')))],
    ['for something else', 'unknown_option', votes(sealed(me.phone, ana.phone, choiceOf('confirmar')))],
    ['on somebody else’s poll', 'foreign_poll', votes(good, { id: '3AFOREIGN' })],
    ['of one person, sent by another', 'undecryptable_vote', votes(good, { key: beto })],
    ['made for another poll', 'undecryptable_vote', votes(sealed(me.phone, ana.phone, choiceOf('Confirmar'), '3EB0OTHER'))],
    [
      'made under another secret',
      'undecryptable_vote',
      votes(sealed(me.phone, ana.phone, choiceOf('Confirmar'), pollId, new Uint8Array(32))),
    ],
    [
      'for a poll of another account',
      'undecryptable_vote',
      votes(sealed('15550009999@s.whatsapp.net', ana.phone, choiceOf('Confirmar'))),
    ],
    [
      'with a changed byte',
      'undecryptable_vote',
      votes({ ...good, encPayload: good.encPayload.with(0, (good.encPayload[0] ?? 0) ^ 1) }),
    ],
    ['with nothing in it', 'undecryptable_vote', votes({ ...good, encPayload: new Uint8Array() })],
    ['with what is no choice', 'undecryptable_vote', votes(sealed(me.phone, ana.phone, new Uint8Array([9, 9, 9])))],
    ['of the account itself', 'own_message', votes(good, { key: { fromMe: true } })],
  ])('%s: %s', (_, reason, event) => {
    expect(event).toEqual({ kind: 'ignored', reason })
  })

  it('is any other bytes: nothing but the sealed ones opens', () => {
    const bytes = fc.uint8Array({ maxLength: 80 })
    fc.assert(
      fc.property(bytes, bytes, (encPayload, encIv) => {
        const voter = { lid: '99900002222', phone: '15550002222' }
        expect(castOf({ kind: 'vote', pollId, sealed: { encPayload, encIv } }, voter, context).kind).toBe('nothing')
      }),
      { numRuns: 300 },
    )
  })
})

describe('a sealed edit', () => {
  const name = 'edited_encrypted_envelope'

  it('opens with the secret of its message, and says nothing without', () => {
    const event = recorded.get(name)
    const text = (world: BaileysContext) => {
      const [edit] = normalizeBaileys(event, world)
      return edit?.kind === 'message' ? edit.body : undefined
    }
    expect(text(contextOf(event))).toEqual({ kind: 'other', form: 'edited', text: 'dale!' })
    expect(text(contextOf(event, { secretOf: () => undefined }))).toEqual({ kind: 'other', form: 'edited' })
    expect(text(contextOf(event, { secretOf: () => new Uint8Array(32) }))).toEqual({ kind: 'other', form: 'edited' })
  })

  it('finds the secret that its message brought, which a live message has beside nothing else', () => {
    const live = { key: { id: '3A01' }, message: { conversation: 'no', messageContextInfo: { messageSecret: secret } } }
    expect(messageFactsOf({ event: 'messages.upsert', data: { messages: [live] } })).toEqual([{ id: '3A01', secret }])
  })
})
