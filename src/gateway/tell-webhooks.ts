import type { Told, WebhookDelivery, WebhookSender, WebhookTarget } from '../ports/webhooks.ts'
import { eventOf } from './event-of.ts'
import type { House } from './house.ts'

/** Longer than a sending may take: a process that died is known by it. */
const leaseMs = 60_000
/** After these waits it is given up, about three days after the first try; `dale webhooks replay` tells it again. */
const waitsMs: readonly number[] = [5, 30, 120, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600, 24 * 3600].map(
  (seconds) => seconds * 1000,
)

/**
 * Tells the configured addresses what has happened to proposals, at least once and each event under the same id: of one proposal in its
 * order, of different ones not. An address that is slow or away keeps no other waiting. Resolves once nothing is due; throws only when the
 * store is down.
 */
export async function tellWebhooks(
  house: House,
  targets: readonly WebhookTarget[],
  sender: WebhookSender,
  signal: AbortSignal,
): Promise<void> {
  if (targets.length === 0) return
  await house.store.noteWebhooks(house.tenant, targets)
  await Promise.all(targets.map(({ url }) => tellOne(house, url, sender, signal)))
}

async function tellOne(house: House, url: string, sender: WebhookSender, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const delivery = await house.store.nextWebhook(url, leaseMs)
    if (delivery === undefined) return
    const event = eventOf(delivery)
    const { status, why } = await sender.send(url, event.id, JSON.stringify(event))
    const told = toldBy(delivery, status)
    house.count('webhook', { type: delivery.type, end: told.kind })
    const about = {
      proposal: delivery.proposal.id,
      what: event.id,
      address: new URL(url).host,
      attempt: delivery.attempts + 1,
      ...(status === undefined ? {} : { code: status }),
      ...(why === undefined ? {} : { reason: why }),
    }
    if (told.kind === 'told') house.log.info(about, 'webhook_told')
    else house.log.warn(about, `webhook_${told.kind}`)
    await house.store.endWebhook(delivery, told)
  }
}

/** 2xx ends it, 410 says that nobody is there any more, and anything else is tried again. */
function toldBy({ attempts }: WebhookDelivery, status: number | undefined): Told {
  const answered = status === undefined ? {} : { status }
  if (status !== undefined && status >= 200 && status < 300) return { kind: 'told', status }
  if (status === 410) return { kind: 'gone', status }
  const waitMs = waitsMs[attempts]
  return waitMs === undefined ? { kind: 'given_up', ...answered } : { kind: 'again', inMs: waitMs, ...answered }
}
