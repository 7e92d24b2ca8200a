import { defineConfig } from 'dale-gateway'
import { actionsAt } from './actions.ts'
import { agentAt } from './agent.ts'
import { people } from './people.ts'
import { policies } from './policies.ts'

/** The configuration over the service at an address. */
export const configAt = (service: string) =>
  defineConfig({
    locales: { default: 'es' },
    // A WhatsApp number instead: { channel: 'whatsapp-cloud' }; its secrets are in the environment.
    accounts: { cobranzas: { channel: 'simulator' } },
    agent: agentAt(service),
    actions: actionsAt(service),
    policies,
    people,
    // Each supervisor in their own chat; a group would do as well.
    roleChats: {
      supervisor: [
        { account: 'cobranzas', chat: 'beto' },
        { account: 'cobranzas', chat: 'clara' },
      ],
    },
  })
