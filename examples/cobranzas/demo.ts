import { configAt } from './config.ts'
import { openService } from './service.ts'

/** What `dale demo --example cobranzas` puts on its page, and what to write there. */
export const demo = {
  locale: 'es',
  account: 'cobranzas',
  phones: [
    { person: 'ana', name: 'Ana', role: 'customer' },
    { person: 'beto', name: 'Beto', role: 'operator' },
    { person: 'clara', name: 'Clara', role: 'operator' },
  ],
  tries: ['¿lo puedo pagar en 3 cuotas?', 'mandame el link', '¿me corrés el vencimiento 15 días?', 'condoname 20.000'],
  /** Opens the service, and the configuration over it. */
  async open() {
    const service = await openService()
    return {
      config: configAt(service.url),
      effects: () => service.ledger.movements.length,
      [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
    }
  },
} as const
