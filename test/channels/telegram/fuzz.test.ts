import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { it } from 'vitest'
import { normalizeUpdate } from '../../../src/channels/telegram/normalize.ts'

const bot = { account: 'demo', id: 123456789, username: 'gateway_example_bot' }
const folder = new URL('../../fixtures/telegram/', import.meta.url)
const updates: readonly unknown[] = readdirSync(folder)
  .filter((file) => file !== 'expected.json')
  .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')))

/** Every place in a JSON value, as the keys that lead there. */
const placesIn = (value: unknown, at: readonly string[] = []): readonly (readonly string[])[] =>
  typeof value === 'object' && value !== null
    ? [at, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...at, key]))]
    : [at]

/** The value with what is at `place` replaced; `undefined` takes it away. */
function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [...value] : { ...(value as object) }
  Object.defineProperty(copy, key, {
    value: replaced(Reflect.get(copy, key), rest, by),
    enumerable: true,
    configurable: true,
    writable: true,
  })
  return copy
}

const nasty = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom<unknown[]>(
      undefined,
      null,
      '',
      0,
      -1,
      1e21,
      Number.NaN,
      [],
      {},
      true,
      '\0',
      '\ud800',
      '-1001234567890',
      2 ** 53,
      'a'.repeat(5000),
    ),
  },
  { weight: 1, arbitrary: fc.anything({ maxDepth: 1 }) },
  { weight: 1, arbitrary: fc.constantFrom(...updates) },
)
const keys = [
  'text',
  'message',
  'edited_message',
  'callback_query',
  'reply_to_message',
  'entities',
  'via_bot',
  'chat',
  'from',
  '__proto__',
  'constructor',
]
const mutation = fc.record({ which: fc.nat(), by: nasty, added: fc.option(fc.constantFrom(...keys), { nil: undefined }) })

const mutated = (
  update: unknown,
  steps: readonly { readonly which: number; readonly by: unknown; readonly added: string | undefined }[],
): unknown =>
  steps.reduce((value: unknown, { which, by, added }) => {
    const places = placesIn(value)
    const place = places[which % places.length] ?? []
    return replaced(value, added === undefined ? place : [...place.slice(0, -1), added], by)
  }, update)

it('reads any mutation of any recorded update without throwing, and what it lets through is sound', () => {
  fc.assert(
    fc.property(fc.constantFrom(...updates), fc.array(mutation, { minLength: 1, maxLength: 3 }), (update, steps) => {
      const [event] = normalizeUpdate(mutated(update, steps), bot)
      if (event.kind === 'ignored') return assert.match(event.reason, /^[a-z_]+$/)
      assert.equal(event.conversation.account, 'demo')
      assert.notEqual(event.providerId, '')
      // What is stored is JSON that PostgreSQL takes, and comes back as it went in.
      const stored = JSON.stringify(event)
      assert.equal(JSON.stringify(JSON.parse(stored)), stored)
      assert.doesNotMatch(stored, /\\u0000|\\ud[89a-f]/i)
      if (event.kind !== 'message') return
      assert.match(event.sender.id, /^tg:-?\d+$/)
      assert(Number.isSafeInteger(event.moment.atMs))
    }),
    { numRuns: 20_000 },
  )
}, 60_000)

it('never takes another form for the plain text of a person', () => {
  const marks = [
    'forward_origin',
    'forward_date',
    'via_bot',
    'is_from_offline',
    'sender_business_bot',
    'sender_chat',
    'is_automatic_forward',
    'guest_query_id',
    'edit_date',
  ]
  const plain = {
    message_id: 9,
    from: { id: 1, is_bot: false, first_name: 'Ana' },
    chat: { id: 1, type: 'private' },
    date: 1795900000,
    text: 'dale',
  }
  fc.assert(
    fc.property(
      fc.constantFrom(...marks),
      fc.anything().filter((value) => value !== undefined),
      (mark, by) => {
        const [event] = normalizeUpdate({ update_id: 1, message: { ...plain, [mark]: by } }, bot)
        assert(event.kind !== 'message' || event.body.kind !== 'text')
      },
    ),
  )
})
