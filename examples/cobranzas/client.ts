import { z } from 'zod'

const customer = z.object({
  cliente: z.string(),
  nombre: z.string(),
  correo: z.string(),
  saldo: z.string(),
  vence: z.iso.date(),
  acuerdo: z.string().optional(),
})

/** A customer, as far as this side needs to know them. */
export type Customer = z.output<typeof customer>

/** Asks the service for a customer; undefined where there is none. Throws when it does not answer, or answers something else. */
export async function customerAt(service: string, id: string, signal: AbortSignal): Promise<Customer | undefined> {
  const answer = await fetch(`${service}/clientes/${encodeURIComponent(id)}`, { signal })
  if (answer.status === 404) return undefined
  if (!answer.ok) throw new Error(`the service answered ${answer.status} when asked for a customer`)
  return customer.parse(await answer.json())
}

const movement = z.object({ clave: z.string(), numero: z.string(), entrada: z.looseObject({ tipo: z.string() }) })

/** What became of a key; undefined where nothing did. Throws when the service does not answer. */
export async function movementAt(service: string, key: string, signal: AbortSignal) {
  const answer = await fetch(`${service}/movimientos/${encodeURIComponent(key)}`, { signal })
  if (answer.status === 404) return undefined
  if (!answer.ok) throw new Error(`the service answered ${answer.status} when asked for a key`)
  return movement.parse(await answer.json())
}

/** The number that the service gave to what was done, out of its answer. */
export const numberIn = (body: unknown): string => movement.safeParse(body).data?.numero ?? '?'
