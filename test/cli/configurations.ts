/** A configuration with one simulated account and an action whose end nobody knows: `pay 5` proposes it, and a yes runs it. */
export const payConfig = `import { ActionError, defineAction, defineConfig, scriptedAgent } from 'dale-gateway'
import { z } from 'zod'

const pay = defineAction({
  name: 'pay', version: '1', description: 'Pays.', input: z.object({ amount: z.number() }), reversibility: 'observed',
  preview: ({ amount }) => ({ summary: 'Pay ' + amount, fields: [{ key: 'amount', label: 'Amount', value: { kind: 'number', number: amount } }] }),
  execute: async () => {
    throw new ActionError('the bank hung up', { action: 'pay', permanent: false, mayHaveHappened: true })
  },
})

export default defineConfig({
  accounts: { phone: { channel: 'simulator', locale: 'en' } },
  agent: scriptedAgent([{ when: 'pay {amount:number}', propose: { action: 'pay', args: { amount: '{amount}' } } }]),
  actions: [pay],
  limits: { minReviewTextMs: 0, quarantineMs: 600000 },
})
`

/** One simulated account, and an agent that says nothing. */
export const quietConfig = `import { defineConfig } from 'dale-gateway'

export default defineConfig({
  accounts: { phone: { channel: 'simulator' } },
  agent: { async *run() {} },
  actions: [],
})
`

/** Five mistakes, each in another part. */
export const wrongConfig = `import { defineConfig } from 'dale-gateway'

export default defineConfig({
  tenant: 'Not A Tenant',
  locales: { default: 'xx' },
  accounts: { front: { channel: 'telegram', mode: 'polling' } },
  agent: 'none',
  actions: [],
  limits: { holdMs: -1 },
})
`
