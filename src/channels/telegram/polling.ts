import type { Api } from 'grammy'
import type { Normalized } from '../../core/inbound.ts'
import type { Receive } from '../../ports/channel.ts'
import type { Log } from '../../ports/log.ts'
import { type LeaseClaim, takeLease } from '../connection/lease.ts'
import { backoffOf, nameOf, wait } from '../connection/wait.ts'
import { channelErrorOf } from './errors.ts'
import { wantedUpdates } from './updates.ts'

/** What an operator is told about the connection. */
export interface Health {
  readonly state: 'up' | 'down' | 'starting'
  readonly detail?: string
}

/** What long polling needs; `signal` ends it. Without a `claim` this process is taken to be the only one. */
export interface Polling {
  readonly api: Api
  readonly account: string
  readonly normalize: (update: unknown) => readonly Normalized[]
  readonly receive: Receive
  readonly claim: LeaseClaim | undefined
  readonly report: (health: Health) => void
  readonly log: Log
  readonly signal: AbortSignal
  readonly pollSeconds: number
  readonly backoffMs: number
}

/**
 * Polls until `signal` aborts, in at most one process per bot: Telegram ends the older of two polls with 409. Resolves when the poll
 * in hand is done with.
 *
 * grammY's own `bot.start` asks for the next updates with an offset that confirms the last ones even when their handler failed; here
 * an update is confirmed only after it was stored, so that a database that is down loses nothing.
 */
export async function poll(polling: Polling): Promise<void> {
  const { claim, signal, report, log, account, backoffMs } = polling
  while (!signal.aborted) {
    if (claim === undefined) {
      await pollAsHolder(polling, signal)
      continue
    }
    try {
      const term = await takeLease(claim, log)
      if (term === undefined) {
        report({ state: 'starting', detail: 'another process polls this bot, or did until a moment ago' })
        await wait(claim.ttlMs / 3, signal)
        continue
      }
      await using held = term
      await pollAsHolder(polling, AbortSignal.any([signal, held.lost]))
      if (held.lost.aborted) log.warn({ account }, 'telegram_poller_stepped_down')
    } catch (error) {
      report({ state: 'down', detail: 'the lease cannot be asked for' })
      log.warn({ account, error: nameOf(error) }, 'telegram_poller_without_lease')
      await wait(backoffMs, signal)
    }
  }
}

/** A poll that is held open is answered later than this, unless there is something to tell. */
const hastyMs = 500

/** grammY's types want the signal of an npm package; its code asks for no more than `addEventListener`, which the platform's has. */
const asGrammys = (signal: AbortSignal) => signal as unknown as NonNullable<Parameters<Api['getMe']>[0]>

async function pollAsHolder(
  { api, account, normalize, receive, report, log, pollSeconds, backoffMs }: Polling,
  signal: AbortSignal,
): Promise<void> {
  let offset: number | undefined
  let failures = 0
  let isClear = false
  const failed = async (trouble: { readonly code: string; readonly retryAfterMs?: number; readonly error?: string }) => {
    const { code, retryAfterMs, error } = trouble
    failures += 1
    report({ state: 'down', detail: code })
    log.warn({ account, code, failures, ...(error === undefined ? {} : { error }) }, 'telegram_poll_failed')
    await wait(retryAfterMs ?? backoffOf(failures, backoffMs), signal)
  }
  while (!signal.aborted) {
    try {
      // A webhook that is set refuses every poll; what waits behind it is kept.
      if (!isClear) {
        await api.deleteWebhook({ drop_pending_updates: false }, asGrammys(signal))
        isClear = true
        report({ state: 'up' })
      }
      // After trouble the first poll returns at once, so that `health` recovers with the connection and not half a minute later.
      const timeout = failures === 0 ? pollSeconds : 0
      const asked = performance.now()
      const updates = await api.getUpdates(
        { ...(offset === undefined ? {} : { offset }), limit: 100, timeout, allowed_updates: wantedUpdates },
        asGrammys(signal),
      )
      if (signal.aborted) return
      if (updates.length > 0) {
        const events = updates.flatMap((update) => normalize(update))
        try {
          await receive(events)
        } catch (error) {
          await failed({ code: 'store', error: nameOf(error) })
          continue
        }
        // Only now: the next poll's offset is what confirms these to Telegram.
        offset = Math.max(...updates.map(({ update_id: id }) => id)) + 1
      }
      failures = 0
      report({ state: 'up' })
      // Nothing, and at once: a server that does not hold polls, or something in between, is not asked as fast as it answers.
      if (updates.length === 0 && timeout > 0 && performance.now() - asked < hastyMs) await wait(backoffMs, signal)
    } catch (error) {
      if (signal.aborted) return
      const { code, retryAfterMs } = channelErrorOf('getUpdates', error)
      await failed({ code, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
    }
  }
}
