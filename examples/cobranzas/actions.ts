import { type Action, type Field, httpAction, type Previewed } from 'dale-gateway'
import { z } from 'zod'
import { type Customer, customerAt, movementAt, numberIn } from './client.ts'
import { centsOf, pesosOf } from './values.ts'

const monto = z
  .string()
  .regex(/^(?!0+(\.0+)?$)\d{1,9}(\.\d{1,2})?$/, 'es un monto en pesos, mayor que cero, como 184000 o 184000.50')
const cliente = z.string().regex(/^\d{1,9}$/, 'es el número de un cliente')
const vencimiento = z.iso.date('es un día, como 2026-12-10')

/** From here on an “ok” in passing is not enough for a plan: it is called `observed`. */
const largePlan = centsOf('500000')

/**
 * What this company can do, each a call to its service. Every card reads the service when it is written and once more at the yes; every
 * call carries the proposal's key, and can be looked up by it.
 */
export function actionsAt(service: string): readonly Action[] {
  const { hostname } = new URL(service)
  // One wording for what all of them share.
  const shared = {
    version: '1',
    method: 'POST',
    keyHeader: 'Idempotency-Key',
    lookUp: { url: `${service}/movimientos/{idempotencyKey}` },
    verify: async (
      _args: unknown,
      _result: unknown,
      context: { readonly idempotencyKey: string; readonly signal: AbortSignal },
    ) => (await movementAt(service, context.idempotencyKey, context.signal)) !== undefined,
    allowPrivate: [hostname],
    timeoutMs: 10_000,
  } as const
  const previewOf =
    <Args extends { readonly cliente: string }>(write: (args: Args, customer: Customer) => Previewed) =>
    async (args: Args, { signal }: { readonly signal: AbortSignal }): Promise<Previewed> => {
      const customer = await customerAt(service, args.cliente, signal)
      if (customer === undefined) return { kind: 'denied', message: `No hay ningún cliente ${args.cliente}.` }
      return write(args, customer)
    }

  const crearAcuerdo = httpAction({
    ...shared,
    name: 'crear_acuerdo',
    description: 'Abre un plan de pagos en cuotas mensuales por la deuda de un cliente, o por una parte de ella.',
    input: z.object({ cliente, cuotas: z.int().min(2, 'son dos o más').max(12, 'son doce o menos'), monto, vencimiento }),
    reversibility: 'reversible',
    reversibilityOf: (args) => (centsOf(args.monto) >= largePlan ? 'observed' : 'reversible'),
    replacementKey: 'cliente',
    editable: ['cuotas', 'vencimiento'],
    url: `${service}/acuerdos`,
    preview: previewOf((args, customer) => {
      if (customer.acuerdo !== undefined)
        return { kind: 'completed', message: `${customer.nombre} ya tiene el acuerdo ${customer.acuerdo}.` }
      if (centsOf(args.monto) > centsOf(customer.saldo)) return tooMuch(customer)
      const { each, last } = sharesOf(args)
      return {
        summary: `Abrir un plan de ${args.cuotas} cuotas para ${customer.nombre} (cliente ${args.cliente})`,
        fields: [
          who(customer),
          { key: 'cuotas', label: 'Cuotas', value: { kind: 'number', number: args.cuotas } },
          pesos('monto', 'Monto', args.monto),
          pesos('cada', 'Cada cuota', each),
          ...(last === each ? [] : [pesos('ultima', 'Última cuota', last)]),
          { key: 'vencimiento', label: 'Primer vencimiento', value: { kind: 'date', date: args.vencimiento } },
          pesos('saldo', 'Saldo hoy', customer.saldo),
        ],
        alsoWill: [`mandar el acuerdo a ${customer.correo}`],
      }
    }),
    // The last look: between the yes and the call somebody else may have opened one.
    async preflight(args, { signal }) {
      const customer = await customerAt(service, args.cliente, signal)
      if (customer?.acuerdo === undefined) return { kind: 'ready' }
      return { kind: 'denied', message: `${customer.nombre} ya tiene el acuerdo ${customer.acuerdo}.` }
    },
    told: ({ body }) => ({ message: `Acuerdo ${numberIn(body)} abierto.`, result: numberIn(body) }),
  })

  const enviarLink = httpAction({
    ...shared,
    name: 'enviar_link_de_pago',
    description: 'Manda por correo un link para pagar la deuda o una parte de ella.',
    input: z.object({ cliente, monto, correo: z.email('es un correo') }),
    reversibility: 'reversible',
    editable: ['monto', 'correo'],
    // “Siempre” in the chat: five more links in thirty days without a card, as long as no rule asks for one.
    always: { times: 5, days: 30 },
    url: `${service}/links`,
    preview: previewOf((args, customer) => {
      if (centsOf(args.monto) > centsOf(customer.saldo)) return tooMuch(customer)
      return {
        summary: `Mandarle a ${customer.nombre} un link de pago (cliente ${args.cliente})`,
        fields: [
          who(customer),
          pesos('monto', 'Monto', args.monto),
          { key: 'correo', label: 'Correo', value: { kind: 'text', text: args.correo } },
          pesos('saldo', 'Saldo hoy', customer.saldo),
        ],
      }
    }),
    told: ({ body }, args) => ({ message: `Link ${numberIn(body)} enviado a ${args.correo}.`, result: numberIn(body) }),
  })

  const condonar = httpAction({
    ...shared,
    name: 'condonar',
    description: 'Condona una parte de la deuda de un cliente. No se puede deshacer.',
    input: z.object({ cliente, monto, motivo: z.string().min(1).max(200) }),
    reversibility: 'irreversible',
    // Whoever approves one alone types its amount; where two are asked, each says yes.
    typeToConfirm: 'monto',
    rejectReason: 'told',
    ttlMs: 4 * 60 * 60 * 1000,
    url: `${service}/condonaciones`,
    preview: previewOf((args, customer) => {
      if (centsOf(args.monto) > centsOf(customer.saldo)) return tooMuch(customer)
      return {
        summary: `Condonar deuda de ${customer.nombre} (cliente ${args.cliente})`,
        fields: [
          who(customer),
          pesos('monto', 'Monto', args.monto),
          pesos('saldo', 'Saldo hoy', customer.saldo),
          pesos('queda', 'Queda debiendo', pesosOf(centsOf(customer.saldo) - centsOf(args.monto))),
          { key: 'motivo', label: 'Motivo', value: { kind: 'text', text: args.motivo } },
        ],
        alsoWill: ['asentarlo como pérdida del mes'],
      }
    }),
    told: ({ body }) => ({ message: `Condonación ${numberIn(body)} asentada.`, result: numberIn(body) }),
  })

  const cambiarVencimiento = httpAction({
    ...shared,
    name: 'cambiar_vencimiento',
    description: 'Corre el vencimiento de la deuda de un cliente, a lo sumo 60 días.',
    input: z.object({ cliente, vencimiento }),
    reversibility: 'reversible',
    replacementKey: 'cliente',
    editable: ['vencimiento'],
    url: `${service}/vencimientos`,
    preview: previewOf((args, customer) => {
      if (customer.vence === args.vencimiento)
        return { kind: 'completed', message: `La deuda de ${customer.nombre} ya vence ese día.` }
      return {
        summary: `Correr el vencimiento de ${customer.nombre} (cliente ${args.cliente})`,
        fields: [
          who(customer),
          { key: 'vence', label: 'Vencimiento actual', value: { kind: 'date', date: customer.vence } },
          { key: 'vencimiento', label: 'Vencimiento nuevo', value: { kind: 'date', date: args.vencimiento } },
          pesos('saldo', 'Saldo hoy', customer.saldo),
        ],
      }
    }),
    told: () => ({ message: 'Vencimiento cambiado.' }),
  })

  return [crearAcuerdo, enviarLink, condonar, cambiarVencimiento]
}

const who = ({ cliente: id, nombre }: Customer): Field => ({
  key: 'cliente',
  label: 'Cliente',
  value: { kind: 'text', text: `${nombre} (${id})` },
})

const pesos = (key: string, label: string, amount: string): Field => ({
  key,
  label,
  value: { kind: 'money', amount, currency: 'ARS' },
})

const tooMuch = ({ nombre }: Customer): Previewed => ({ kind: 'denied', message: `${nombre} debe menos que eso.` })

/** What is paid each time, and the last time where that differs: together exactly the whole. */
function sharesOf({ monto: whole, cuotas }: { readonly monto: string; readonly cuotas: number }) {
  const cents = centsOf(whole)
  const each = cents / BigInt(cuotas)
  return { each: pesosOf(each), last: pesosOf(cents - each * BigInt(cuotas - 1)) }
}
