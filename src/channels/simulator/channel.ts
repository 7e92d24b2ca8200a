import type { Conversation } from '../../core/conversation.ts'
import { ChannelError, ConfigError } from '../../core/errors.ts'
import type { Accepted, Capabilities, Receive, Sending } from '../../ports/channel.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SimulatorChannel } from '../../ports/simulation.ts'
import { normalize } from './normalize.ts'
import { Provider } from './provider.ts'
import { fits, limits, partsOf, textLength } from './render.ts'

/** How a simulated account is set up. */
export interface SimulatorOptions {
  readonly account: string
  /** Stamps every message: the database's clock, so that one clock rules both sides. */
  readonly clock: Clock
  /** How groups address the account; without the `@`. */
  readonly handle?: string
  /** Ids of the chats that are groups; every other chat is one-to-one and is named by its person. */
  readonly groups?: readonly string[]
  /** What people are called, by their id; without a name they are called by the id. */
  readonly names?: Readonly<Record<string, string>>
  /** Ids of people who have several, with their prefix, by what they are called here: the provider tells the others beside the first. */
  readonly ids?: Readonly<Record<string, readonly [string, ...string[]]>>
  /** After how long an update that could not be stored is delivered again. */
  readonly againAfterMs?: number
  /** What differs from the usual, which can edit and answer a tap, reports nothing and has no window. */
  readonly can?: Partial<Pick<Capabilities, 'edits' | 'toasts' | 'reportsDelivery' | 'windowMs'>>
}

/** As on WhatsApp: what was sent stays as it is, a tap has no answer of its own, deliveries are reported, and after a day nothing may be said. */
export const likeWhatsApp: NonNullable<SimulatorOptions['can']> = {
  edits: false,
  toasts: false,
  reportsDelivery: true,
  windowMs: 24 * 60 * 60_000,
}

const usual: Capabilities = { controls: 'buttons', ...limits, textLength, edits: true, reportsDelivery: false, toasts: true }

/**
 * An account on a provider that lives in memory, with people's hands (`Simulation`) on its far side. It outlives stop and start,
 * as a provider does; it forgets everything with its process.
 */
export function simulatorChannel({
  account,
  clock,
  handle = 'dale',
  groups = [],
  names = {},
  ids = {},
  againAfterMs = 1000,
  can = {},
}: SimulatorOptions): SimulatorChannel {
  if (!/^\w+$/.test(handle))
    throw new ConfigError([{ path: `accounts.${account}.handle`, message: 'use letters, digits and _ only, as in @dale' }])
  const capabilities: Capabilities = { ...usual, ...can }
  const provider = new Provider({ account, clock, groups, names, ids, againAfterMs, reports: capabilities.reportsDelivery })
  const read = (payload: unknown) => normalize(payload, { account, handle })

  return Object.assign(provider, {
    kind: 'simulator',
    capabilities,
    normalize: read,
    async start(receive: Receive) {
      provider.delivery.start(async (update) => await receive(read(update)))
      return { [Symbol.asyncDispose]: async () => await provider.delivery.stop() }
    },
    fits,
    async send(to: Conversation, message: Parameters<SimulatorChannel['send']>[1], sending?: Sending): Promise<Accepted> {
      if (!fits(message)) throw refusal('too_long', 'does not fit into one message')
      if ('text' in message && message.text.trim() === '') throw refusal('empty', 'has no text')
      const { windowMs } = capabilities
      if (windowMs !== undefined && sending !== undefined) await guarded(() => withinWindow(sending, windowMs, clock))
      const place = provider.placeOf(to, sending?.addresses ?? [])
      if (place === undefined) throw refusal('nobody', 'has nobody to go to')
      const entries = await guarded(() => provider.accept(place, partsOf(message), sending?.ref))
      const last = entries.at(-1)
      return {
        messageIds: entries.map(({ id }) => id),
        ...(last === undefined ? {} : { moment: { atMs: last.atMs, order: last.order } }),
      }
    },
    async edit(to: Conversation, messageIds: readonly string[], card: Parameters<SimulatorChannel['edit']>[2]) {
      if (!capabilities.edits) return 'gone'
      return provider.replaceCard(provider.placeOf(to, []) ?? to, messageIds.at(-1) ?? '', card) === undefined ? 'gone' : 'edited'
    },
    async answerPress(pressId: string, text: string) {
      provider.answer(pressId, text)
    },
    async typing(to: Conversation) {
      provider.type(provider.placeOf(to, []) ?? to)
    },
    health: () => ({ state: provider.delivery.isRunning ? 'up' : 'down' }) as const,
  })
}

const refusal = (code: string, why: string, permanent = true) =>
  new ChannelError(`A message for the simulator ${why}.`, { channel: 'simulator', code, permanent })

async function withinWindow({ lastInboundAtMs }: Sending, windowMs: number, clock: Clock): Promise<void> {
  if (lastInboundAtMs === undefined || (await clock.now()) - lastInboundAtMs >= windowMs)
    throw refusal('window_closed', 'must wait until its person writes', false)
}

/** The only thing that can break in memory is the clock, which is the database's: nothing was taken then. */
async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof ChannelError) throw cause
    throw new ChannelError(
      'The simulated provider could not read its clock.',
      { channel: 'simulator', code: 'clock', permanent: false },
      { cause },
    )
  }
}
