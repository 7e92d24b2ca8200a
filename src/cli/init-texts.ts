/** What `dale init` writes as dale.config.mts: it runs as it stands, with the simulator and an agent that needs no model. */
export const configurationText = `import { defineAction, defineConfig, scriptedAgent } from 'dale-gateway'
import { z } from 'zod'

const note = defineAction({
  name: 'save_note', version: '1', description: 'Saves a note.', input: z.object({ text: z.string() }), reversibility: 'reversible',
  preview: ({ text }) => ({ summary: \`Save the note “\${text}”\`, fields: [{ key: 'text', label: 'Note', value: { kind: 'text', text } }] }),
  execute: async ({ text }) => console.error(\`saved: \${text.length} characters\`),
})

export default defineConfig({
  locales: { default: 'en' },
  accounts: { phone: { channel: 'simulator' } }, // front: { channel: 'telegram', mode: 'polling' } speaks through your bot
  agent: scriptedAgent([{ when: 'note {text}', propose: { action: 'save_note', args: { text: '{text}' } } }], { otherwise: 'Write: note milk' }),
  actions: [note],
})
`

/** What `dale init` writes as .env.example. */
export const environmentText = `# Copy to .env: dale reads it from the folder it runs in. What the environment says already wins.

# The token of your bot, from @BotFather, for accounts with channel: 'telegram'.
TELEGRAM_BOT_TOKEN=

# Where dale listens: /healthz, /readyz, /metrics and the webhooks.
PORT=3000
HOST=127.0.0.1

# Webhooks instead of polling: where the world reaches this gateway, and a secret (openssl rand -hex 32).
#PUBLIC_URL=https://dale.example.com
#TELEGRAM_WEBHOOK_SECRET_TOKEN=

# Several processes: PostgreSQL, one key for all of them (openssl rand -hex 32), and Redis if you like.
#DATABASE_URL=postgres://dale:password@localhost:5432/dale
#DALE_SECRET_KEY=
#REDIS_URL=redis://localhost:6379

# trace, debug, info, warn, error, fatal or silent
LOG_LEVEL=info
`
