import type { Normalized } from '../../core/inbound.ts'
import type { Receive, WebhookAnswer } from '../../ports/channel.ts'
import type { Log } from '../../ports/log.ts'
import { nameOf } from './wait.ts'

/** `undefined` when the bytes are not JSON. */
function jsonOf(body: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) }
  } catch {
    return undefined
  }
}

/**
 * Takes in a body that was authenticated: 400 when it is not JSON, 200 once what it holds is stored (also when that is nothing), and 503
 * when it could not be, whereupon the provider delivers it again. `failed` is the event under which that is logged.
 */
export async function takeBody(
  body: Uint8Array,
  account: {
    readonly name: string
    readonly normalize: (payload: unknown) => readonly Normalized[]
    readonly receive: Receive
    readonly log: Log
  },
  failed: string,
): Promise<WebhookAnswer> {
  const json = jsonOf(body)
  if (json === undefined) return { status: 400 }
  try {
    await account.receive(account.normalize(json.value))
    return { status: 200 }
  } catch (error) {
    account.log.warn({ account: account.name, error: nameOf(error) }, failed)
    return { status: 503, headers: { 'retry-after': '1' } }
  }
}
