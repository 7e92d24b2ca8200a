import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { it } from 'vitest'
import { normalizeUpdate } from '../../../src/channels/telegram/normalize.ts'
import { mutated, mutationsOf } from '../../support/mutants.ts'

const bot = { account: 'demo', id: 123456789, username: 'gateway_example_bot' }
const folder = new URL('../../fixtures/telegram/', import.meta.url)
const updates: readonly unknown[] = readdirSync(folder)
  .filter((file) => file !== 'expected.json')
  .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')))

const values = ['-1001234567890']
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
const mutations = mutationsOf({ values, wholes: updates, keys })

it('reads any mutation of any recorded update without throwing, and what it lets through is sound', () => {
  fc.assert(
    fc.property(fc.constantFrom(...updates), mutations, (update, steps) => {
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
