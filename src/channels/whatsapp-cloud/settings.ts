import type { Log } from '../../ports/log.ts'

/** How one number of the WhatsApp Business Platform is reached. Token and secrets come from the environment and are never logged. */
export interface CloudSettings {
  readonly account: string
  readonly token: string
  readonly phoneNumberId: string
  /** App secrets; more than one while they are being changed. */
  readonly appSecrets: readonly string[]
  readonly verifyToken: string
  /** With the version, without a slash at the end. */
  readonly apiRoot: string
  readonly template?: { readonly name: string; readonly language: string } | undefined
  readonly log: Log
}
