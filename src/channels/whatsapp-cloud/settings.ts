import { ConfigError, type Problem } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
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
  /** The clock that `Sending.lastInboundAtMs` is of; default this machine's. */
  readonly clock?: Clock | undefined
  readonly log: Log
  /** How long an answer is waited for; default 15,000 ms. What takes longer counts as perhaps sent. */
  readonly timeoutMs?: number
}

/** Refuses settings that could not work or could not be trusted, every problem at once. Never says a secret. */
export function checkSettings({ account, token, phoneNumberId, appSecrets, verifyToken }: CloudSettings): void {
  const problems: Problem[] = []
  const wrong = (what: string, message: string) => problems.push({ path: `accounts.${account}.${what}`, message })
  if (!/^\S+$/.test(token))
    wrong('token', 'the access token is missing; Meta shows it under WhatsApp, API Setup, or for a system user')
  if (!/^\d+$/.test(phoneNumberId))
    wrong('phoneNumberId', 'is a number that Meta shows under WhatsApp, API Setup; it is not the telephone number')
  // Without a secret anybody who finds the address could decide in anybody's name.
  if (appSecrets.length === 0 || appSecrets.some((secret) => secret.trim() === ''))
    wrong('appSecret', 'the app secret is missing or one of several is empty; Meta shows it under App settings, Basic')
  if (verifyToken === '') wrong('verifyToken', 'is missing: a word of your own that Meta repeats when the webhook is set up')
  if (problems.length > 0) throw new ConfigError(problems)
}
