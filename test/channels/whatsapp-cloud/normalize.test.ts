import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { normalizeWebhook } from '../../../src/channels/whatsapp-cloud/normalize.ts'
import expected from '../../fixtures/whatsapp-cloud/expected.json' with { type: 'json' }

const number = { account: 'demo', phoneNumberId: '100000000000001' }
const folder = new URL('../../fixtures/whatsapp-cloud/', import.meta.url)
const fixture = (name: string): unknown => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))
const names = readdirSync(folder)
  .map((file) => file.replace(/\.json$/, ''))
  .filter((name) => name !== 'expected')

describe('every recorded webhook', () => {
  it('has an expectation', () => {
    expect(names.toSorted()).toEqual(Object.keys(expected).toSorted())
  })

  it.each(Object.entries(expected))('%s reads as expected', (name, events) => {
    expect(normalizeWebhook(fixture(name), number)).toEqual(events)
  })
})

const metadata = { display_phone_number: '15550001111', phone_number_id: '100000000000001' }
const webhook = (...changes: readonly unknown[]) => ({ object: 'whatsapp_business_account', entry: [{ id: '1', changes }] })
const change = (value: object, field = 'messages') => ({ field, value: { messaging_product: 'whatsapp', metadata, ...value } })
const own = { from: '15550002222', from_user_id: 'AR.1350002222ABCDEF', id: 'wamid.1', timestamp: '1795900000' }
const group = 'Y2FwaV9ncm91cDoxZD'
const readAll = (...messages: readonly unknown[]) => normalizeWebhook(webhook(change({ messages })), number)
const read = (message: object) => readAll({ ...own, ...message })[0]
const text = (body: string) => ({ type: 'text', text: { body } })

describe('a person', () => {
  const party = (message: object, contacts: readonly unknown[] = []) => {
    const [event] = normalizeWebhook(
      webhook(change({ contacts, messages: [{ id: 'wamid.1', timestamp: '1795900000', ...text('a'), ...message }] })),
      number,
    )
    return event?.kind === 'message' ? [event.conversation.chat, event.sender] : event
  }

  it('is the business-scoped id, with the number and the parent’s id beside it', () => {
    expect(party({ from: '5491155550101', from_user_id: 'AR.1', from_parent_user_id: 'AR.ENT.2' })).toEqual([
      'AR.1',
      { id: 'wa:AR.1', also: ['wa:5491155550101', 'wa:AR.ENT.2'] },
    ])
  })

  it('is linked by a contact that carries the same id, and by no other', () => {
    const ana = { wa_id: '5491155550101', user_id: 'AR.1', profile: { name: 'Ana' } }
    expect(party({ from_user_id: 'AR.1' }, [ana])).toEqual(['AR.1', { id: 'wa:AR.1', also: ['wa:5491155550101'], name: 'Ana' }])
    expect(party({ from: '5491155550101' }, [ana])).toEqual(['AR.1', { id: 'wa:AR.1', also: ['wa:5491155550101'], name: 'Ana' }])
    expect(party({ from_user_id: 'AR.2' }, [ana])).toEqual(['AR.2', { id: 'wa:AR.2', also: [] }])
  })

  it.each([
    ['Mexico', '5215555550103', '525555550103'],
    ['Brazil', '551187650001', '5511987650001'],
    ['Argentina', '5491155550101', '541155550101'],
  ])('is never found by digits that only look alike: %s', (_, from, other) => {
    expect(party({ from }, [{ wa_id: other, user_id: 'XX.1' }])).toEqual([from, { id: `wa:${from}`, also: [] }])
  })

  it('without any id is nobody', () => {
    expect(party({})).toEqual({ kind: 'ignored', reason: 'without_sender' })
    expect(party({ from: 'AR.1' })).toEqual({ kind: 'ignored', reason: 'malformed' })
    expect(party({ from: '15550001111' })).toEqual({ kind: 'ignored', reason: 'own_message' })
  })
})

describe('what a message answers', () => {
  it.each([
    ['nothing', {}, { kind: 'none' }],
    ['a message by its id', { context: { from: '15550001111', id: 'wamid.C' } }, { kind: 'message', id: 'wamid.C' }],
    ['what has no id here', { context: { from: '15550001111', referred_product: {} } }, { kind: 'elsewhere' }],
    ['what cannot be read', { context: 'wamid.C' }, { kind: 'elsewhere' }],
  ])('is %s', (_, about, reply) => {
    expect(read({ ...text('sí'), ...about })).toMatchObject({ reply })
  })
})

describe('a text that is not the words of this person at this moment', () => {
  it.each([
    ['forwarded', { context: { forwarded: true } }],
    ['forwarded often', { context: { frequently_forwarded: true } }],
    ['forwarded, and a reply', { context: { forwarded: 'yes', id: 'wamid.C' } }],
    ['with a context that cannot be read', { context: ['forwarded'] }],
  ])('%s goes to the agent marked', (_, about) => {
    expect(read({ ...text('dale'), ...about })).toMatchObject({ body: { kind: 'other', form: 'forwarded', text: 'dale' } })
  })

  it('is unsupported where WhatsApp says that something is wrong with it', () => {
    expect(read({ ...text('dale'), errors: [{ code: 131051 }] })).toEqual({ kind: 'ignored', reason: 'unsupported' })
  })

  it.each([
    ['sticker', { type: 'sticker', sticker: {} }, {}],
    ['media', { type: 'audio', audio: { voice: false } }, {}],
    ['media', { type: 'video', video: {} }, {}],
    ['caption', { type: 'document', document: { caption: 'dale', filename: 'sí' } }, { text: 'dale' }],
    ['media', { type: 'order', order: { text: 'dale' } }, {}],
  ])('a %s is told by its form', (form, content, said) => {
    expect(read(content)).toMatchObject({ body: { kind: 'other', form, ...said } })
  })
})

describe('a tap', () => {
  const tap = (about: object) => read({ context: { from: '15550001111', id: 'wamid.C' }, ...about })

  it('has the moment at which it was made', () => {
    expect(tap({ type: 'button', button: { payload: 'p', text: 'Sí' } })).toMatchObject({
      kind: 'press',
      payload: 'p',
      messageId: 'wamid.C',
      moment: { atMs: 1_795_900_000_000 },
    })
  })

  it('whose payload is its label says nothing that could decide', () => {
    for (const about of [
      { type: 'button', button: { payload: 'Sí', text: 'Sí' } },
      { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'Sí', title: 'Sí' } } },
    ])
      expect(tap(about)).toMatchObject({ kind: 'message', body: { kind: 'other', form: 'media', text: 'Sí' } })
  })

  it('that was forwarded is no tap', () => {
    expect(tap({ type: 'button', button: { payload: 'p', text: 'Sí' }, context: { forwarded: true } })).toMatchObject({
      kind: 'message',
      body: { kind: 'other', form: 'forwarded', text: 'Sí' },
    })
  })

  it('of another kind is ignored', () => {
    expect(tap({ type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { response_json: '{}' } } })).toEqual({
      kind: 'ignored',
      reason: 'interactive',
    })
  })
})

describe('in a group', () => {
  const said = (body: string, about: object = {}) => read({ group_id: group, ...text(body), ...about })

  it.each([
    ['@15550001111 sí', 'sí'],
    ['@15550001111, sí', 'sí'],
    ['sí @15550001111', 'sí'],
    ['decile a @15550001111 que no', 'decile a @15550001111 que no'],
  ])('%j is for the account, and says %j', (body, words) => {
    expect(said(body)).toMatchObject({
      conversation: { chat: group },
      group: true,
      addressed: true,
      body: { kind: 'text', text: words },
    })
  })

  it.each(['@155500011112 sí', 'a@15550001111 sí', '15550001111 sí', 'sí'])('%j is for the others', (body) => {
    expect(said(body)).toMatchObject({ addressed: false, body: { kind: 'text', text: body } })
  })

  it('a reply to what the account sent is for it, one to another person is not, and there is no peer', () => {
    expect(said('sí', { context: { from: '15550001111', id: 'wamid.C' } })).toMatchObject({ addressed: true })
    expect(said('sí', { context: { from: '15550003333', id: 'wamid.C' } })).toMatchObject({ addressed: false })
    expect(said('sí')).not.toHaveProperty('peer')
  })

  it('whose id is that of a person nobody speaks', () => {
    for (const id of ['15550002222', 'AR.1350002222ABCDEF', 'a b', ''])
      expect(read({ ...text('sí'), group_id: id })).toEqual({ kind: 'ignored', reason: 'malformed' })
  })

  it('a status names the group, and no person', () => {
    const status = { id: 'wamid.C', status: 'delivered', timestamp: '1', recipient_id: group, recipient_type: 'group' }
    const [event] = normalizeWebhook(webhook(change({ statuses: [status] })), number)
    expect(event).toMatchObject({ kind: 'report', conversation: { chat: group } })
    expect(event).not.toHaveProperty('peer')
  })
})

describe('a status', () => {
  const status = (about: object) =>
    normalizeWebhook(
      webhook(change({ statuses: [{ id: 'wamid.C', status: 'failed', timestamp: '1', recipient_id: '15550002222', ...about }] })),
      number,
    )[0]

  it.each([
    [131026, { code: 'undeliverable', final: true }],
    [131047, { code: 'window_closed' }],
    [131051, { code: 'unsupported' }],
    [131000, { code: 'server_error' }],
    [131056, { code: 'pair_limited' }],
    [131049, { code: 'held_back', final: true }],
    [132_001, { code: 'bad_template', final: true }],
    [999_999, { code: 'graph_999999' }],
  ])('that failed with %d says what that means, and whether another try is of use', (code, about) => {
    const event = status({ errors: [{ code }] })
    expect(event).toMatchObject({ kind: 'report', status: 'failed', ...about })
    expect(event !== undefined && 'final' in event).toBe('final' in about)
  })

  it('that failed without a code that can be read has still failed', () => {
    for (const errors of [undefined, [], 'x', [{ code: 'x' }]])
      expect(status({ errors })).toMatchObject({ status: 'failed', code: 'failed' })
  })

  it('of a kind that says nothing of a message is ignored', () => {
    expect(status({ status: 'deleted' })).toEqual({ kind: 'ignored', reason: 'unknown_status' })
    expect(status({ recipient_id: undefined })).toEqual({ kind: 'ignored', reason: 'without_recipient' })
  })
})

describe('one webhook', () => {
  it('gives everything in it in its order, and an odd part drops nothing', () => {
    const status = { id: 'wamid.C', status: 'read', timestamp: '1', recipient_id: '15550002222' }
    const events = normalizeWebhook(
      webhook(
        null,
        change({
          contacts: ['odd', { user_id: 7 }],
          messages: [{ ...own, ...text('uno') }, 7, { ...own, id: 'wamid.2', ...text('dos') }],
        }),
        change({ statuses: [{ id: 1 }, status] }),
        { field: 'account_update', value: { event: 'ACCOUNT_RESTRICTION' } },
        { field: 'constructor', value: {} },
        change({}),
        change({ messages: 'none' }),
      ),
      number,
    )
    expect(events.map((event) => (event.kind === 'ignored' ? event.reason : event.providerId))).toEqual([
      'malformed',
      'wamid.1',
      'malformed',
      'wamid.2',
      'malformed',
      'wamid.C#read',
      'account_update',
      'unknown_field',
      'empty',
      'malformed',
    ])
  })

  it('is read by the account whose number it is for', () => {
    const other = { account: 'demo', phoneNumberId: '7' }
    expect(normalizeWebhook(fixture('text'), other)).toEqual([{ kind: 'ignored', reason: 'other_number' }])
    expect(normalizeWebhook(fixture('text'), { account: 'demo' })).toEqual(normalizeWebhook(fixture('text'), number))
  })

  it('that is none of the platform’s is ignored', () => {
    for (const payload of [null, [], { object: 'page', entry: [] }, { object: 'whatsapp_business_account' }])
      expect(normalizeWebhook(payload, number)).toEqual([{ kind: 'ignored', reason: 'malformed' }])
    expect(normalizeWebhook({ object: 'whatsapp_business_account', entry: [] }, number)).toEqual([
      { kind: 'ignored', reason: 'empty' },
    ])
  })
})

describe('what a database could not keep', () => {
  it('is taken out of a text: NUL and half a surrogate pair', () => {
    expect(read(text('a\0b\ud83d'))).toMatchObject({ body: { text: 'ab\ufffd' } })
  })
})
