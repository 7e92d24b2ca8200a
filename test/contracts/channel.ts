import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Card } from '../../src/core/card.ts'
import type { Conversation } from '../../src/core/conversation.ts'
import { ChannelError } from '../../src/core/errors.ts'
import type { InboundMessage, InboundPress, Normalized } from '../../src/core/inbound.ts'
import type { Channel, Receive } from '../../src/ports/channel.ts'

/** A message from the account as it stands in front of the person now. */
export interface Seen {
  readonly id: string
  readonly text: string
  readonly controls: readonly string[]
}

/** What the provider does to the account's next sending: refuses it for now, for good, or takes it and loses the answer. */
export type Fault = 'rate_limited' | 'blocked' | 'lost_answer'

/** One open channel with its far side: the provider, and one person in front of a one-to-one chat. */
export interface FarSide extends AsyncDisposable {
  readonly channel: Channel
  /** The one-to-one conversation of the person with the account. */
  readonly conversation: Conversation
  /** The person's identity, as `sender.id` names it. */
  readonly person: string
  /** The person writes; resolves to the provider's message id once the provider has taken it, delivered or not. */
  says(text: string, about?: { readonly replyTo?: string }): Promise<string>
  /** Everything that the account sent and that still stands, oldest first. */
  sees(): readonly Seen[]
  /** The person taps a control that stands there now; rejects when there is none with this label. Absent without native controls. */
  readonly taps?: (messageId: string, label: string) => Promise<void>
  /** The provider delivers everything of the person once more. */
  readonly redelivers?: () => Promise<void>
  /** The message disappears, so that it can no longer be edited. */
  readonly deletes?: (messageId: string) => Promise<void>
  /** The next sending meets this fault. */
  readonly faults?: (fault: Fault) => void
}

/** A channel under test. `open` gets the `receive` that webhooks call; the suite itself hands the same one to `start`. */
export interface ChannelContract {
  readonly name: string
  readonly open: (receive: Receive) => Promise<FarSide>
  /** What this channel has, so that a case that cannot apply is not written at all. */
  readonly has: { readonly taps: boolean; readonly redelivers: boolean; readonly deletes: boolean; readonly faults: boolean }
}

/** A `receive` that keeps what it was handed, and can be a store that is down. */
function inbox() {
  const events: Normalized[] = []
  let refusals = 0
  let refused = 0
  let wake: () => void = () => {}
  const receive: Receive = async (batch) => {
    if (refusals > 0 && batch.length > 0) {
      refusals -= 1
      refused += 1
      wake()
      throw new Error('the store is down')
    }
    events.push(...batch)
    wake()
  }
  const until = async (isThere: () => boolean): Promise<void> => {
    while (!isThere()) await new Promise<void>((resolve) => (wake = resolve))
  }
  return { events, receive, until, refuse: (times: number) => (refusals = times), refused: () => refused }
}

const messagesIn = (events: readonly Normalized[]) => events.filter((event) => event.kind === 'message')
const pressesIn = (events: readonly Normalized[]) => events.filter((event) => event.kind === 'press')
/** Where people have several ids, a one-to-one event says whose chat it is: its sender's. */
const withoutPeer = <E extends InboundMessage | InboundPress>({ peer, ...event }: E): Omit<E, 'peer'> => {
  const { id, also } = event.sender
  if (peer !== undefined) expect(peer).toEqual({ id, also })
  return event
}

/** A card with two key fields, a line for the words and, unless it is settled, two controls. */
export const aCard = ({ settled = false, monto = '$ 184.000,00 ARS' } = {}): Card => ({
  code: 'K7Q2',
  severity: 'normal',
  lines: [
    { part: 'summary', text: 'Plan de 3 cuotas para Ana Gómez (cliente 42)' },
    { part: 'field', label: 'Cliente', text: '42' },
    { part: 'field', label: 'Monto', text: monto, unusual: true },
    settled
      ? { part: 'state', text: 'Confirmado por Ana.' }
      : { part: 'words', text: 'Para confirmar escribí: sí, confirmo. Para cancelar: no.' },
  ],
  controls: settled
    ? []
    : [
        { label: 'Confirmar', payload: 'd1.k3J9xQ2mVt7Lp0aZ.a', style: 'success' },
        { label: 'Cancelar', payload: 'd1.k3J9xQ2mVt7Lp0aZ.r', style: 'danger' },
      ],
})

/** Everything that `src/ports/channel.ts` promises, checked against a channel and its far side. */
export function channelContract(contract: ChannelContract): void {
  describe(`${contract.name} keeps the contract of a channel`, () => {
    let kept: ReturnType<typeof inbox>
    let far: FarSide
    let running: AsyncDisposable | undefined
    const start = async () => {
      running = await far.channel.start(kept.receive)
    }

    beforeEach(async () => {
      kept = inbox()
      far = await contract.open(kept.receive)
    })
    afterEach(async () => {
      await running?.[Symbol.asyncDispose]()
      running = undefined
      await far[Symbol.asyncDispose]()
    })

    it('hands in what a person wrote, once, with who, where, when and the id that later replies name', async () => {
      await start()
      const id = await far.says('¿Cuánto debo?')
      await kept.until(() => messagesIn(kept.events).length > 0)
      expect(messagesIn(kept.events).map(withoutPeer)).toEqual([
        {
          kind: 'message',
          conversation: far.conversation,
          providerId: expect.any(String),
          sender: expect.objectContaining({ id: far.person }),
          messageId: id,
          moment: expect.objectContaining({ atMs: expect.any(Number) }),
          group: false,
          addressed: true,
          reply: { kind: 'none' },
          body: { kind: 'text', text: '¿Cuánto debo?' },
        },
      ])
      expect(far.conversation.account).toBe(far.channel.account)
    })

    it('is up once it has started, and hands in nothing after it was stopped', async () => {
      await start()
      expect(far.channel.health().state).toBe('up')
      await far.says('uno')
      await kept.until(() => messagesIn(kept.events).length === 1)
      await running?.[Symbol.asyncDispose]()
      running = undefined
      await far.says('dos')
      expect(messagesIn(kept.events)).toHaveLength(1)
    })

    it('keeps the order in which a person wrote', async () => {
      await start()
      for (const text of ['a', 'b', 'c']) await far.says(text)
      await kept.until(() => messagesIn(kept.events).length >= 3)
      expect(messagesIn(kept.events).map(({ body }) => body.text)).toEqual(['a', 'b', 'c'])
    })

    it('names the message that a reply answers', async () => {
      await start()
      const { messageIds } = await far.channel.send(far.conversation, { kind: 'card', card: aCard() })
      const replyTo = messageIds.at(-1) ?? ''
      await far.says('sí', { replyTo })
      await kept.until(() => messagesIn(kept.events).length > 0)
      expect(messagesIn(kept.events)[0]?.reply).toEqual({ kind: 'message', id: replyTo })
    })

    it('shows a text exactly as it is, mark-up characters and all', async () => {
      const text = 'Listo: pedido #12 (2.5 kg) - total = *$1.250,00*! _a_ [b](c) <b>d</b> `e` ~f~ > g'
      const { messageIds } = await far.channel.send(far.conversation, { kind: 'text', text })
      expect(far.sees().map(({ id, text: shown }) => ({ id, text: shown }))).toEqual([{ id: messageIds[0], text }])
    })

    it('sends a long text in parts that lose no word', async () => {
      const words = Array.from(
        { length: Math.ceil((far.channel.capabilities.textLength * 2.2) / 8) },
        (_, index) => `palabra${index}`,
      )
      const { messageIds } = await far.channel.send(far.conversation, { kind: 'text', text: words.join(' ') })
      const seen = far.sees()
      expect(seen.map(({ id }) => id)).toEqual(messageIds)
      expect(messageIds.length).toBeGreaterThan(1)
      for (const { text } of seen) expect(text.length).toBeLessThanOrEqual(far.channel.capabilities.textLength)
      expect(seen.flatMap(({ text }) => text.split(/\s+/))).toEqual(words)
    })

    it('shows a card with every key field whole, and its controls on the last part', async () => {
      const { messageIds } = await far.channel.send(far.conversation, { kind: 'card', card: aCard() })
      const last = far.sees().at(-1)
      expect(last?.id).toBe(messageIds.at(-1))
      for (const part of ['Plan de 3 cuotas para Ana Gómez (cliente 42)', 'Cliente', '42', 'Monto', '$ 184.000,00 ARS'])
        expect(last?.text).toContain(part)
      expect(far.sees().flatMap(({ controls }) => controls)).toEqual(contract.has.taps ? ['Confirmar', 'Cancelar'] : [])
      expect(last?.controls).toEqual(contract.has.taps ? ['Confirmar', 'Cancelar'] : [])
    })

    it('refuses to call a card fit whose key fields would be cut', () => {
      expect(far.channel.fits({ kind: 'card', card: aCard() })).toBe(true)
      expect(
        far.channel.fits({ kind: 'card', card: aCard({ monto: '9'.repeat(far.channel.capabilities.textLength + 1) }) }),
      ).toBe(false)
    })

    it('replaces a card by what it is now, or says that it cannot; both may be asked twice', async () => {
      const { messageIds } = await far.channel.send(far.conversation, { kind: 'card', card: aCard() })
      const settled = aCard({ settled: true })
      const first = await far.channel.edit(far.conversation, messageIds, settled)
      expect(first).toBe(far.channel.capabilities.edits ? 'edited' : 'gone')
      expect(await far.channel.edit(far.conversation, messageIds, settled)).toBe(first)
      if (first === 'edited')
        expect(far.sees().at(-1)).toMatchObject({
          id: messageIds.at(-1),
          text: expect.stringContaining('Confirmado por Ana.'),
          controls: [],
        })
    })

    it('ends the spinner of a tap that is too old, or unknown, without an error', async () => {
      await expect(far.channel.answerPress('never-was', 'Ya está.')).resolves.toBeUndefined()
    })

    it('reads any payload without throwing, and gives a reason for what it leaves out', () => {
      fc.assert(
        fc.property(fc.anything(), (payload) => {
          for (const event of far.channel.normalize(payload))
            if (event.kind === 'ignored') expect(event.reason).toMatch(/^[a-z_]+$/)
        }),
      )
    })

    if (contract.has.taps) {
      it('hands in a tap with the payload of its control and the message that carries it', async () => {
        await start()
        const { messageIds } = await far.channel.send(far.conversation, { kind: 'card', card: aCard() })
        const messageId = messageIds.at(-1) ?? ''
        await far.taps?.(messageId, 'Confirmar')
        await kept.until(() => pressesIn(kept.events).length > 0)
        const [press] = pressesIn(kept.events)
        // A tap has a time where the provider tells it.
        if (press?.moment !== undefined) expect(press.moment).toEqual(expect.objectContaining({ atMs: expect.any(Number) }))
        expect(pressesIn(kept.events).map(withoutPeer)).toEqual([
          {
            kind: 'press',
            conversation: far.conversation,
            providerId: expect.any(String),
            sender: expect.objectContaining({ id: far.person }),
            pressId: expect.any(String),
            payload: 'd1.k3J9xQ2mVt7Lp0aZ.a',
            messageId,
            group: false,
            ...(press?.moment === undefined ? {} : { moment: press.moment }),
          },
        ])
        await far.channel.answerPress(pressesIn(kept.events)[0]?.pressId ?? '', 'Recibido.')
      })
    }

    if (contract.has.redelivers) {
      it('hands in again what could not be stored, with the same id', async () => {
        kept.refuse(1)
        await start()
        await far.says('sí')
        await kept.until(() => kept.refused() === 1)
        await kept.until(() => messagesIn(kept.events).length > 0)
        expect(messagesIn(kept.events).map(({ body }) => body.text)).toEqual(['sí'])
      })

      it('gives one event one id, however often the provider delivers it', async () => {
        await start()
        await far.says('sí')
        await kept.until(() => messagesIn(kept.events).length === 1)
        await far.redelivers?.()
        await kept.until(() => messagesIn(kept.events).length === 2)
        expect(messagesIn(kept.events)[1]).toEqual(messagesIn(kept.events)[0])
      })
    }

    if (contract.has.deletes) {
      it('calls a card gone that was deleted', async () => {
        const { messageIds } = await far.channel.send(far.conversation, { kind: 'card', card: aCard() })
        await far.deletes?.(messageIds.at(-1) ?? '')
        expect(await far.channel.edit(far.conversation, messageIds, aCard({ settled: true }))).toBe('gone')
      })
    }

    if (contract.has.faults) {
      const failing = async (fault: Fault): Promise<unknown> => {
        far.faults?.(fault)
        return await far.channel.send(far.conversation, { kind: 'text', text: 'hola' }).catch((error: unknown) => error)
      }

      it('passes on how long the provider wants to be left alone, and that nothing was sent', async () => {
        const error = await failing('rate_limited')
        expect(error).toBeInstanceOf(ChannelError)
        expect(error).toMatchObject({ permanent: false, mayHaveHappened: false, retryAfterMs: expect.any(Number) })
        expect(far.sees()).toEqual([])
      })

      it('calls a refusal for good permanent', async () => {
        const error = await failing('blocked')
        expect(error).toBeInstanceOf(ChannelError)
        expect(error).toMatchObject({ permanent: true, mayHaveHappened: false, code: expect.stringMatching(/^[a-z_0-9]+$/) })
        expect(far.sees()).toEqual([])
      })

      it('sends once and says that it may have arrived when the answer is lost', async () => {
        const error = await failing('lost_answer')
        expect(error).toBeInstanceOf(ChannelError)
        expect(error).toMatchObject({ permanent: false, mayHaveHappened: true })
        expect(far.sees()).toHaveLength(1)
      })
    }
  })
}
