import { setTimeout } from 'node:timers/promises'
import { type Conversation, conversationOf } from '../src/core/conversation.ts'
import { deliver } from '../src/gateway/deliver.ts'
import type { House } from '../src/gateway/house.ts'
import { ring } from '../src/gateway/ring.ts'
import type { Channel, Line } from '../src/ports/channel.ts'

/** How often a process looks for what waits for an account that it holds. What a lost bell costs is at most this. */
const lookEveryMs = 1000
const atMost = 200
/** While the queue is down: as many conversations at one time as a room has hands. */
const handsWithoutQueue = 10

/**
 * Sends for an account whose connection lives in one process at a time, whenever that is this one: works the account's own room from the
 * moment its line is held until it is lost. What waits is seen to at once and every second, queue or not, for nobody else may send it.
 * Disposing stops between two messages and waits for those being sent; then the line may be given up.
 */
export function workLine(house: House, account: string, line: NonNullable<Channel['line']>): AsyncDisposable {
  const stopping = new AbortController()
  const working = keepWorking(house, account, line, stopping.signal)
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await working
    },
  }
}

async function keepWorking(house: House, account: string, line: Line, signal: AbortSignal): Promise<void> {
  let changed = Promise.withResolvers<void>()
  line.onChange(() => changed.resolve())
  const pause = async (): Promise<void> => {
    const woken = new AbortController()
    const ended = AbortSignal.any([signal, woken.signal])
    const slept = setTimeout(lookEveryMs, undefined, { signal: ended, ref: false }).catch(() => undefined)
    await Promise.race([slept, changed.promise])
    woken.abort()
    changed = Promise.withResolvers()
  }
  while (!signal.aborted) {
    if (line.held()) await workWhileHeld(house, account, line, signal, pause)
    else await pause()
  }
}

async function workWhileHeld(
  house: House,
  account: string,
  line: Line,
  signal: AbortSignal,
  pause: () => Promise<void>,
): Promise<void> {
  const inHand = new Set<Promise<void>>()
  const send = (conversation: Conversation): void => {
    const sent = deliver(house, conversation, signal)
      .catch((error: unknown) => house.log.warn({ account, err: error }, 'line_not_served'))
      .finally(() => inHand.delete(sent))
    inHand.add(sent)
  }
  const look = async (): Promise<void> => {
    const isRung = house.bell.isUp()
    const due = await house.store.dueDeliveries(account, isRung ? atMost : handsWithoutQueue - inHand.size)
    if (isRung) await ring(house, { deliveries: due })
    else for (const conversation of due) send(conversation)
  }
  const shift = await house.bell.work(`deliveries:${account}`, (key) => deliver(house, conversationOf(key), signal))
  house.log.info({ account }, 'line_held')
  while (line.held() && !signal.aborted) {
    await look().catch((error: unknown) => house.log.warn({ account, err: error }, 'line_not_served'))
    await pause()
  }
  await shift[Symbol.asyncDispose]()
  await Promise.all(inHand)
  house.log.info({ account }, 'line_let_go')
}
