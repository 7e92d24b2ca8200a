import type { WhatsAppServer } from './index.ts'

export async function serve(): Promise<WhatsAppServer> {
  throw new Error('not here yet')
}
