import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { secureHeaders } from 'hono/secure-headers'
import { streamSSE } from 'hono/streaming'
import { z } from 'zod'
import type { Conversation } from '../../core/conversation.ts'
import type { ChatEvent, Simulation } from '../../ports/simulation.ts'
import type { Texts } from '../../ports/texts.ts'
import { bubbleOf } from './bubble.ts'
import { EventLog } from './event-log.ts'
import { phonesPage } from './page.ts'
import type { Phone } from './phone.ts'

/** What the page needs. `hosts` are the names under which it may be opened: loopback ones, for whoever opens it acts as the people on it. */
export interface PhonesOptions {
  readonly channels: readonly Simulation[]
  readonly chats: readonly Phone[]
  readonly texts: Pick<Texts, 'say'>
  readonly hosts?: readonly string[]
}

const loopback = ['localhost', '127.0.0.1', '[::1]']
const stillHereMs = 15_000

const assets = {
  'phones.css': 'text/css',
  'conversation.css': 'text/css',
  'card.css': 'text/css',
  'phones.js': 'text/javascript',
  'phone-view.js': 'text/javascript',
  'bubble-view.js': 'text/javascript',
} as const

const sayBody = z.strictObject({
  phone: z.int().nonnegative(),
  text: z.string().trim().min(1).max(4096),
  reply: z.string().min(1).optional(),
})
const pressBody = z.strictObject({ phone: z.int().nonnegative(), message: z.string().min(1), label: z.string().min(1) })

/**
 * The page with the phones, to be mounted at any path that ends in `/`: `GET /` shows it, `GET /events` tells it what happens, and
 * `POST /say` and `POST /press` are the hands of the people on it. Bind it to loopback only: it has no log-in.
 */
export function phonesRoutes({ channels, chats, texts: { say }, hosts = loopback }: PhonesOptions): Hono {
  const phones = chats.map((phone) => ({ ...phone, simulation: simulationOf(phone, channels) }))
  const log = new EventLog(1000)
  for (const simulation of new Set(phones.map((phone) => phone.simulation))) simulation.on((event) => tell(simulation, event))

  function tell(simulation: Simulation, event: ChatEvent): void {
    for (const [phone, viewer] of phones.entries()) {
      if (viewer.simulation === simulation && isAt(event.conversation, viewer)) tellPhone(phone, viewer, event)
    }
  }

  function tellPhone(phone: number, viewer: (typeof phones)[number], event: ChatEvent) {
    switch (event.kind) {
      case 'message':
      case 'edit':
        return log.add(event.kind, { phone, bubble: bubbleOf(event.entry, viewer, say, viewer.simulation.transcript(viewer)) })
      case 'deleted':
        return log.add('deleted', { phone, message: event.messageId })
      case 'answer':
        if (event.person === viewer.person) log.add('answer', { phone, message: event.messageId, text: event.text })
        return
      case 'typing':
        return log.add('typing', { phone })
    }
  }

  const snapshot = () => ({
    phones: phones.map((viewer) => {
      const standing = viewer.simulation.transcript(viewer)
      return standing.map((entry) => bubbleOf(entry, viewer, say, standing))
    }),
  })

  // A foreign page whose name was made to point here (DNS rebinding) comes with its own name.
  const underKnownHost: MiddlewareHandler = async (c, next) =>
    hosts.includes(new URL(c.req.url).hostname) ? await next() : c.json({ error: 'unknown_host' }, 421)

  const app = new Hono()
  // Path by path, so that nothing else in an application that mounts this is touched.
  for (const path of ['/', '/events', '/say', '/press', ...Object.keys(assets).map((name) => `/${name}`)])
    app.use(path, securely, underKnownHost)

  app.get('/', (c) => c.html(phonesPage(chats, say, c.req.path.replace(/\/?$/, '/'))))
  for (const [name, type] of Object.entries(assets)) {
    const content = readFileSync(new URL(name, import.meta.url), 'utf8')
    app.get(`/${name}`, (c) => c.body(content, 200, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache' }))
  }

  app.get('/events', (c) =>
    streamSSE(c, async (stream) => {
      const gone = new AbortController()
      stream.onAbort(() => gone.abort())
      let cursor = c.req.header('last-event-id') ?? ''
      while (!stream.aborted) {
        const changed = log.changed()
        const missed = log.after(cursor) ?? [{ id: log.last, event: 'snapshot', data: JSON.stringify(snapshot()) }]
        for (const told of missed) await stream.writeSSE(told)
        cursor = missed.at(-1)?.id ?? cursor
        // Without a word for long, proxies and phones take a connection for dead.
        if (missed.length === 0 && (await isQuiet(changed, gone.signal))) await stream.write(': still here\n\n')
      }
    }),
  )

  app.post('/say', fromThisPage, small, async (c) => {
    const body = await read(c, sayBody)
    if (body === undefined) return c.json({ error: 'malformed' }, 400)
    const viewer = phones[body.phone]
    if (viewer === undefined) return c.json({ error: 'no_such_phone' }, 404)
    await viewer.simulation.says(viewer, viewer.person, body.text, body.reply === undefined ? {} : { reply: body.reply })
    return c.body(null, 204)
  })

  app.post('/press', fromThisPage, small, async (c) => {
    const body = await read(c, pressBody)
    if (body === undefined) return c.json({ error: 'malformed' }, 400)
    const viewer = phones[body.phone]
    if (viewer === undefined) return c.json({ error: 'no_such_phone' }, 404)
    const pressed = await viewer.simulation.presses(viewer, viewer.person, body.message, body.label)
    return pressed.kind === 'pressed' ? c.body(null, 204) : c.json({ error: 'no_control' }, 409)
  })

  return app
}

const small = bodyLimit({ maxSize: 64 * 1024 })

/** This is a person's hand: no other page may move it. */
const fromThisPage: MiddlewareHandler = async (c, next) =>
  c.req.header('origin') === new URL(c.req.url).origin ? await next() : c.json({ error: 'other_origin' }, 403)

const securely = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    connectSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
  },
  referrerPolicy: 'no-referrer',
  strictTransportSecurity: false,
})

function simulationOf({ account }: Phone, channels: readonly Simulation[]): Simulation {
  const simulation = channels.find((channel) => account === undefined || channel.account === account)
  if (simulation === undefined) throw new TypeError(`There is no simulated account ${account ?? ''} for a phone.`)
  return simulation
}

/** False once something changed or the reader is gone, true when neither happened for a while. */
async function isQuiet(changed: Promise<void>, gone: AbortSignal): Promise<boolean> {
  const over = new AbortController()
  const still = setTimeout(stillHereMs, true, { signal: AbortSignal.any([gone, over.signal]), ref: false }).catch(() => false)
  const quiet = await Promise.race([changed.then(() => false), still])
  over.abort()
  return quiet
}

const isAt = ({ chat, topic }: Conversation, phone: Phone): boolean => chat === phone.chat && topic === phone.topic

async function read<T>(c: Context, schema: z.ZodType<T>): Promise<T | undefined> {
  if (!c.req.header('content-type')?.startsWith('application/json')) return undefined
  const body: unknown = await c.req.json().catch(() => undefined)
  return schema.safeParse(body).data
}
