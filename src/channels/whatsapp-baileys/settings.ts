import type { Log } from '../../ports/log.ts'
import type { Vault } from '../../ports/vault.ts'
import type { Leases } from '../connection/lease.ts'

/** How one linked WhatsApp number is reached. */
export interface BaileysSettings {
  readonly account: string
  readonly controls: 'words' | 'poll'
  /** WhatsApp Web's address; default WhatsApp's own. */
  readonly serverUrl?: string | undefined
  readonly vault: Vault
  /** Where the lease for the number is kept; `owner` is this process. */
  readonly leases: Leases
  readonly owner: string
  readonly log: Log
  /** For how long the number is this process's without being renewed; default 10 s. */
  readonly leaseMs?: number
  /** How often an account without a session looks for one; default 3 s. */
  readonly lookMs?: number
  /** First wait after a lost connection, doubled up to 30 s; default 1 s. */
  readonly backoffMs?: number
  /** How long the server may take to acknowledge a message; default 10 s. */
  readonly ackMs?: number
  /** How often Baileys asks whether the connection still stands; default 30 s. */
  readonly keepAliveMs?: number
}

/** The name of the lease on an account's number: whoever holds it may have the socket. */
export const leaseNameOf = (account: string): string => `whatsapp:${account}`

export const leaseMs = 10_000
