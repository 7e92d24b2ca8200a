import type { Log } from '../../ports/log.ts'
import type { Store } from '../../ports/store.ts'
import type { Vault } from '../../ports/vault.ts'

/** How one linked WhatsApp number is reached. */
export interface BaileysSettings {
  readonly account: string
  readonly controls: 'words' | 'poll'
  /** WhatsApp Web's address; default WhatsApp's own. */
  readonly serverUrl?: string | undefined
  readonly vault: Vault
  /** Where the lease for the number is kept; `owner` is this process. */
  readonly leases: Pick<Store, 'lease' | 'releaseLease'>
  readonly owner: string
  readonly log: Log
}
