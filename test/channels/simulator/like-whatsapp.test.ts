import { describe, expect, it } from 'vitest'
import { likeWhatsApp, simulatorChannel } from '../../../src/channels/simulator/channel.ts'
import type { Normalized } from '../../../src/core/inbound.ts'
import type { Outgoing } from '../../../src/core/outgoing.ts'
import { aCard } from '../../contracts/channel.ts'
import { until } from '../../support/until.ts'

const ana = { account: 'shop', chat: 'ana' }
const hello: Outgoing = { kind: 'text', text: 'Hola.' }

async function aSimulator() {
  const clock = { ms: Date.UTC(2026, 10, 30, 13, 24), now: async () => clock.ms }
  const channel = simulatorChannel({ account: 'shop', clock, can: likeWhatsApp })
  const received: Normalized[] = []
  const receiving = await channel.start(async (events) => void received.push(...events))
  const reports = () => received.flatMap((event) => (event.kind === 'report' ? [[event.messageId, event.status, event.ref]] : []))
  return { channel, clock, received, reports, receiving }
}

describe('a simulator that is like WhatsApp', () => {
  it('says so', async () => {
    const { channel } = await aSimulator()
    expect(channel.capabilities).toMatchObject({ edits: false, toasts: false, reportsDelivery: true, windowMs: 86_400_000 })
    expect(await channel.edit(ana, ['ana/1'], aCard())).toBe('gone')
  })

  it('reports what it took as sent and delivered, with the ref on the last part alone', async () => {
    const { channel, reports } = await aSimulator()
    const { messageIds } = await channel.send(
      ana,
      { kind: 'text', text: 'a '.repeat(3000) },
      { ref: 'r1', addresses: [], lastInboundAtMs: Date.UTC(2026, 10, 30, 13) },
    )
    const [first, last] = messageIds
    await until(() => reports().length === 4)
    expect(reports()).toEqual([
      [first, 'sent', undefined],
      [first, 'delivered', undefined],
      [last, 'sent', 'r1'],
      [last, 'delivered', 'r1'],
    ])
  })

  it('reports nothing as delivered while the phone is off, then all of it, and only there', async () => {
    const { channel, reports } = await aSimulator()
    await channel.turns('ana', 'off')
    const [off] = (await channel.send(ana, hello)).messageIds
    const [on] = (await channel.send({ account: 'shop', chat: 'beto' }, hello)).messageIds
    await until(() => reports().length === 3)
    expect(reports().map(([id, status]) => [id, status])).toEqual(
      expect.arrayContaining([
        [off, 'sent'],
        [on, 'sent'],
        [on, 'delivered'],
      ]),
    )
    await channel.turns('ana', 'on')
    await until(() => reports().length === 4)
    expect(reports().at(-1)).toEqual([off, 'delivered', undefined])
  })

  it('takes nothing for somebody who has not written for a day, and says that it must wait', async () => {
    const { channel, clock } = await aSimulator()
    const sending = (lastInboundAtMs?: number) => ({
      ref: 'r',
      addresses: [],
      ...(lastInboundAtMs === undefined ? {} : { lastInboundAtMs }),
    })
    await expect(channel.send(ana, hello, sending())).rejects.toMatchObject({
      code: 'window_closed',
      permanent: false,
      mayHaveHappened: false,
    })
    await expect(channel.send(ana, hello, sending(clock.ms - 86_400_000))).rejects.toMatchObject({ code: 'window_closed' })
    expect((await channel.send(ana, hello, sending(clock.ms - 86_399_000))).messageIds).toHaveLength(1)
  })

  it('fails later what it was told to, with why', async () => {
    const { channel, received } = await aSimulator()
    channel.fails({ kind: 'fail_later', code: '463', final: true })
    const { messageIds } = await channel.send(ana, hello)
    await until(() => received.length === 1)
    expect(received).toMatchObject([{ kind: 'report', status: 'failed', code: '463', final: true, messageId: messageIds[0] }])
  })

  it('tells another tool’s message by its status alone, and the owner’s as said', async () => {
    const { channel, received } = await aSimulator()
    const { id } = await channel.ownerSays('ana', '¿Seguimos?', 'tool')
    await channel.ownerSays('ana', 'Hola', 'owner')
    await until(() => received.length === 3)
    expect(received).toMatchObject([
      { kind: 'report', messageId: id, status: 'sent' },
      { kind: 'report', messageId: id, status: 'delivered' },
      { kind: 'said', by: 'owner' },
    ])
  })

  it('tells when a tap was made, and takes back a vote with the Cancel of its card', async () => {
    const { channel, clock, received } = await aSimulator()
    const [card = ''] = (await channel.send(ana, { kind: 'card', card: aCard() })).messageIds
    await channel.presses('ana', 'ana', card, aCard().controls[0]?.label ?? '')
    await channel.withdraws('ana', 'ana', card)
    expect(await channel.withdraws('ana', 'ana', 'ana/0')).toEqual({ kind: 'no_control', labels: [] })
    const [approve, cancel] = aCard().controls
    expect(received.filter(({ kind }) => kind === 'press')).toMatchObject([
      { payload: approve?.payload, moment: { atMs: clock.ms } },
      { payload: cancel?.payload, moment: { atMs: clock.ms }, withdrawn: true },
    ])
  })

  it('shows a plain card without controls', async () => {
    const { channel } = await aSimulator()
    await channel.send(ana, { kind: 'card', card: aCard(), plain: true })
    expect(channel.transcript('ana')[0]?.content).toMatchObject({ kind: 'card', card: { lines: aCard().lines, controls: [] } })
  })
})
