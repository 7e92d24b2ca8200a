import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { centsOf, reaisOf } from './values.ts'

/** How far an order has come. */
export type Stage = 'em preparo' | 'enviado' | 'entregue' | 'cancelado'

/** An order as the service tells it. `cliente` is the person who placed it; amounts are reais as decimal text. */
export interface Order {
  readonly pedido: string
  readonly cliente: string
  readonly nome: string
  readonly itens: string
  readonly total: string
  readonly reembolsado: string
  readonly estado: Stage
  readonly endereco: string
}

/** What can be entered. */
export type Entry =
  | { readonly tipo: 'reembolso'; readonly pedido: string; readonly valor: string; readonly motivo: string }
  | { readonly tipo: 'cancelamento'; readonly pedido: string; readonly motivo: string }
  | { readonly tipo: 'endereco'; readonly pedido: string; readonly endereco: string }
  | { readonly tipo: 'reenvio'; readonly pedido: string; readonly motivo: string }

/** Something that really happened, under the key that it was asked for with. */
export interface Movement {
  readonly chave: string
  readonly numero: string
  readonly entrada: Entry
}

/** What came of entering: done now, done before under the same key, or refused with nothing done. */
export type Entered =
  | { readonly kind: 'new' | 'known'; readonly movement: Movement }
  | { readonly kind: 'refused'; readonly erro: string; readonly mensagem: string }

const prefixes = { reembolso: 'R', cancelamento: 'C', endereco: 'E', reenvio: 'V' } as const

/**
 * The orders, and a journal of all that happened to them. With a file each movement is on disk before it is answered, so that a service
 * that was killed knows after its start what it had done.
 */
export class Ledger {
  readonly #orders = new Map(orders.map((order) => [order.pedido, order]))
  readonly #movements = new Map<string, Movement>()
  readonly #file: string | undefined

  constructor(file?: string) {
    this.#file = file
    if (file !== undefined && existsSync(file))
      for (const line of readFileSync(file, 'utf8').split('\n')) if (line !== '') this.#apply(JSON.parse(line) as Movement)
  }

  order(id: string): Order | undefined {
    return this.#orders.get(id)
  }

  movement(key: string): Movement | undefined {
    return this.#movements.get(key)
  }

  get movements(): readonly Movement[] {
    return [...this.#movements.values()]
  }

  /** Enters something once for each key. The same key with something else in it is refused. */
  enter(key: string, entry: Entry): Entered {
    const known = this.#movements.get(key)
    if (known !== undefined)
      return JSON.stringify(known.entrada) === JSON.stringify(entry)
        ? { kind: 'known', movement: known }
        : { kind: 'refused', erro: 'outra_chave', mensagem: 'Esta chave já foi usada para outra coisa.' }
    const fault = faultOf(entry, this.#orders.get(entry.pedido))
    if (fault !== undefined) return { kind: 'refused', ...fault }
    const count = this.movements.filter(({ entrada }) => entrada.tipo === entry.tipo).length + 1
    const movement: Movement = { chave: key, numero: `${prefixes[entry.tipo]}-${count}`, entrada: entry }
    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify(movement)}\n`, { flush: true })
    this.#apply(movement)
    return { kind: 'new', movement }
  }

  #apply(movement: Movement): void {
    const { chave, entrada: entry } = movement
    const order = this.#orders.get(entry.pedido)
    this.#movements.set(chave, movement)
    if (order !== undefined) this.#orders.set(entry.pedido, { ...order, ...changeOf(entry, order) })
  }
}

/** Why the shop does not do it; undefined when it does. */
export function faultOf(
  entry: Entry,
  order: Order | undefined,
): { readonly erro: string; readonly mensagem: string } | undefined {
  if (order === undefined) return { erro: 'sem_pedido', mensagem: `Não existe o pedido ${entry.pedido}.` }
  switch (entry.tipo) {
    case 'reembolso':
      return centsOf(entry.valor) > refundable(order)
        ? { erro: 'acima_do_total', mensagem: `Do pedido ${order.pedido} dá para reembolsar menos que isso.` }
        : undefined
    case 'cancelamento':
    case 'endereco':
      return order.estado === 'em preparo'
        ? undefined
        : { erro: 'tarde_demais', mensagem: `O pedido ${order.pedido} já não pode mudar: está ${order.estado}.` }
    case 'reenvio':
      return order.estado === 'enviado' || order.estado === 'entregue'
        ? undefined
        : { erro: 'nao_saiu', mensagem: `O pedido ${order.pedido} ainda não saiu daqui.` }
  }
}

/** What may still be paid back of an order, in centavos. */
export const refundable = ({ total, reembolsado }: Order): bigint => centsOf(total) - centsOf(reembolsado)

function changeOf(entry: Entry, { reembolsado }: Order): Partial<Order> {
  switch (entry.tipo) {
    case 'reembolso':
      return { reembolsado: reaisOf(centsOf(reembolsado) + centsOf(entry.valor)) }
    case 'cancelamento':
      return { estado: 'cancelado' }
    case 'endereco':
      return { endereco: entry.endereco }
    case 'reenvio':
      return { estado: 'enviado' }
  }
}

const mariana = {
  cliente: 'mariana',
  nome: 'Mariana Alves',
  reembolsado: '0.00',
  endereco: 'Rua das Flores, 120, Campinas',
} as const
const joao = { cliente: 'joao', nome: 'João Lima', reembolsado: '0.00', endereco: 'Avenida Brasil, 45, Santos' } as const

const orders: readonly Order[] = [
  { ...mariana, pedido: '1042', itens: 'Cafeteira italiana', total: '189.90', estado: 'entregue' },
  { ...mariana, pedido: '1043', itens: 'Moedor elétrico', total: '1249.00', estado: 'entregue' },
  { ...mariana, pedido: '1044', itens: 'Filtros de papel', total: '34.90', estado: 'em preparo' },
  { ...joao, pedido: '1050', itens: 'Balança digital', total: '420.00', estado: 'em preparo' },
  { ...joao, pedido: '1051', itens: 'Chaleira de bico fino', total: '460.00', estado: 'enviado' },
]
