import { defineConfig } from 'dale-gateway'
import { actionsAt } from './actions.ts'
import { agent } from './agent.ts'
import { people } from './people.ts'
import { policies } from './policies.ts'

/** The configuration over the service at an address. */
export const configAt = (service: string) =>
  defineConfig({
    locales: { default: 'pt-BR' },
    accounts: {
      // A Telegram bot instead: { channel: 'telegram', mode: 'polling' }; its token is in the environment.
      pedidos: { channel: 'simulator', quietHours: { from: '22:00', to: '08:00', timeZone: 'America/Sao_Paulo' } },
    },
    agent,
    actions: actionsAt(service),
    policies,
    people,
    roleChats: {
      atendente: { account: 'pedidos', chat: 'rafa' },
      gerente: [
        { account: 'pedidos', chat: 'bia' },
        { account: 'pedidos', chat: 'caio' },
      ],
    },
  })
