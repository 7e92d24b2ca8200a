import { once } from 'node:events'
import { type Leases, takeLease } from '../../src/channels/connection/lease.ts'
import { wait } from '../../src/channels/connection/wait.ts'
import { ChannelError } from '../../src/core/errors.ts'
import type { Channel, Line } from '../../src/ports/channel.ts'
import type { Log } from '../../src/ports/log.ts'

/** Whose line it is to be, and where it is kept. Times by the database's clock, which tests move. */
export interface LinedOptions {
  readonly leases: Leases
  readonly owner: string
  readonly log: Log
  readonly ttlMs: number
}

/** How often a process that does not hold the line asks for it. */
const askEveryMs = 50

/**
 * A channel whose connection lives in one process at a time, as a WhatsApp socket does: receives and sends only while this process holds the
 * account's lease, and refuses to send otherwise.
 */
export function linedChannel(inner: Channel, { leases, owner, log, ttlMs }: LinedOptions): Channel & { readonly line: Line } {
  const listeners: (() => void)[] = []
  let lost: AbortSignal | undefined
  const held = (): boolean => lost?.aborted === false
  const changed = (): void => {
    for (const listener of listeners) listener()
  }
  const holdingOnly = (): void => {
    if (held()) return
    throw new ChannelError('another process holds this line', {
      channel: inner.kind,
      code: 'line_lost',
      permanent: false,
      mayHaveHappened: false,
    })
  }
  return {
    ...inner,
    line: { held, onChange: (listener) => void listeners.push(listener) },
    async start(receive) {
      const stopping = new AbortController()
      const running = (async () => {
        while (!stopping.signal.aborted) {
          const term = await takeLease({ leases, name: `line:${inner.account}`, owner, ttlMs }, log)
          if (term === undefined) {
            await wait(askEveryMs, stopping.signal)
            continue
          }
          await using _term = term
          await using _receiving = await inner.start(receive)
          lost = term.lost
          changed()
          const ended = AbortSignal.any([stopping.signal, term.lost])
          if (!ended.aborted) await once(ended, 'abort')
          lost = undefined
          changed()
        }
      })()
      return {
        async [Symbol.asyncDispose]() {
          stopping.abort()
          await running
        },
      }
    },
    async send(to, message, sending) {
      holdingOnly()
      return await inner.send(to, message, sending)
    },
    async edit(to, messageIds, card) {
      holdingOnly()
      return await inner.edit(to, messageIds, card)
    },
    async answerPress(pressId, text) {
      holdingOnly()
      await inner.answerPress(pressId, text)
    },
  }
}
