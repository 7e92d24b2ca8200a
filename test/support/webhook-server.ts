import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { type LocalServer, listening } from './local-server.ts'

/** An event as it arrived and, where the signature holds, as `standardwebhooks` read it. */
export interface ArrivedEvent {
  readonly id: string
  // biome-ignore lint/suspicious/noExplicitAny: looked at by the tests.
  readonly event?: any
  readonly raw: string
}

/** The far side of webhooks: verifies each with the package of the specification, and answers 204 unless another status is planned. */
export interface WebhookServer extends LocalServer {
  readonly arrived: readonly ArrivedEvent[]
  next(...statuses: readonly number[]): void
}

export async function startWebhookServer(secret: string): Promise<WebhookServer> {
  const arrived: ArrivedEvent[] = []
  const planned: number[] = []
  const verifier = new Webhook(secret)
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const raw = Buffer.concat(chunks).toString('utf8')
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const id = headers['webhook-id'] ?? ''
    try {
      arrived.push({ id, raw, event: verifier.verify(raw, headers) })
    } catch {
      arrived.push({ id, raw })
    }
    response.writeHead(planned.shift() ?? 204, { location: '/elsewhere' }).end()
  })
  const local = await listening(server)
  return { ...local, url: `${local.url}/dale`, arrived, next: (...statuses) => planned.push(...statuses) }
}
