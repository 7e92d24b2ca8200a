// Preloaded into a command: Baileys there trusts the test's server instead of WhatsApp.
import { trusting } from './whatsapp-server/index.ts'

trusting({ trust: Buffer.from(process.env.DALE_TEST_WHATSAPP_TRUST ?? '', 'base64') })
