import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { it } from 'vitest'
import { normalizeWebhook } from '../../../src/channels/whatsapp-cloud/normalize.ts'
import type { Normalized } from '../../../src/core/inbound.ts'
import { heldBytes, mutated, mutationsOf } from '../../support/mutants.ts'

/** How many mutants are read. */
const runs = Number(process.env.DALE_FUZZ_RUNS ?? 5000)

const number = { account: 'demo', phoneNumberId: '100000000000001' }
const folder = new URL('../../fixtures/whatsapp-cloud/', import.meta.url)
const webhooks: readonly unknown[] = readdirSync(folder)
  .filter((file) => file !== 'expected.json')
  .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')))

const values = ['text', 'button', 'interactive', '15550002222', 'AR.1350002222ABCDEF', '1795900000']
const keys = [
  'text',
  'type',
  'messages',
  'context',
  'errors',
  'from',
  'from_user_id',
  'group_id',
  'interactive',
  'button',
  '__proto__',
]
const mutations = mutationsOf({ values, wholes: webhooks, keys })

type Json = Readonly<Record<string, unknown>>
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null
const at = (value: unknown, key: string): unknown => (isJson(value) ? value[key] : undefined)

/** Every object anywhere in a payload, whatever way leads there. */
const objectsIn = (value: unknown): readonly Json[] =>
  isJson(value) ? [...(Array.isArray(value) ? [] : [value]), ...Object.values(value).flatMap(objectsIn)] : []

/**
 * Does the payload hold, in so many words, a message that a person wrote or tapped now and that says this? Written as a reader of the
 * documentation would, without the adapter's schemas.
 */
function plainlySays(payload: unknown, event: Extract<Normalized, { kind: 'message' | 'press' }>): boolean {
  return objectsIn(payload).some((message) => {
    const { id, type, context, errors, from, from_user_id: userId } = message
    const own = typeof id === 'string' && id.toWellFormed().replaceAll('\0', '') === event.providerId
    const somebody = typeof from === 'string' || typeof userId === 'string'
    const fresh = (value: unknown) => value === undefined || value === null || value === false
    const isNow = fresh(at(context, 'forwarded')) && fresh(at(context, 'frequently_forwarded')) && fresh(errors)
    if (!own || !somebody || !isNow) return false
    if (event.kind === 'press') {
      const button = type === 'button' ? at(at(message, 'button'), 'payload') : undefined
      const reply =
        type === 'interactive'
          ? [at(at(message, 'interactive'), 'button_reply'), at(at(message, 'interactive'), 'list_reply')]
          : []
      return [button, ...reply.map((one) => at(one, 'id'))].some(
        (said) => typeof said === 'string' && said.toWellFormed().replaceAll('\0', '') === event.payload,
      )
    }
    const body = at(at(message, 'text'), 'body')
    return (
      type === 'text' &&
      typeof body === 'string' &&
      body
        .toWellFormed()
        .replaceAll('\0', '')
        .includes(event.body.text ?? '')
    )
  })
}

function checkSound(event: Normalized, payload: unknown): void {
  if (event.kind === 'ignored') {
    assert.match(event.reason, /^[a-z_]+$/)
    return
  }
  assert.equal(event.conversation.account, 'demo')
  assert.notEqual(event.conversation.chat, '')
  assert.notEqual(event.providerId, '')
  // What is stored is JSON that PostgreSQL takes, and comes back as it went in.
  const stored = JSON.stringify(event)
  assert.equal(JSON.stringify(JSON.parse(stored)), stored)
  assert.doesNotMatch(stored, /\\u0000|\\ud[89a-f]/i)
  if (event.kind === 'message' || event.kind === 'press') {
    assert.match(event.sender.id, /^wa:(\d{1,20}|[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128})$/)
    assert(Number.isSafeInteger(event.moment?.atMs))
    assert.equal(event.group, event.peer === undefined)
  }
  if ((event.kind === 'press' || event.kind === 'message') && canDecide(event))
    assert(plainlySays(payload, event), `${stored} is not what the payload says: ${JSON.stringify(payload)}`)
}

const canDecide = (event: Normalized): boolean =>
  event.kind === 'press' || (event.kind === 'message' && event.body.kind === 'text')

it('reads any mutant of any recorded webhook without throwing, decides nothing that no plain message says, and keeps no memory', () => {
  let deciding = 0
  const play = (count: number) =>
    fc.assert(
      fc.property(fc.constantFrom(...webhooks), mutations, (webhook, steps) => {
        const payload = mutated(webhook, steps)
        const events = normalizeWebhook(payload, number)
        for (const event of events) checkSound(event, payload)
        if (events.some(canDecide)) deciding += 1
      }),
      { numRuns: count },
    )
  play(Math.ceil(runs / 10))
  const before = heldBytes()
  play(runs)
  // Both kinds were met: mutants that still decide, and more that do not.
  assert(deciding > runs / 50 && deciding < runs)
  assert((heldBytes() - before) / 2 ** 20 < 16)
}, 600_000)

it('never takes another form for the plain text of a person', () => {
  const plain = { from: '15550002222', id: 'wamid.1', timestamp: '1795900000', type: 'text', text: { body: 'dale' } }
  const read = (message: object) => {
    const metadata = { display_phone_number: '15550001111', phone_number_id: '100000000000001' }
    const changes = [{ field: 'messages', value: { metadata, messages: [message] } }]
    return normalizeWebhook({ object: 'whatsapp_business_account', entry: [{ changes }] }, number)
  }
  const truthy = fc.anything().filter((value) => value !== undefined && value !== null && value !== false)
  fc.assert(
    fc.property(fc.constantFrom('forwarded', 'frequently_forwarded', 'errors'), truthy, (mark, by) => {
      for (const event of read(mark === 'errors' ? { ...plain, errors: by } : { ...plain, context: { [mark]: by } }))
        assert(event.kind === 'ignored' || (event.kind === 'message' && event.body.kind === 'other'))
    }),
  )
})
