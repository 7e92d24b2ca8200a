import { configAt } from './config.ts'
import { openService } from './service.ts'

/** What `dale demo --example pedidos` puts on its page, and what to write there. */
export const demo = {
  locale: 'pt-BR',
  account: 'pedidos',
  phones: [
    { person: 'mariana', name: 'Mariana', role: 'customer' },
    { person: 'rafa', name: 'Rafa', role: 'operator' },
    { person: 'bia', name: 'Bia', role: 'operator' },
  ],
  tries: [
    'cancela o pedido 1044 porque comprei errado',
    'entrega o pedido 1044 em Rua Nova 9, Campinas',
    'o pedido 1042 não chegou',
    'quero reembolso de 600 do pedido 1043 porque veio riscado',
  ],
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
