import { setTimeout } from 'node:timers/promises'
import type { House } from '../src/gateway/house.ts'
import { tellWebhooks } from '../src/gateway/tell-webhooks.ts'
import type { WebhookSender, WebhookTarget } from '../src/ports/webhooks.ts'

/** How soon after it happened an event is told. */
const lookEveryMs = 1000

/** Tells webhooks what happened until disposed, in any number of processes; what is being sent is waited for. */
export function workWebhooks(house: House, targets: readonly WebhookTarget[], sender: WebhookSender): AsyncDisposable {
  const stopping = new AbortController()
  const telling = keepTelling(house, targets, sender, stopping.signal)
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await telling
    },
  }
}

async function keepTelling(
  house: House,
  targets: readonly WebhookTarget[],
  sender: WebhookSender,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await tellWebhooks(house, targets, sender, signal)
    } catch (error) {
      house.log.warn({ err: error }, 'webhooks_not_told')
    }
    await setTimeout(lookEveryMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
