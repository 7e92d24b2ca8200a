import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BaileysContext } from '../../../src/channels/whatsapp-baileys/context.ts'
import { needsOf } from '../../../src/channels/whatsapp-baileys/needs.ts'
import { normalizeBaileys } from '../../../src/channels/whatsapp-baileys/normalize.ts'
import type { Normalized } from '../../../src/core/inbound.ts'
import { heldBytes, mutated, mutationsOf } from '../../support/mutants.ts'
import { contextOf, recorded } from './recorded.ts'

const events = [...recorded.values()].map((event) => ({ event, context: contextOf(event) }))

const values = [
  1,
  2,
  14,
  false,
  'sí',
  '15550001111@s.whatsapp.net',
  '15550003333:2@s.whatsapp.net',
  '99900001111@lid',
  '120363000000000001@g.us',
  'status@broadcast',
  '3EB0AA00',
  { low: 690_833_424, high: 418, unsigned: false },
  new Uint8Array(40),
  'append',
  'prepend',
  '1795987163',
]
const keys = [
  'message',
  'messages',
  'conversation',
  'extendedTextMessage',
  'ephemeralMessage',
  'viewOnceMessage',
  'editedMessage',
  'protocolMessage',
  'imageMessage',
  'contextInfo',
  'isForwarded',
  'forwardingScore',
  'forwardOrigin',
  'messageStubType',
  'requestId',
  'broadcast',
  'category',
  'fromMe',
  'participant',
  'remoteJidAlt',
  'status',
  'update',
  '__proto__',
  'constructor',
]
const mutations = mutationsOf({ values, wholes: events.map(({ event }) => event), keys })

type Tree = Readonly<Record<string, unknown>>
const treeOf = (value: unknown): Tree => (typeof value === 'object' && value !== null ? (value as Tree) : {})
const isThere = (value: unknown): boolean => value !== undefined && value !== null
const isNothing = (value: unknown): boolean =>
  !isThere(value) || value === 0 || value === false || value === '' || value === 'UNKNOWN'

/** The contents of a message that can decide, written down a second time: by one name alone, in nothing but disappearing chats. */
function contentIn(message: Tree): readonly [name: string, content: unknown] | undefined {
  const beside = new Set(['messageContextInfo', 'senderKeyDistributionMessage', 'fastRatchetKeySenderKeyDistributionMessage'])
  const [only, ...more] = Object.entries(message).filter(([name, value]) => !beside.has(name) && isThere(value))
  if (only === undefined || more.length > 0) return undefined
  return only[0] === 'ephemeralMessage' ? contentIn(treeOf(treeOf(only[1]).message)) : only
}

/** Is this, in every point that a rule names, a plain message of a person with something in it that may decide? */
function isPlain(raw: unknown, context: BaileysContext): boolean {
  const { key, message, messageTimestamp, messageStubType, broadcast, category } = treeOf(raw)
  const { remoteJid, fromMe, id, participant } = treeOf(key)
  const isPerson = (jid: unknown) =>
    typeof jid === 'string' && /^\d{5,20}(_\d{1,3})?(:\d{1,3})?@(lid|hosted\.lid|s\.whatsapp\.net|c\.us|hosted)$/.test(jid)
  const isFrom =
    isPerson(remoteJid) || (typeof remoteJid === 'string' && /^[\d-]+@g\.us$/.test(remoteJid) && isPerson(participant))
  if (!isFrom || fromMe !== false || typeof id !== 'string' || id === '') return false
  if (!isNothing(messageStubType) || broadcast === true || category === 'peer' || isNothing(messageTimestamp)) return false
  const [name, content] = contentIn(treeOf(message)) ?? []
  if (name === 'conversation') return typeof content === 'string'
  const about = treeOf(treeOf(content).contextInfo)
  const marks = ['isForwarded', 'forwardingScore', 'forwardOrigin', 'forwardedNewsletterMessageInfo', 'forwardedAiBotMessageInfo']
  if (!marks.every((mark) => isNothing(about[mark]))) return false
  if (name === 'extendedTextMessage') return typeof treeOf(content).text === 'string'
  if (name === 'pollUpdateMessage') return context.polls.has(String(treeOf(treeOf(content).pollCreationMessageKey).id))
  return ['buttonsResponseMessage', 'listResponseMessage', 'templateButtonReplyMessage', 'interactiveResponseMessage'].includes(
    name ?? '',
  )
}

const canDecide = (event: Normalized): boolean =>
  event.kind === 'press' || (event.kind === 'message' && event.body.kind === 'text')

/** What must hold of whatever comes out of `raw`. Returns whether anything in it can decide. */
function judge(raw: unknown, context: BaileysContext): boolean {
  const read = normalizeBaileys(raw, context)
  const { event: name, data } = treeOf(raw)
  const { type, requestId, messages } = treeOf(data)
  read.forEach((event, at) => {
    if (event.kind === 'ignored') {
      assert.match(event.reason, /^[a-z_]+$/)
      return
    }
    assert.equal(event.conversation.account, 'demo')
    assert.notEqual(event.providerId, '')
    // What is stored is JSON that PostgreSQL takes, and comes back as it went in.
    const stored = JSON.stringify(event)
    assert.equal(JSON.stringify(JSON.parse(stored)), stored)
    assert.doesNotMatch(stored, /\\u0000|\\ud[89a-f]/i)
    if (event.kind === 'message' || event.kind === 'press') {
      assert.match(event.sender.id, /^wa:\d{5,20}(@lid)?$/)
      for (const other of event.sender.also ?? []) assert.match(other, /^wa:\d{5,20}$/)
      assert(Number.isSafeInteger(event.moment?.atMs))
    }
    if (!canDecide(event)) return
    assert.equal(name, 'messages.upsert')
    assert(type === 'notify' || type === 'append')
    assert(!isThere(requestId))
    assert(Array.isArray(messages) && isPlain(messages[at], context), `decides, but is not plain: ${stored}`)
  })
  return read.some(canDecide)
}

const runs = Number(process.env.DALE_FUZZ_RUNS ?? 2000)

describe('a mutation of a recorded event', () => {
  it('is read without throwing, decides only where it still is a plain message, and leaves no memory behind', () => {
    let deciding = 0
    const play = (count: number) =>
      fc.assert(
        fc.property(fc.constantFrom(...events), mutations, ({ event, context }, steps) => {
          const raw = mutated(event, steps)
          if (judge(raw, context)) deciding += 1
          needsOf(raw)
        }),
        { numRuns: count },
      )
    play(Math.ceil(runs / 10))
    const before = heldBytes()
    play(runs)
    // Both kinds were met: mutants that still decide, and many more that do not.
    expect(deciding).toBeGreaterThan(runs / 50)
    expect(deciding).toBeLessThan(runs)
    expect((heldBytes() - before) / 2 ** 20).toBeLessThan(16)
  }, 600_000)

  it('is judged by a rule that the plain ones pass', () => {
    expect(events.filter(({ event, context }) => judge(event, context)).length).toBeGreaterThan(10)
  })
})

describe('a mark that a message is not the person’s own words of this moment', () => {
  const plain = { conversation: 'sí' }
  const written = (message: object, over: object = {}) => ({
    event: 'messages.upsert',
    data: {
      type: 'notify',
      messages: [
        {
          key: { remoteJid: '15550002222@s.whatsapp.net', fromMe: false, id: '3A01' },
          messageTimestamp: 1_795_987_163,
          message,
          ...over,
        },
      ],
    },
  })
  const decides = (raw: unknown) => normalizeBaileys(raw, contextOf({})).some(canDecide)
  const something = fc.anything().filter((value) => !isNothing(value) && !Number.isNaN(value))

  it('keeps it from deciding, whatever the mark holds', () => {
    expect(decides(written(plain))).toBe(true)
    const marks = [
      'isForwarded',
      'forwardingScore',
      'forwardOrigin',
      'forwardedNewsletterMessageInfo',
      'forwardedAiBotMessageInfo',
    ]
    fc.assert(
      fc.property(fc.constantFrom(...marks), something, (mark, value) => {
        assert(!decides(written({ extendedTextMessage: { text: 'sí', contextInfo: { [mark]: value } } })))
      }),
    )
    const contents = [
      'imageMessage',
      'protocolMessage',
      'reactionMessage',
      'hologramMessage',
      'pollUpdateMessage',
      'editedMessage',
    ]
    fc.assert(
      fc.property(fc.constantFrom(...contents), something, (name, value) => {
        assert(!decides(written({ ...plain, [name]: value })))
        assert(!decides(written({ [name]: value, ...plain })))
      }),
    )
    fc.assert(
      fc.property(fc.constantFrom('messageStubType'), something, (mark, value) => {
        assert(!decides(written(plain, { [mark]: value })))
      }),
    )
  })
})
