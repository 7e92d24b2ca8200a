import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { PushRequest } from '../ports/agent.ts'
import type { WebhookAnswer, WebhookRequest } from '../ports/channel.ts'
import type { Log } from '../ports/log.ts'

/** Whether traffic may come, and how each part is doing. */
export interface Readiness {
  readonly ok: boolean
  readonly parts: Readonly<Record<string, { readonly state: 'up' | 'down' | 'starting'; readonly detail?: string }>>
}

/** What an agent's delivery is answered. */
export interface PushAnswer {
  readonly status: 200 | 400 | 401 | 404 | 410 | 413 | 503
  readonly body: { readonly taken: boolean } | { readonly error: string }
}

/** What stands behind the gateway's addresses. */
export interface Behind {
  readonly log: Log
  readonly readiness: () => Promise<Readiness>
  /** Without it no webhook is taken; undefined where the account takes none. */
  readonly webhook?: (account: string, request: WebhookRequest) => Promise<WebhookAnswer | undefined>
  /** Where an agent says later what it has to say; undefined where the agent says all at once. */
  readonly push?: (token: string, request: PushRequest) => Promise<PushAnswer | undefined>
  readonly metrics: {
    up(part: string, isUp: boolean): void
    answered(account: string, result: 'taken' | 'refused' | 'failed', seconds: number): void
    text(): Promise<string>
    readonly contentType: string
  }
  /** Answers what comes under `/v1`. */
  readonly api?: (request: Request) => Response | Promise<Response>
  /** Answers `/mcp`. */
  readonly mcp?: (request: Request) => Response | Promise<Response>
  /** After this time what was asked about readiness counts as down (3 s). */
  readonly readyWithinMs?: number
}

/** WhatsApp's webhooks are the largest, up to 3 MB; what is larger is nobody's. */
export const maxBodyBytes = 3 * 1024 * 1024

/**
 * The gateway's own addresses: `/healthz` (the process lives), `/readyz` (database and queue can be used; channels are reported),
 * `/metrics` for Prometheus, and the providers' webhooks. Nothing here decides. What is meant for the world
 * authenticates itself: an account's webhooks on their raw bytes, an agent by the address it was given, a program (`/v1`, `/mcp`) by its key.
 */
export function gatewayApp({ log, readiness, webhook, push, api, mcp, metrics, readyWithinMs = 3000 }: Behind): Hono {
  const ready = shared(async () => {
    const told = await withinTime(readyWithinMs, readiness())
    for (const [part, { state }] of Object.entries(told.parts)) metrics.up(part, state === 'up')
    return told
  })

  const app = new Hono()
  app.get('/healthz', (c) => c.json({ ok: true }))
  app.get('/readyz', async (c) => {
    const told = await ready()
    return c.json(told, told.ok ? 200 : 503)
  })
  app.get('/metrics', async (c) => {
    await ready()
    return c.body(await metrics.text(), 200, { 'content-type': metrics.contentType })
  })
  if (webhook !== undefined) {
    const limit = bodyLimit({
      maxSize: maxBodyBytes,
      onError: (c) => {
        log.warn(
          { account: c.req.param('account') ?? '', bytes: c.req.header('content-length') ?? 'unknown' },
          'webhook_too_large',
        )
        return c.body(null, 413, { connection: 'close' })
      },
    })
    // A provider may be told an address with the channel's name in it, as Telegram is.
    // Meta asks by GET whether an address is ours; an account that knows no such question refuses it.
    for (const path of ['/webhooks/:account', '/webhooks/:channel/:account'])
      app.on(['GET', 'POST'], path, limit, async (c) => {
        const begun = performance.now()
        const account = c.req.param('account') ?? ''
        const response = await answerOf(c, account, webhook, log)
        const result = response.status < 300 ? 'taken' : response.status < 500 ? 'refused' : 'failed'
        // Whoever calls an address that is not there must not fill the registry with names.
        if (response.status !== 404) metrics.answered(account, result, (performance.now() - begun) / 1000)
        return response
      })
  }
  if (push !== undefined) {
    const limit = bodyLimit({ maxSize: maxBodyBytes, onError: (c) => c.json({ error: 'too large' }, 413) })
    app.post('/agent/turns/:token', limit, async (c) => {
      const request = { headers: c.req.header(), body: new Uint8Array(await c.req.arrayBuffer()) }
      const answer = await push(c.req.param('token'), request).catch((error: unknown): PushAnswer => {
        // Not taken, so the agent delivers it again.
        log.error({ err: error }, 'push_failed')
        return { status: 503, body: { error: 'Deliver it again.' } }
      })
      return answer === undefined ? c.json({ error: 'not_found' }, 404) : c.json(answer.body, answer.status)
    })
  }
  if (mcp !== undefined) app.all('/mcp', (c) => mcp(c.req.raw))
  if (api !== undefined) app.all('/v1/*', (c) => api(c.req.raw))
  app.notFound((c) => c.json({ error: 'not_found' }, 404))
  app.onError((error, c) => {
    log.error({ err: error }, 'request_failed')
    return c.json({ error: 'failed' }, 500)
  })
  return app
}

async function answerOf(c: Context, account: string, webhook: NonNullable<Behind['webhook']>, log: Log): Promise<Response> {
  const request: WebhookRequest = {
    method: c.req.method,
    headers: c.req.header(),
    query: c.req.query(),
    body: new Uint8Array(await c.req.arrayBuffer()),
  }
  try {
    const answer = await webhook(account, request)
    if (answer === undefined) return c.json({ error: 'not_found' }, 404)
    return new Response(answer.body ?? null, {
      status: answer.status,
      ...(answer.headers === undefined ? {} : { headers: answer.headers }),
    })
  } catch (error) {
    // Not acknowledged, so the provider delivers it again.
    log.error({ account, err: error }, 'webhook_failed')
    return c.body(null, 503, { 'retry-after': '1' })
  }
}

/** Many may ask at once; one look answers them all. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
}

const nobody: Readiness = { ok: false, parts: { database: { state: 'down', detail: 'does not answer' } } }

async function withinTime(ms: number, asked: Promise<Readiness>): Promise<Readiness> {
  const late = Promise.withResolvers<Readiness>()
  const timer = setTimeout(() => late.resolve(nobody), ms)
  try {
    return await Promise.race([asked, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
