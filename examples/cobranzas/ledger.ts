import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { centsOf, dayAfter, pesosOf } from './values.ts'

/** A customer as the service tells it. Amounts are pesos as decimal text, days are `YYYY-MM-DD`. */
export interface Customer {
  readonly cliente: string
  readonly nombre: string
  readonly correo: string
  readonly saldo: string
  readonly vence: string
  readonly acuerdo?: string
}

/** What can be entered. */
export type Entry =
  | {
      readonly tipo: 'acuerdo'
      readonly cliente: string
      readonly cuotas: number
      readonly monto: string
      readonly vencimiento: string
    }
  | { readonly tipo: 'link'; readonly cliente: string; readonly monto: string; readonly correo: string }
  | { readonly tipo: 'condonacion'; readonly cliente: string; readonly monto: string; readonly motivo: string }
  | { readonly tipo: 'vencimiento'; readonly cliente: string; readonly vencimiento: string }

/** Something that really happened, under the key that it was asked for with. */
export interface Movement {
  readonly clave: string
  readonly numero: string
  readonly entrada: Entry
}

/** What came of entering: done now, done before under the same key, or refused with nothing done. */
export type Entered =
  | { readonly kind: 'new' | 'known'; readonly movement: Movement }
  | { readonly kind: 'refused'; readonly error: string; readonly mensaje: string }

const prefixes = { acuerdo: 'A', link: 'L', condonacion: 'C', vencimiento: 'V' } as const
/** How far ahead a due date may be. */
const mostDays = 60

/**
 * The books: who owes what, and a journal of all that happened, from which everything else is reckoned. With a file each movement is on
 * disk before it is answered, so that a service that was killed knows after its start what it had done.
 */
export class Ledger {
  readonly #customers: Map<string, Customer>
  readonly #movements = new Map<string, Movement>()
  readonly #file: string | undefined
  readonly #today: () => string

  constructor({ today, file }: { readonly today: () => string; readonly file?: string }) {
    this.#today = today
    this.#file = file
    this.#customers = new Map(customersOn(today()).map((customer) => [customer.cliente, customer]))
    if (file !== undefined && existsSync(file))
      for (const line of readFileSync(file, 'utf8').split('\n')) if (line !== '') this.#apply(JSON.parse(line) as Movement)
  }

  customer(id: string): Customer | undefined {
    return this.#customers.get(id)
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
        : { kind: 'refused', error: 'otra_clave', mensaje: 'Esa clave ya se usó para otra cosa.' }
    const fault = this.#faultOf(entry)
    if (fault !== undefined) return { kind: 'refused', ...fault }
    const count = this.movements.filter(({ entrada }) => entrada.tipo === entry.tipo).length + 1
    const movement: Movement = { clave: key, numero: `${prefixes[entry.tipo]}-${count}`, entrada: entry }
    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify(movement)}\n`, { flush: true })
    this.#apply(movement)
    return { kind: 'new', movement }
  }

  #faultOf(entry: Entry): { readonly error: string; readonly mensaje: string } | undefined {
    const customer = this.#customers.get(entry.cliente)
    if (customer === undefined) return { error: 'sin_cliente', mensaje: `No hay ningún cliente ${entry.cliente}.` }
    if ('monto' in entry && centsOf(entry.monto) > centsOf(customer.saldo))
      return { error: 'mas_que_el_saldo', mensaje: `${customer.nombre} debe menos que eso.` }
    if (entry.tipo === 'acuerdo' && customer.acuerdo !== undefined)
      return { error: 'ya_hay_acuerdo', mensaje: `${customer.nombre} ya tiene el acuerdo ${customer.acuerdo}.` }
    if ('vencimiento' in entry && (entry.vencimiento <= this.#today() || entry.vencimiento > dayAfter(this.#today(), mostDays)))
      return { error: 'fuera_de_plazo', mensaje: `El vencimiento va de mañana a ${mostDays} días.` }
    return undefined
  }

  #apply(movement: Movement): void {
    const { entrada: entry, clave, numero } = movement
    const customer = this.#customers.get(entry.cliente)
    this.#movements.set(clave, movement)
    if (customer !== undefined) this.#customers.set(entry.cliente, { ...customer, ...changeOf(entry, customer, numero) })
  }
}

function changeOf(entry: Entry, { saldo }: Customer, numero: string): Partial<Customer> {
  switch (entry.tipo) {
    case 'acuerdo':
      return { acuerdo: numero, vence: entry.vencimiento }
    case 'condonacion':
      return { saldo: pesosOf(centsOf(saldo) - centsOf(entry.monto)) }
    case 'vencimiento':
      return { vence: entry.vencimiento }
    case 'link':
      return {}
  }
}

const customersOn = (today: string): readonly Customer[] => [
  { cliente: '42', nombre: 'Ana Gómez', correo: 'ana@correo.example', saldo: '184000.00', vence: dayAfter(today, 10) },
  { cliente: '7', nombre: 'Bruno Sosa', correo: 'bruno@correo.example', saldo: '962500.50', vence: dayAfter(today, 4) },
]
