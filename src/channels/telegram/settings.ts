import { ConfigError, type Problem } from '../../core/errors.ts'
import type { Log } from '../../ports/log.ts'
import type { Leases } from '../connection/lease.ts'

/** How one Telegram bot is reached. Token and secret come from the environment and are never logged. */
export interface TelegramSettings {
  readonly account: string
  readonly token: string
  readonly mode: 'polling' | 'webhook'
  /** Default `https://api.telegram.org`; a Bot API server of one's own elsewhere. */
  readonly apiRoot?: string | undefined
  /** Webhook only: 32 to 256 of `A-Z a-z 0-9 _ -`. */
  readonly webhookSecret?: string | undefined
  /** Webhook only: where the world reaches the gateway, without a path; `webhookPathOf` is appended. */
  readonly publicUrl?: string | undefined
  /** Polling in one process of several: where the lease is kept, and which process this is. Default time 30 s. */
  readonly lease?: { readonly leases: Leases; readonly owner: string; readonly ttlMs?: number } | undefined
  readonly log: Log
  /** How long Telegram holds a poll open; default 25. */
  readonly pollSeconds?: number
  /** First wait after a failed poll, doubled up to 30 s; default 500. */
  readonly backoffMs?: number
}

/** Refuses settings that could not work or could not be trusted, every problem at once. Never says a secret. */
export function checkSettings({ account, token, mode, apiRoot, webhookSecret = '', publicUrl = '' }: TelegramSettings): void {
  const problems: Problem[] = []
  const wrong = (what: string, message: string) => problems.push({ path: `accounts.${account}.${what}`, message })
  if (!/^\d+:[\w-]+$/.test(token)) wrong('token', 'the bot token must look like 123456:ABC…, as @BotFather gives it')
  if (mode === 'webhook') {
    // Without a secret anybody who finds the address could decide in anybody's name.
    if (!/^[\w-]{32,256}$/.test(webhookSecret)) {
      wrong('webhookSecret', 'a webhook needs a secret of 32 to 256 letters, digits, _ or -; make one with: openssl rand -hex 32')
    }
    if (!URL.canParse(publicUrl))
      wrong('publicUrl', 'a webhook needs PUBLIC_URL, the address where Telegram reaches this gateway')
    else if (new URL(publicUrl).protocol !== 'https:' && apiRoot === undefined)
      wrong('publicUrl', 'Telegram delivers to https addresses only')
  }
  if (problems.length > 0) throw new ConfigError(problems)
}
