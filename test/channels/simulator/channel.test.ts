import { describe, expect, it } from 'vitest'
import { simulatorChannel } from '../../../src/channels/simulator/channel.ts'
import { renderLines } from '../../../src/channels/simulator/render.ts'
import type { Normalized } from '../../../src/core/inbound.ts'
import type { ChatEvent, SimulatedFault } from '../../../src/ports/simulation.ts'
import { aCard, channelContract, type Fault } from '../../contracts/channel.ts'

const faults: Record<Fault, SimulatedFault> = {
  rate_limited: { kind: 'refuse', code: 'rate_limited', permanent: false, retryAfterMs: 3000 },
  blocked: { kind: 'refuse', code: 'blocked', permanent: true },
  lost_answer: { kind: 'lose_answer' },
}

channelContract({
  name: 'simulator',
  has: { taps: true, redelivers: true, deletes: true, faults: true },
  open: async () => {
    const channel = simulatorChannel({ account: 'shop', clock: { now: async () => Date.UTC(2026, 10, 30) }, againAfterMs: 5 })
    return {
      channel,
      conversation: { account: 'shop', chat: 'ana' },
      person: 'sim:ana',
      says: async (text, about) =>
        (await channel.says('ana', 'ana', text, about?.replyTo === undefined ? {} : { reply: about.replyTo })).id,
      sees: () =>
        channel
          .transcript('ana')
          .filter(({ by }) => by.kind === 'account')
          .map(({ id, content }) => ({
            id,
            text: renderLines(content).join('\n'),
            controls: content.kind === 'card' ? content.card.controls.map(({ label }) => label) : [],
          })),
      taps: async (messageId, label) => {
        const pressed = await channel.presses('ana', 'ana', messageId, label)
        if (pressed.kind === 'no_control') throw new Error(`no ${label} among ${pressed.labels.join(', ')}`)
      },
      redelivers: () => channel.redelivers('ana'),
      deletes: async (messageId) => channel.deletes('ana', messageId),
      faults: (fault) => channel.fails(faults[fault]),
      [Symbol.asyncDispose]: async () => {},
    }
  },
})

/** A started simulator whose clock the test moves, with what the gateway got and what the chats told. */
async function aSimulator(options: { readonly groups?: readonly string[] } = {}) {
  const clock = { ms: Date.UTC(2026, 10, 30, 13, 24), now: async () => clock.ms }
  const channel = simulatorChannel({ account: 'shop', clock, names: { ana: 'Ana Gómez' }, ...options })
  const received: Normalized[] = []
  const told: ChatEvent[] = []
  channel.on((event) => told.push(event))
  await channel.start(async (events) => void received.push(...events))
  return { channel, clock, received, told }
}

const ana = { account: 'shop', chat: 'ana' }

describe('the simulated provider', () => {
  it('numbers what both sides say in one order per chat, and stamps it with the clock it was given', async () => {
    const { channel, clock } = await aSimulator()
    const first = await channel.says('ana', 'ana', 'hola')
    clock.ms += 60_000
    const { moment } = await channel.send(ana, { kind: 'text', text: 'Buenas' })
    expect(moment).toEqual({ atMs: first.atMs + 60_000, order: first.order + 1 })
    expect((await channel.says('beto', 'beto', 'hola')).order).toBe(Math.floor(clock.ms / 1000) + 1)
  })

  it('never repeats an id or goes back in order when it is made again on a later clock', async () => {
    const before = await aSimulator()
    const after = await aSimulator()
    after.clock.ms = before.clock.ms + 60_000
    const old = await before.channel.says('ana', 'ana', 'hola')
    const young = await after.channel.says('ana', 'ana', 'hola')
    expect(young.order).toBeGreaterThan(old.order)
    expect(young.id).not.toBe(old.id)
  })

  it('stamps in the order of the calls, without waiting in between', async () => {
    const { channel } = await aSimulator()
    await Promise.all(['a', 'b', 'c'].map((text) => channel.says('ana', 'ana', text)))
    expect(channel.transcript('ana').map(({ content }) => content)).toEqual(
      ['a', 'b', 'c'].map((text) => ({ kind: 'text', text })),
    )
  })

  it('lets nobody press what does not stand there', async () => {
    const { channel, received } = await aSimulator()
    const { messageIds } = await channel.send(ana, { kind: 'card', card: aCard() })
    const id = messageIds[0] ?? ''
    expect(await channel.presses('ana', 'ana', id, 'Aprobar todo')).toEqual({
      kind: 'no_control',
      labels: ['Confirmar #K7Q2', 'Cancelar #K7Q2'],
    })
    expect(await channel.presses('beto', 'ana', id, 'Confirmar')).toEqual({ kind: 'no_control', labels: [] })
    await channel.edit(ana, messageIds, aCard({ settled: true }))
    expect(await channel.presses('ana', 'ana', id, 'Confirmar')).toEqual({ kind: 'no_control', labels: [] })
    expect(received).toEqual([])
  })

  it('tells the cards of a list apart by their codes, and settles one without touching the other', async () => {
    const { channel, received } = await aSimulator()
    const other = {
      ...aCard(),
      code: 'M3XP',
      controls: [{ label: 'Confirmar', payload: 'd1.other.a', style: 'success' as const }],
    }
    const { messageIds } = await channel.send(ana, { kind: 'list', text: '¿Cuál?', cards: [aCard(), other] })
    const id = messageIds[0] ?? ''
    expect(await channel.presses('ana', 'ana', id, 'Confirmar')).toMatchObject({ kind: 'no_control' })
    expect(await channel.presses('ana', 'ana', id, 'Confirmar #M3XP')).toMatchObject({ kind: 'pressed' })
    expect(received).toMatchObject([{ kind: 'press', payload: 'd1.other.a', messageId: id }])
    await channel.edit(ana, messageIds, aCard({ settled: true }))
    expect(channel.transcript('ana')[0]?.content).toMatchObject({ kind: 'list', cards: [aCard({ settled: true }), other] })
  })

  it('shows the answer to a tap once, to the one who tapped', async () => {
    const { channel, told } = await aSimulator()
    const { messageIds } = await channel.send(ana, { kind: 'card', card: aCard() })
    const pressed = await channel.presses('ana', 'ana', messageIds[0] ?? '', 'Confirmar')
    const pressId = pressed.kind === 'pressed' ? pressed.pressId : ''
    await channel.answerPress(pressId, 'Recibido.')
    await channel.answerPress(pressId, 'Otra vez.')
    expect(told.filter(({ kind }) => kind === 'answer')).toEqual([
      { kind: 'answer', conversation: ana, person: 'ana', messageId: messageIds[0], text: 'Recibido.' },
    ])
  })

  it('tells nothing twice when a card is edited to what already stands there', async () => {
    const { channel, told } = await aSimulator()
    const { messageIds } = await channel.send(ana, { kind: 'card', card: aCard() })
    for (const card of [aCard({ settled: true }), aCard({ settled: true })])
      expect(await channel.edit(ana, messageIds, card)).toBe('edited')
    expect(told.map(({ kind }) => kind)).toEqual(['message', 'edit'])
  })

  it('keeps each chat and topic to itself', async () => {
    const { channel, received } = await aSimulator({ groups: ['equipo'] })
    await channel.says({ chat: 'equipo', topic: '7' }, 'ana', '@dale sí')
    await channel.says('equipo', 'ana', 'sí')
    expect(received).toMatchObject([
      {
        conversation: { account: 'shop', chat: 'equipo', topic: '7' },
        group: true,
        addressed: true,
        body: { kind: 'text', text: 'sí' },
      },
      { conversation: { account: 'shop', chat: 'equipo' }, group: true, addressed: false, body: { kind: 'text', text: 'sí' } },
    ])
    expect(channel.transcript('equipo')).toHaveLength(1)
    expect(channel.transcript({ chat: 'equipo', topic: '7' })).toHaveLength(1)
  })

  it('hands in edits, forwards, reactions, voice notes and the owner as what they are', async () => {
    const { channel, received } = await aSimulator()
    const said = await channel.says('ana', 'ana', 'hola')
    await channel.edits('ana', 'ana', said.id, 'sí')
    await channel.reacts('ana', 'ana', said.id, '👍')
    await channel.forwards('ana', 'ana', 'sí')
    await channel.sends('ana', 'ana', 'voice', 'sí')
    await channel.ownerSays('ana', 'te llamo')
    expect(received.map((event) => (event.kind === 'message' ? event.body : event.kind))).toEqual([
      { kind: 'text', text: 'hola' },
      { kind: 'other', form: 'edited', text: 'sí' },
      { kind: 'other', form: 'reaction', text: '👍' },
      { kind: 'other', form: 'forwarded', text: 'sí' },
      { kind: 'other', form: 'voice', text: 'sí' },
      'said',
    ])
    expect(await channel.edits('ana', 'beto', said.id, 'no')).toBeUndefined()
  })

  it('delivers at the next start what was said while it was stopped', async () => {
    const channel = simulatorChannel({ account: 'shop', clock: { now: async () => 0 } })
    await channel.says('ana', 'ana', 'hola')
    const { promise, resolve } = Promise.withResolvers<readonly Normalized[]>()
    await channel.start(async (events) => resolve(events))
    expect(await promise).toMatchObject([{ kind: 'message', body: { text: 'hola' } }])
  })

  it('says that nothing was sent when its clock cannot be read', async () => {
    const channel = simulatorChannel({ account: 'shop', clock: { now: () => Promise.reject(new Error('the database is down')) } })
    await expect(channel.send(ana, { kind: 'text', text: 'hola' })).rejects.toMatchObject({
      name: 'ChannelError',
      code: 'clock',
      permanent: false,
      mayHaveHappened: false,
    })
    expect(channel.transcript('ana')).toEqual([])
  })

  it('does not start with a handle that nobody could mention', () => {
    expect(() => simulatorChannel({ account: 'shop', clock: { now: async () => 0 }, handle: 'dale bot' })).toThrow(
      /accounts\.shop\.handle/,
    )
  })
})
