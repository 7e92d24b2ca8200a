import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ChannelError } from '../../../src/core/errors.ts'
import type { Channel } from '../../../src/ports/channel.ts'
import { aCard } from '../../contracts/channel.ts'
import { until } from '../../support/until.ts'
import type { Phone } from '../../support/whatsapp-server/index.ts'
import { anInbox, aWhatsAppStage, type WhatsAppStage } from '../../support/whatsapp-stage.ts'

let stage: WhatsAppStage
let inbox: ReturnType<typeof anInbox>
let ana: Phone
beforeEach(async () => {
  stage = await aWhatsAppStage()
  inbox = anInbox()
  ana = await stage.server.person('ana', { lid: '99900002222', phone: '15550002222' })
  await stage.pair()
})
afterEach(async () => {
  await stage[Symbol.asyncDispose]()
})

const chat = { account: 'tienda', chat: '99900002222@lid' }
const hola = { kind: 'text', text: 'hola' } as const
const sending = (ref: string, addresses: readonly string[] = []) => ({ ref, addresses })
const errorOf = async (channel: Channel, ref = 'r1'): Promise<unknown> =>
  await channel.send(chat, hola, sending(ref)).catch((error: unknown) => error)

describe('a sending', () => {
  it('has the same id each time, so that a second copy is no second message', async () => {
    const channel = await stage.gateway(inbox.receive)
    const first = await channel.send(chat, hola, sending('r1'))
    const again = await channel.send(chat, hola, sending('r1'))
    const other = await channel.send(chat, hola, sending('r2'))
    expect(again.messageIds).toEqual(first.messageIds)
    expect(other.messageIds).not.toEqual(first.messageIds)
  })

  it('resolves when the server has taken it, not before', async () => {
    const channel = await stage.gateway(inbox.receive)
    stage.server.answers({ with: 'held', times: 1 })
    let accepted = false
    const sent = channel.send(chat, hola, sending('r1')).then(() => {
      accepted = true
    })
    await ana.until(({ text }) => text === 'hola')
    expect(accepted).toBe(false)
    stage.server.releases()
    await sent
  })

  it('may have arrived when no answer comes in time', async () => {
    const channel = await stage.gateway(inbox.receive, { ackMs: 200 })
    stage.server.answers({ with: 'nothing', times: 1 })
    const late = await errorOf(channel, 'r1')
    expect(late).toBeInstanceOf(ChannelError)
    expect(late).toMatchObject({ code: 'no_ack', permanent: false, mayHaveHappened: true })
  })

  it('may have arrived when the connection goes before the answer', async () => {
    const channel = await stage.gateway(inbox.receive)
    stage.server.answers({ with: 'nothing', times: 1 })
    const lost = errorOf(channel)
    await ana.until(({ text }) => text === 'hola')
    await stage.server.closes(stage.number.phone, 'cut')
    expect(await lost).toMatchObject({ code: 'connection_lost', permanent: false, mayHaveHappened: true })
  })

  it.each([
    [463, { code: 'restricted', permanent: true }],
    [479, { code: 'refused', permanent: true }],
    [429, { code: 'rate_limited', permanent: false, retryAfterMs: 60_000 }],
    [500, { code: 'refused_500', permanent: false, retryAfterMs: 5000 }],
  ])('that the server refuses with %i is that, and not told a second time', async (error, expected) => {
    const channel = await stage.gateway(inbox.receive)
    stage.server.answers({ with: { error }, times: 1 })
    expect(await errorOf(channel)).toMatchObject({ ...expected, mayHaveHappened: false })
    // Whatever Baileys says of it has come before what ana writes now.
    await ana.says('¿hola?')
    await inbox.until(() => inbox.texts().includes('¿hola?'))
    expect(inbox.events.filter(({ kind }) => kind === 'report')).toEqual([])
    expect(ana.sees()).toEqual([])
  })

  it('that is refused after its time was over is reported as failed', async () => {
    const channel = await stage.gateway(inbox.receive, { ackMs: 100 })
    stage.server.answers({ with: { error: 463, held: true }, times: 1 })
    expect(await errorOf(channel, 'r1')).toMatchObject({ code: 'no_ack', mayHaveHappened: true })
    stage.server.releases()
    await inbox.until(() => inbox.events.some(({ kind }) => kind === 'report'))
    expect(inbox.events.find(({ kind }) => kind === 'report')).toMatchObject({
      status: 'failed',
      code: '463',
      final: true,
      ref: 'r1',
    })
  })

  it('is reported as delivered and read, with what the gateway calls it', async () => {
    const channel = await stage.gateway(inbox.receive)
    const { messageIds } = await channel.send(chat, hola, sending('r1'))
    await ana.until(({ text }) => text === 'hola')
    await ana.reads(messageIds[0] ?? '')
    const reports = () => inbox.events.filter((event) => event.kind === 'report')
    await inbox.until(() => reports().some(({ status }) => status === 'read'))
    expect(reports().map(({ messageId, status, ref }) => ({ messageId, status, ref }))).toEqual([
      { messageId: messageIds[0], status: 'delivered', ref: 'r1' },
      { messageId: messageIds[0], status: 'read', ref: 'r1' },
    ])
  })

  it('of several parts keeps their order, and only of the last is told that it arrived', async () => {
    const channel = await stage.gateway(inbox.receive)
    const text = Array.from({ length: 1500 }, (_, at) => `palabra${at}`).join(' ')
    const { messageIds } = await channel.send(chat, { kind: 'text', text }, sending('r1'))
    expect(messageIds.length).toBeGreaterThan(2)
    await until(() => ana.sees().length === messageIds.length)
    expect(ana.sees().map(({ id }) => id)).toEqual(messageIds)
    const reports = () => inbox.events.filter((event) => event.kind === 'report')
    await inbox.until(() => reports().length > 0)
    expect(reports().map(({ messageId }) => messageId)).toEqual([messageIds.at(-1)])
  })

  it('whose later part fails may have happened', async () => {
    const channel = await stage.gateway(inbox.receive)
    stage.server.answers({ with: 'ack', times: 1 })
    stage.server.answers({ with: { error: 479 }, times: 1 })
    const text = Array.from({ length: 1500 }, (_, at) => `palabra${at}`).join(' ')
    await expect(channel.send(chat, { kind: 'text', text }, sending('r1'))).rejects.toMatchObject({
      code: 'refused',
      permanent: true,
      mayHaveHappened: true,
    })
  })

  it('goes out once more to a phone that could not read it, while it is new', async () => {
    const channel = await stage.gateway(inbox.receive)
    await channel.send(chat, hola, sending('r1'))
    await ana.until(({ text }) => text === 'hola')
    ana.forgets()
    await channel.send(chat, { kind: 'text', text: 'otra' }, sending('r2'))
    await ana.until(({ text }) => text === 'otra')
    expect(ana.sees().map(({ text }) => text)).toEqual(['hola', 'otra'])
  })
})

describe('a card with a poll', () => {
  const card = { kind: 'card', card: aCard() } as const

  it('keeps the poll’s secret before it leaves, and reads the vote as the press of its control', async () => {
    const channel = await stage.gateway(inbox.receive, { controls: 'poll' })
    expect(channel.capabilities).toMatchObject({ controls: 'poll', edits: false, reportsDelivery: true, toasts: false })
    const { messageIds } = await channel.send(chat, card, sending('r1'))
    const pollId = messageIds.at(-1) ?? ''
    const poll = await ana.until(({ id }) => id === pollId)
    expect(poll.poll).toEqual({ options: ['Confirmar', 'Cancelar'], selectable: 1 })
    await ana.votes(pollId, 'Confirmar')
    const presses = () => inbox.events.filter((event) => event.kind === 'press')
    await inbox.until(() => presses().length === 1)
    expect(presses()[0]).toMatchObject({
      payload: 'd1.k3J9xQ2mVt7Lp0aZ.a',
      messageId: pollId,
      sender: { id: 'wa:99900002222@lid' },
    })
    await ana.unvotes(pollId)
    await inbox.until(() => presses().length === 2)
    expect(presses()[1]).toMatchObject({ payload: 'd1.k3J9xQ2mVt7Lp0aZ.r', withdrawn: true })
  })

  it('has the secret of its first sending when it is sent again: the phone may have that one', async () => {
    const channel = await stage.gateway(inbox.receive, { controls: 'poll', ackMs: 200 })
    stage.server.answers({ type: 'poll', with: 'nothing', times: 1 })
    await channel.send(chat, card, sending('r1')).catch(() => undefined)
    const first = await ana.until(({ poll }) => poll !== undefined)
    const { messageIds } = await channel.send(chat, card, sending('r1'))
    expect(messageIds.at(-1)).toBe(first.id)
    await ana.votes(first.id, 'Cancelar')
    await inbox.until(() => inbox.events.some(({ kind }) => kind === 'press'))
    expect(inbox.events.find(({ kind }) => kind === 'press')).toMatchObject({ payload: 'd1.k3J9xQ2mVt7Lp0aZ.r' })
  })

  it('has none in a group, nor when it is to be plain', async () => {
    const group = await stage.server.group('120363000000000001', [ana])
    const channel = await stage.gateway(inbox.receive, { controls: 'poll' })
    await channel.send({ account: 'tienda', chat: group.id }, card, sending('r1'))
    await channel.send(chat, { ...card, plain: true }, sending('r2'))
    await until(() => ana.sees().length === 2)
    expect(ana.sees().map(({ poll }) => poll)).toEqual([undefined, undefined])
  })
})

describe('the rest of the port', () => {
  it('cannot edit, has no taps to answer, and shows that it writes', async () => {
    const channel = await stage.gateway(inbox.receive)
    expect(await channel.edit(chat, ['x'], aCard({ settled: true }))).toBe('gone')
    await channel.answerPress('x', 'Ya está.')
    await channel.typing?.(chat)
    expect(stage.server.problems).toEqual([])
  })
})
