import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { normalizeUpdate } from '../../../src/channels/telegram/normalize.ts'
import expected from '../../fixtures/telegram/expected.json' with { type: 'json' }

const bot = { account: 'demo', id: 123456789, username: 'gateway_example_bot' }
const folder = new URL('../../fixtures/telegram/', import.meta.url)
const fixture = (name: string): unknown => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))
const names = readdirSync(folder)
  .map((file) => file.replace(/\.json$/, ''))
  .filter((name) => name !== 'expected')

describe('every recorded update', () => {
  it('has an expectation', () => {
    expect(names.toSorted()).toEqual(Object.keys(expected).toSorted())
  })

  it.each(Object.entries(expected))('%s reads as expected', (name, event) => {
    expect(normalizeUpdate(fixture(name), bot)).toEqual([event])
  })
})

const ana = { id: 42000001, is_bot: false, first_name: 'Ana', last_name: 'Gómez' }
const ops = { id: -1001234567890, type: 'supergroup', title: 'Ops' }
const own = { id: 42000001, type: 'private', first_name: 'Ana' }
const read = (message: object) =>
  normalizeUpdate({ update_id: 1, message: { message_id: 9, from: ana, chat: own, date: 1795900000, ...message } }, bot)[0]
const card = { message_id: 7, chat: ops, date: 1795900000, from: { id: 123456789, is_bot: true, first_name: 'Gateway' } }
const mention = (text: string, at = text.indexOf('@')) => ({
  text,
  entities: [{ type: 'mention', offset: at, length: bot.username.length + 1 }],
})

describe('the bot is addressed in a group', () => {
  it.each([
    ['@gateway_example_bot sí', 'sí'],
    ['@Gateway_Example_Bot, sí', 'sí'],
    ['@gateway_example_bot: sí', 'sí'],
    ['@gateway_example_bot,sí', 'sí'],
    ['@gateway_example_bot,, sí', ', sí'],
    ['sí @gateway_example_bot', 'sí'],
    ['decile a @gateway_example_bot que no', 'decile a @gateway_example_bot que no'],
  ])('by %j, which says %j', (text, said) => {
    expect(read({ chat: ops, ...mention(text) })).toMatchObject({ addressed: true, body: { kind: 'text', text: said } })
  })

  it.each([
    ['/pagar 10', true, '/pagar 10'],
    ['/pagar@gateway_example_bot 10', true, '/pagar 10'],
    ['/pagar@other_bot 10', false, '/pagar@other_bot 10'],
  ])('by the command %j: %s', (text, addressed, said) => {
    const entities = [{ type: 'bot_command', offset: 0, length: text.indexOf(' ') }]
    expect(read({ chat: ops, text, entities })).toMatchObject({ addressed, body: { kind: 'text', text: said } })
  })

  it('by a reply to its own message, and not by one to another person', () => {
    expect(read({ chat: ops, text: 'sí', reply_to_message: card })).toMatchObject({
      addressed: true,
      reply: { kind: 'message', id: '7' },
    })
    const other = { ...card, from: { id: 42000002, is_bot: false, first_name: 'Bob' } }
    expect(read({ chat: ops, text: 'sí', reply_to_message: other })).toMatchObject({
      addressed: false,
      reply: { kind: 'message', id: '7' },
    })
  })

  it('by its id where the app mentions without a name', () => {
    const entities = [{ type: 'text_mention', offset: 0, length: 7, user: { id: bot.id } }]
    expect(read({ chat: ops, text: 'Gateway sí', entities })).toMatchObject({ addressed: true, body: { text: 'sí' } })
  })

  it('never by a name that only looks like its own, or before it knows its name', () => {
    expect(read({ chat: ops, text: '@gateway_example_bot sí' })).toMatchObject({ addressed: false })
    expect(
      read({ chat: ops, text: '@gateway_example_bot2 sí', entities: [{ type: 'mention', offset: 0, length: 21 }] }),
    ).toMatchObject({ addressed: false })
    const unnamed = { ...bot, username: undefined }
    const update = {
      update_id: 1,
      message: { message_id: 9, from: ana, chat: ops, date: 1, ...mention('@gateway_example_bot sí') },
    }
    expect(normalizeUpdate(update, unnamed)[0]).toMatchObject({ addressed: false })
  })
})

describe('what a message answers', () => {
  const topic = { chat: ops, message_thread_id: 77, is_topic_message: true, text: 'sí' }

  it('is nothing when it only opens from a topic', () => {
    const opening = { ...card, message_id: 77, forum_topic_created: { name: 'Pagos' } }
    expect(read({ ...topic, reply_to_message: opening })).toMatchObject({
      reply: { kind: 'none' },
      addressed: false,
      conversation: { topic: '77' },
    })
    expect(read({ ...topic, reply_to_message: { ...card, message_id: 77 } })).toMatchObject({ reply: { kind: 'none' } })
  })

  it('is a card in a topic when it names the card', () => {
    expect(read({ ...topic, reply_to_message: card })).toMatchObject({ reply: { kind: 'message', id: '7' } })
  })

  it('is elsewhere for another chat, a story, a quote alone, or what cannot be read', () => {
    const answers = [
      { external_reply: { origin: {} } },
      { external_reply: { origin: {} }, reply_to_message: card },
      { reply_to_story: { id: 1 } },
      { quote: { text: 'sí', position: 0 } },
      { reply_to_message: { ...card, chat: own } },
      { reply_to_message: { ...card, message_id: 0, ephemeral_message_id: 3 } },
      { reply_to_message: 'the card' },
    ]
    for (const answer of answers)
      expect(read({ chat: ops, text: 'sí', ...answer })).toMatchObject({ reply: { kind: 'elsewhere' }, addressed: false })
  })
})

describe('a conversation', () => {
  it('has no topic for a thread that is none, nor for General', () => {
    expect(read({ chat: ops, text: 'a', message_thread_id: 9001 })).toMatchObject({
      conversation: { account: 'demo', chat: '-1001234567890' },
    })
    expect(read({ chat: ops, text: 'a', message_thread_id: 1, is_topic_message: true })).not.toHaveProperty('conversation.topic')
  })

  it('moves when its group becomes a supergroup, whichever of the two chats tells it', () => {
    const group = { id: -456, type: 'group', title: 'Ops' }
    expect(read({ chat: group, migrate_to_chat_id: ops.id })).toMatchObject({
      kind: 'moved',
      conversation: { chat: '-456' },
      toChat: '-1001234567890',
    })
    expect(read({ chat: ops, migrate_from_chat_id: -456 })).toMatchObject({
      kind: 'moved',
      conversation: { chat: '-456' },
      toChat: '-1001234567890',
    })
  })
})

describe('a text that is not the words of this person at this moment', () => {
  it.each([
    ['a forward', { forward_origin: { type: 'channel' } }, 'forwarded'],
    ['a forward as older servers tell it', { forward_date: 1 }, 'forwarded'],
    ['a text put together by an inline bot', { via_bot: { id: 99, is_bot: true } }, 'forwarded'],
    ['a scheduled message', { is_from_offline: true }, 'forwarded'],
    ['an edit', { edit_date: 1795900030 }, 'edited'],
  ])('%s goes to the agent marked', (_, about, form) => {
    expect(read({ text: 'dale', ...about })).toMatchObject({ body: { kind: 'other', form, text: 'dale' } })
  })

  it.each([
    ['an anonymous administrator', { sender_chat: ops }, 'anonymous'],
    ['a forward from the linked channel', { is_automatic_forward: true }, 'anonymous'],
    ['nobody', { from: undefined }, 'anonymous'],
    ['a bot', { from: { ...ana, is_bot: true } }, 'bot'],
    ['a guest', { guest_query_id: 'g' }, 'guest'],
    ['a business account', { business_connection_id: 'b' }, 'business'],
    ["a channel's inbox", { chat: { ...ops, is_direct_messages: true } }, 'direct_messages'],
    ['a message without a number', { message_id: 0 }, 'without_id'],
  ])('%s is ignored by name', (_, about, reason) => {
    expect(read({ text: 'dale', ...about })).toEqual({ kind: 'ignored', reason })
  })

  it.each([
    ['sticker', { sticker: {} }],
    ['contact', { contact: { first_name: 'Dale' } }],
    ['location', { venue: { title: 'Sí' } }],
    ['poll', { poll: { question: '¿Sí?', options: [{ text: 'dale' }] } }],
    ['voice', { video_note: {} }],
    ['media', { document: { file_name: 'dale' } }],
    ['media', { rich_message: { blocks: [] } }],
  ])('a %s is told by its form, without the names in it', (form, content) => {
    expect(read(content)).toMatchObject({ body: { kind: 'other', form } })
    expect(read(content)).not.toHaveProperty('body.text')
  })

  it('is left out while a live location moves', () => {
    const update = { update_id: 1, edited_message: { message_id: 9, from: ana, chat: own, date: 1, edit_date: 2, location: {} } }
    expect(normalizeUpdate(update, bot)).toEqual([{ kind: 'ignored', reason: 'live_location' }])
  })
})

describe('what a database could not keep', () => {
  it('is taken out of a text: NUL and half a surrogate pair', () => {
    expect(read({ text: 'a\0b\ud83d' })).toMatchObject({ body: { text: 'ab\ufffd' } })
  })
})
