import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { normalizeUpdate } from '../../../src/channels/telegram/normalize.ts'
import type { Normalized } from '../../../src/core/inbound.ts'
import { pressPayloadOf, readPress } from '../../../src/core/press.ts'
import { ulidOfBytes } from '../../../src/core/ulid.ts'
import type { Channel } from '../../../src/ports/channel.ts'
import { aCard } from '../../contracts/channel.ts'
import { type BotApiServer, botApiServer } from '../../support/bot-api-server.ts'
import { aBot } from './far-side.ts'

interface Failure {
  readonly error_code: number
  readonly description: string
  readonly parameters?: Readonly<Record<string, number>>
}
interface Case {
  readonly id: string
  readonly input: {
    readonly update_id?: number
    readonly sequence?: readonly unknown[]
    readonly text?: string
    readonly apiFailure?: Failure
  }
  readonly context: { readonly apiFailures?: readonly Failure[] }
}
const cases: readonly Case[] = JSON.parse(readFileSync(new URL('../../fixtures/cases/telegram.json', import.meta.url), 'utf8'))

function caseOf(id: string): Case {
  const found = cases.find((known) => known.id === id)
  if (found === undefined) throw new Error(`there is no case ${id}`)
  return found
}

const bot = { account: 'demo', id: 7700000001, username: 'gestion_demo_bot' }

/** The events of a case, in order. */
function eventsOf(id: string): readonly Normalized[] {
  const { input } = caseOf(id)
  return (input.sequence ?? [input])
    .filter((update) => typeof update === 'object' && update !== null && 'update_id' in update)
    .flatMap((update) => normalizeUpdate(update, bot))
}

const own = { conversation: { account: 'demo', chat: '500100201' }, sender: { id: 'tg:500100201', name: 'Ana' } }
const group = { conversation: { account: 'demo', chat: '-1002100200300' } }
const text = (said: string) => ({ kind: 'text', text: said })
const other = (form: string, said?: string) => ({ kind: 'other', form, ...(said === undefined ? {} : { text: said }) })

/** What each case with an update says of it before anything is decided. Whether it then decides is the gateway's to judge. */
const read: Readonly<Record<string, readonly object[]>> = {
  'TG-001': [{ kind: 'press', ...own, payload: 'g:a:p_7Q2M', messageId: '9001', group: false }],
  'TG-002': [{ kind: 'press', ...group, sender: { id: 'tg:500100202', name: 'Beto' }, payload: 'g:a:p_7Q2M', group: true }],
  'TG-005': [
    { kind: 'press', ...own, providerId: 'cb:2150000000000000010' },
    { kind: 'press', ...own, providerId: 'cb:2150000000000000011' },
  ],
  'TG-007': [{ kind: 'press', ...own, pressId: '2150000000000000001' }],
  'TG-010': [{ kind: 'press', ...own, payload: 'g:r:p_7Q2M' }],
  'TG-013': [{ kind: 'ignored', reason: 'anonymous' }],
  'TG-015': [{ kind: 'press', ...group, sender: { id: 'tg:500100201', name: 'Ana' } }],
  'TG-016': [{ kind: 'ignored', reason: 'channel_post' }],
  'TG-018': [{ kind: 'message', ...own, body: other('forwarded', 'sí') }],
  'TG-020': [{ kind: 'message', ...own, body: other('edited', 'sí') }],
  'TG-022': [{ kind: 'message', ...own, body: text('sí'), moment: { atMs: 1795986000_000, order: 9050 } }],
  'TG-023': [
    {
      kind: 'message',
      conversation: { account: 'demo', chat: '-1002100200300', topic: '77' },
      body: text('sí'),
      addressed: false,
    },
  ],
  'TG-024': [{ kind: 'message', ...group, body: text('sí'), reply: { kind: 'message', id: '9001' }, addressed: true }],
  'TG-027': [
    { kind: 'moved', conversation: { account: 'demo', chat: '-400500600' }, toChat: '-1002100200300' },
    { kind: 'message', ...group, body: text('sí') },
  ],
  'TG-036': [{ kind: 'press', conversation: { account: 'demo', chat: 'inline:AgAAAA_demo' }, payload: 'g:a:p_7Q2M' }],
  'TG-037': [{ kind: 'message', ...own, providerId: '500100201:9060', body: text('sí') }],
  'TG-038': [{ kind: 'message', ...group, body: text('sí'), addressed: true, reply: { kind: 'none' } }],
  'TG-040': [{ kind: 'message', ...own, body: text('sí'), reply: { kind: 'message', id: '9002' } }],
  'TG-041': [{ kind: 'message', ...group, body: text('sí'), reply: { kind: 'message', id: '9030' }, addressed: false }],
  'TG-042': [{ kind: 'message', ...own, body: text('no entiendo'), reply: { kind: 'message', id: '9033' } }],
  'TG-043': [{ kind: 'message', ...own, body: { ...other('caption', 'sí'), media: { kind: 'image', ref: 'AgDEMO' } } }],
  'TG-045': [
    { kind: 'message', ...own, body: { ...other('voice'), media: { kind: 'audio', ref: 'AwDEMO', mimeType: 'audio/ogg' } } },
  ],
  'TG-050': [{ kind: 'press', ...own, payload: 'g:a:p_7Q2M', messageId: '9001' }],
}

describe('what a case brings in', () => {
  it.each(Object.entries(read))('%s', (id, events) => {
    const seen = eventsOf(id)
    expect(seen).toHaveLength(events.length)
    expect(seen).toEqual(events.map((event) => expect.objectContaining(event)))
  })

  it('is written down for every case that brings in anything', () => {
    const bringing = cases.map(({ id }) => id).filter((id) => eventsOf(id).length > 0)
    expect(bringing).toEqual(Object.keys(read))
  })
})

describe('what a case sends out', () => {
  let server: BotApiServer
  let channel: Channel
  const ana = { account: 'demo', chat: '42000001' }
  const shown = () => server.shown(42000001)
  const failureOf = (id: string) => {
    const { input, context } = caseOf(id)
    const failure = input.apiFailure ?? context.apiFailures?.[0]
    if (failure === undefined) throw new Error(`${id} has no failure of the API`)
    const { error_code: refuse, description, parameters } = failure
    return { refuse, description, ...(parameters === undefined ? {} : { parameters }) }
  }
  const inputText = (id: string): string => caseOf(id).input.text ?? ''

  beforeEach(async () => {
    server = await botApiServer()
    server.person('Ana').begins()
    channel = aBot(server)
  })
  afterEach(() => server[Symbol.asyncDispose]())

  it('TG-007: a tap that is too old to answer is no error', async () => {
    server.fail('answerCallbackQuery', failureOf('TG-007'))
    await expect(channel.answerPress('2150000000000000001', 'Recibido.')).resolves.toBeUndefined()
  })

  it('TG-010: a card that the person deleted is gone, so that the outcome is told in a new message', async () => {
    const { messageIds } = await channel.send(ana, { kind: 'card', card: aCard() })
    server.fail('editMessageText', failureOf('TG-010'))
    expect(await channel.edit(ana, messageIds, aCard({ settled: true }))).toBe('gone')
  })

  it('TG-011: a payload is short however long the account and the conversation are called, and both buttons name one proposal', async () => {
    const proposalId = ulidOfBytes(new Uint8Array(16).fill(7))
    const scope = { account: 'demo'.repeat(50), conversationKey: 'chat'.repeat(50) }
    const key = { id: 1, secret: new Uint8Array(32).fill(1) }
    const payloads = (['approve', 'reject'] as const).map((verdict) =>
      pressPayloadOf({ proposalId, cardRevision: 3, verdict }, scope, key),
    )
    const controls = ['Confirmar', 'Cancelar'].map((label, index) => ({
      label,
      payload: payloads[index] ?? '',
      style: 'plain' as const,
    }))
    await channel.send(ana, { kind: 'card', card: { ...aCard(), controls } })
    const buttons = shown()[0]?.reply_markup?.inline_keyboard.flat() ?? []
    expect(buttons.map((button) => readPress(button.callback_data ?? '', scope, [key])?.proposalId)).toEqual([
      proposalId,
      proposalId,
    ])
  })

  it('TG-024: an outcome in General names no thread', async () => {
    const forum = server.group('Deposito demo', [server.person('Ana')], { forum: true })
    await channel.send({ account: 'demo', chat: String(forum.id) }, { kind: 'notice', text: 'Listo.' })
    expect(server.shown(forum.id)).toHaveLength(1)
    expect(server.calls.at(-1)?.payload).not.toHaveProperty('message_thread_id')
  })

  it('TG-025: an outcome goes to the topic of the request', async () => {
    const forum = server.group('Deposito demo', [server.person('Ana')], { forum: true })
    const topic = server.topic(forum, 'Pedidos')
    await channel.send({ account: 'demo', chat: String(forum.id), topic: String(topic) }, { kind: 'notice', text: 'Listo.' })
    expect(server.shown(forum.id).at(-1)).toMatchObject({ text: 'Listo.', message_thread_id: topic })
  })

  it('TG-029: a flood limit says how long to wait, and nothing was sent', async () => {
    server.fail('sendMessage', failureOf('TG-029'))
    const sending = channel.send(ana, { kind: 'notice', text: 'Listo.' })
    await expect(sending).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 34_000,
      permanent: false,
      mayHaveHappened: false,
    })
    expect(shown()).toEqual([])
  })

  it('TG-031: an outcome arrives literally', async () => {
    await channel.send(ana, { kind: 'notice', text: inputText('TG-031') })
    expect(shown().map((message) => message.text)).toEqual(['Listo: pedido #12 (2.5 kg) - total = $1.250,00!'])
  })

  it('TG-032: a card shows the exact text of the person, with no style that the card did not give it', async () => {
    const line = { part: 'field', label: 'Cambio', text: inputText('TG-032') } as const
    await channel.send(ana, { kind: 'card', card: { ...aCard(), lines: [line] } })
    expect(shown()[0]?.text).toBe('Cambio: Renombrar producto_a-b a [nuevo] *2x*?\n\n#K7Q2')
    expect(shown()[0]?.entities).toEqual([
      { type: 'code', offset: 8, length: 38 },
      { type: 'code', offset: 48, length: 5 },
    ])
  })

  it('TG-034: a card whose answer is lost is reported as perhaps sent, and the second copy is the same card', async () => {
    server.fail('sendMessage', { reset: 'after' })
    await expect(channel.send(ana, { kind: 'card', card: aCard() })).rejects.toMatchObject({
      mayHaveHappened: true,
      permanent: false,
    })
    await channel.send(ana, { kind: 'card', card: aCard() })
    const [first, second] = shown().map((message) => message.reply_markup)
    expect(shown()).toHaveLength(2)
    expect(second).toEqual(first)
  })

  it('TG-037: of two pollers one is told off, and an update that was not confirmed is the same event when it comes again', async () => {
    const events: Normalized[] = []
    let wake = () => {}
    const until = async (count: number) => {
      while (events.length < count) await new Promise<void>((resolve) => (wake = resolve))
    }
    const health: unknown[] = []
    const first = aBot(server, {
      log: { info: () => undefined, error: () => undefined, warn: (about) => void health.push(about.code) },
    })
    const runningFirst = await first.start(async () => {
      throw new Error('killed before it was stored')
    })
    server.person('Ana').says('sí')
    await server.until(() => health.includes('store'))
    await runningFirst[Symbol.asyncDispose]()
    const running = await Promise.all(
      [aBot(server), first].map((poller) =>
        poller.start(async (batch) => {
          events.push(...batch)
          wake()
        }),
      ),
    )
    await until(1)
    await server.until(() => health.includes('conflict'))
    expect(new Set(events.map((event) => (event.kind === 'ignored' ? '' : event.providerId)))).toEqual(new Set(['42000001:1']))
    for (const poller of running) await poller[Symbol.asyncDispose]()
  })

  it('TG-051: a card that stands on a photo is edited by its caption, and its buttons disappear', async () => {
    const photo = server.puts(42000001, {
      photo: [{}],
      caption: 'Propuesta',
      reply_markup: { inline_keyboard: [[{ text: 'Confirmar', callback_data: 'x' }]] },
    })
    server.fail('editMessageText', failureOf('TG-051'))
    expect(await channel.edit(ana, [String(photo.message_id)], aCard({ settled: true }))).toBe('edited')
    expect(shown()[0]).toMatchObject({ caption: expect.stringContaining('Confirmado por Ana.') })
    expect(shown()[0]).not.toHaveProperty('reply_markup')
  })
})
