import { z } from 'zod'

const order = z.object({
  pedido: z.string(),
  cliente: z.string(),
  nome: z.string(),
  itens: z.string(),
  total: z.string(),
  reembolsado: z.string(),
  estado: z.enum(['em preparo', 'enviado', 'entregue', 'cancelado']),
  endereco: z.string(),
})

/** An order, as far as this side needs to know it. */
export type Order = z.output<typeof order>

/** Asks the service for an order; undefined where there is none. Throws when it does not answer, or answers something else. */
export async function orderAt(service: string, id: string, signal: AbortSignal): Promise<Order | undefined> {
  const answer = await fetch(`${service}/pedidos/${encodeURIComponent(id)}`, { signal })
  if (answer.status === 404) return undefined
  if (!answer.ok) throw new Error(`the service answered ${answer.status} when asked for an order`)
  return order.parse(await answer.json())
}

const movement = z.object({ chave: z.string(), numero: z.string() })

/** The number that the service gave to what was done, out of its answer. */
export const numberIn = (body: unknown): string => movement.safeParse(body).data?.numero ?? '?'
