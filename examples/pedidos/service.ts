/**
 * The far side of this example: a shop's order service over HTTP. Run it by itself with `node service.ts`; `PORT` (4802) and
 * `LEDGER_FILE` (none: it forgets) say where it listens and what it keeps.
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

const text = z.string().min(1).max(200)
const bodies = {
  reembolsos: z.strictObject({ valor: z.string().regex(/^\d{1,9}(\.\d{1,2})?$/), motivo: text }),
  cancelamentos: z.strictObject({ motivo: text }),
  enderecos: z.strictObject({ endereco: text }),
  reenvios: z.strictObject({ motivo: text }),
} as const
const kinds = { reembolsos: 'reembolso', cancelamentos: 'cancelamento', enderecos: 'endereco', reenvios: 'reenvio' } as const

/**
 * The service's addresses. Whatever changes something wants an `Idempotency-Key`: the same call with the same key is answered again and
 * done once. `GET /movimentos/:chave` says what became of a key; 404 is a proof that nothing did.
 */
export function serviceApp(ledger: Ledger): Hono {
  const app = new Hono()
  app.get('/pedidos/:pedido', (c) => {
    const order = ledger.order(c.req.param('pedido'))
    return order === undefined ? c.json({ erro: 'sem_pedido' }, 404) : c.json(order)
  })
  app.get('/movimentos', (c) => c.json(ledger.movements))
  app.get('/movimentos/:chave', (c) => {
    const movement = ledger.movement(c.req.param('chave'))
    return movement === undefined ? c.json({ erro: 'sem_movimento' }, 404) : c.json(movement)
  })
  for (const path of ['reembolsos', 'cancelamentos', 'enderecos', 'reenvios'] as const)
    app.post(`/pedidos/:pedido/${path}`, async (c) => {
      const key = c.req.header('idempotency-key')
      if (key === undefined) return c.json({ erro: 'sem_chave' }, 400)
      const body = bodies[path].safeParse(await c.req.json().catch(() => undefined))
      if (!body.success) return c.json({ erro: 'mal_escrito', onde: body.error.issues.map((issue) => issue.path.join('.')) }, 400)
      const entered = ledger.enter(key, { tipo: kinds[path], pedido: c.req.param('pedido'), ...body.data } as Entry)
      if (entered.kind === 'refused') return c.json({ erro: entered.erro, mensagem: entered.mensagem }, 422)
      return c.json(entered.movement, entered.kind === 'new' ? 201 : 200)
    })
  return app
}

/** Opens the service on this machine; port 0 takes any free one. Rejects when the port is taken. */
export async function openService({ port = 0, file }: { readonly port?: number; readonly file?: string } = {}): Promise<Service> {
  const ledger = new Ledger(file)
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

if (import.meta.main) {
  const { PORT = '4802', LEDGER_FILE: file } = process.env
  const { url } = await openService({ port: Number(PORT), ...(file === undefined ? {} : { file }) })
  console.log(`Pedidos: ${url}`)
}
