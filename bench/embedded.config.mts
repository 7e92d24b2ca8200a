import { defineConfig, scriptedAgent } from 'dale-gateway'

export default defineConfig({
  accounts: { phone: { channel: 'simulator' } },
  agent: scriptedAgent([], { otherwise: 'ok' }),
  actions: [],
})
