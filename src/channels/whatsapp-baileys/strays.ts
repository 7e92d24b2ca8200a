import { NotHolder } from './fenced-writer.ts'

const folder = '/node_modules/baileys/'

/**
 * Is this rejection, which nobody handled, one of those that Baileys leaves to themselves when a socket closes under it ("Connection
 * Closed", or a write to a session that is another process's now)? It says nothing that the close does not, and must not end the process.
 */
export const isStray = (reason: unknown): reason is Error =>
  reason instanceof NotHolder || (reason instanceof Error && reason.stack?.includes(folder) === true)
