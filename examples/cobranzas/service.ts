/**
 * The far side of this example: a small collections service over HTTP, as a company has one. Run it by itself with
 * `node service.ts`; `PORT` (4801) and `LEDGER_FILE` (none: it forgets) say where it listens and what it keeps.
 */
import { once } from 'node:events'
import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { z } from 'zod'
import { type Entry, Ledger } from './ledger.ts'

/** The service while it listens. */
export interface Service extends AsyncDisposable {
  readonly url: string
  readonly ledger: Ledger
  /** From here on it keeps no process alive. */
  unref(): void
}

/** Where it listens and what it keeps. `today` is for whoever must know the day beforehand. */
export interface ServiceOptions {
  /** 0 takes any free one. */
  readonly port?: number
  readonly file?: string
  readonly today?: () => string
}

const pesos = z.string().regex(/^\d{1,9}(\.\d{1,2})?$/)
const bodies = {
  acuerdos: z.strictObject({ cliente: z.string(), cuotas: z.int().min(2).max(12), monto: pesos, vencimiento: z.iso.date() }),
  links: z.strictObject({ cliente: z.string(), monto: pesos, correo: z.email() }),
  condonaciones: z.strictObject({ cliente: z.string(), monto: pesos, motivo: z.string().min(1) }),
  vencimientos: z.strictObject({ cliente: z.string(), vencimiento: z.iso.date() }),
} as const
const kinds = { acuerdos: 'acuerdo', links: 'link', condonaciones: 'condonacion', vencimientos: 'vencimiento' } as const

/**
 * The service's addresses. Whatever changes something wants an `Idempotency-Key`: the same call with the same key is answered again and
 * done once. `GET /movimientos/:clave` says what became of a key; 404 is a proof that nothing did.
 */
export function serviceApp(ledger: Ledger): Hono {
  const app = new Hono()
  app.get('/clientes/:cliente', (c) => {
    const customer = ledger.customer(c.req.param('cliente'))
    return customer === undefined ? c.json({ error: 'sin_cliente' }, 404) : c.json(customer)
  })
  app.get('/movimientos', (c) => c.json(ledger.movements))
  app.get('/movimientos/:clave', (c) => {
    const movement = ledger.movement(c.req.param('clave'))
    return movement === undefined ? c.json({ error: 'sin_movimiento' }, 404) : c.json(movement)
  })
  for (const path of ['acuerdos', 'links', 'condonaciones', 'vencimientos'] as const)
    app.post(`/${path}`, async (c) => {
      const key = c.req.header('idempotency-key')
      if (key === undefined) return c.json({ error: 'sin_clave' }, 400)
      const body = bodies[path].safeParse(await c.req.json().catch(() => undefined))
      if (!body.success)
        return c.json({ error: 'mal_escrito', donde: body.error.issues.map((issue) => issue.path.join('.')) }, 400)
      const entered = ledger.enter(key, { tipo: kinds[path], ...body.data } as Entry)
      if (entered.kind === 'refused') return c.json({ error: entered.error, mensaje: entered.mensaje }, 422)
      return c.json(entered.movement, entered.kind === 'new' ? 201 : 200)
    })
  return app
}

/** Opens the service on this machine. Rejects when the port is taken. */
export async function openService({ port = 0, file, today = todayInBuenosAires }: ServiceOptions = {}): Promise<Service> {
  const ledger = new Ledger({ today, ...(file === undefined ? {} : { file }) })
  const server = createAdaptorServer({ fetch: serviceApp(ledger).fetch }) as Server
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : port}`,
    ledger,
    unref: () => void server.unref(),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

const todayInBuenosAires = (): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Argentina/Buenos_Aires' }).format(new Date())

if (import.meta.main) {
  const { PORT = '4801', LEDGER_FILE: file } = process.env
  const { url } = await openService({ port: Number(PORT), ...(file === undefined ? {} : { file }) })
  console.log(`Cobranzas: ${url}`)
}
