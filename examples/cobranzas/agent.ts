import { type Agent, type Places, scriptedAgent, type Turn } from 'dale-gateway'
import { type Customer, customerAt } from './client.ts'
import { customerOf } from './people.ts'
import { dayAfter } from './values.ts'

/**
 * Answers by the book, without a model, so that everything here runs without a network. It reads the service before it speaks, as a
 * model would with a tool; what it says of a balance is talk, what the card says is read anew.
 */
export const agentAt = (service: string): Agent => ({
  async *run(turn, signal) {
    const id = customerOf(turn.person)
    const customer = id === undefined ? undefined : await customerAt(service, id, signal)
    yield* (customer === undefined ? desk(service, signal) : own(customer)).run(turn, signal)
  },
})

/** What a customer says about their own debt. */
function own(customer: Customer): Agent {
  const { cliente, saldo, correo, vence } = customer
  const debt = `${customer.nombre.split(' ')[0]}, hoy debés ${spoken(saldo)}`
  return scriptedAgent(
    [
      {
        when: ['en {cuotas:number} cuotas', 'plan de {cuotas:number} cuotas', 'un plan en {cuotas:number} pagos'],
        say: `${debt}. Preparé el plan: mirá los datos antes de confirmar.`,
        propose: { action: 'crear_acuerdo', args: { cliente, cuotas: '{cuotas}', monto: saldo, vencimiento: vence } },
      },
      {
        when: ['link a {correo}', 'link al correo {correo}'],
        propose: { action: 'enviar_link_de_pago', args: { cliente, monto: saldo, correo: '{correo}' } },
      },
      {
        when: ['el link', 'un link', 'quiero pagar todo', 'cómo te pago'],
        say: `${debt}. Te lo mando a tu correo.`,
        propose: { action: 'enviar_link_de_pago', args: { cliente, monto: saldo, correo } },
      },
      {
        when: [
          'corré el vencimiento {dias:number} días',
          'corrés el vencimiento {dias:number} días',
          'corrémelo {dias:number} días',
        ],
        say: 'Lo preparo para un supervisor.',
        propose: { action: 'cambiar_vencimiento', args: ({ dias }) => ({ cliente, vencimiento: dayAfter(vence, Number(dias)) }) },
      },
      {
        when: ['condoname {monto:number}', 'perdoname {monto:number}', 'me condonás {monto:number}'],
        say: 'Eso no lo decido yo: se lo paso a un supervisor.',
        propose: {
          action: 'condonar',
          args: ({ monto }) => ({ cliente, monto: amountOf(monto), motivo: 'Lo pide el cliente por el chat' }),
        },
      },
      // A customer who names another's number: the agent passes it on, and the policy says no.
      {
        when: 'el vencimiento del cliente {otro} {dias:number} días',
        propose: {
          action: 'cambiar_vencimiento',
          args: ({ otro, dias }) => ({ cliente: String(otro), vencimiento: dayAfter(vence, Number(dias)) }),
        },
      },
      { when: ['cuánto debo', 'mi saldo', 'mi deuda'], say: `${debt}, que vence el ${vence.split('-').reverse().join('/')}.` },
    ],
    { match: 'includes', otherwise: `${debt}. Puedo armarte un plan («en 6 cuotas») o mandarte el link de pago.` },
  )
}

/** What somebody of the company asks for about a customer, whom they name. */
function desk(service: string, signal: AbortSignal): Agent {
  const about = (places: Places) => String(places.cliente)
  return {
    async *run(turn: Turn) {
      const [text = ''] = turn.messages.map((message) => message.text)
      const [, id = ''] = /\bcliente (\d+)/i.exec(text) ?? []
      const customer = id === '' ? undefined : await customerAt(service, id, signal)
      yield* scriptedAgent(
        [
          {
            when: 'plan de {cuotas:number} cuotas de {monto:number} para el cliente {cliente}',
            propose: {
              action: 'crear_acuerdo',
              args: (places) => ({
                cliente: about(places),
                cuotas: places.cuotas,
                monto: amountOf(places.monto),
                vencimiento: customer?.vence,
              }),
            },
          },
          {
            when: 'vencimiento del cliente {cliente} {dias:number} días',
            propose: {
              action: 'cambiar_vencimiento',
              args: (places) => ({
                cliente: about(places),
                vencimiento: customer === undefined ? '' : dayAfter(customer.vence, Number(places.dias)),
              }),
            },
          },
          {
            when: 'condonale {monto:number} al cliente {cliente} por {motivo}',
            match: 'whole',
            propose: {
              action: 'condonar',
              args: (places) => ({ cliente: about(places), monto: amountOf(places.monto), motivo: String(places.motivo) }),
            },
          },
        ],
        {
          match: 'includes',
          otherwise: 'Decime qué y para qué cliente: «plan de 6 cuotas de 184.000 para el cliente 42».',
        },
      ).run(turn, signal)
    },
  }
}

/** A number as it was read from the chat, as the decimal text that actions take. */
const amountOf = (value: string | number | undefined): string => Number(value).toFixed(2)

const spoken = (pesos: string): string =>
  `$ ${new Intl.NumberFormat('es-AR', { minimumFractionDigits: 2 }).format(pesos as Intl.StringNumericLiteral)}`
