import type { Conversation } from '../core/conversation.ts'
import type { Limits } from '../core/limits.ts'
import type { Policy, PolicySet } from '../core/policy.ts'
import type { ProposalEvent } from '../core/proposal-event.ts'
import type { QuietHours } from '../core/quiet-hours.ts'
import type { Action } from '../ports/action.ts'
import type { ActionSource } from '../ports/action-source.ts'
import type { Agent } from '../ports/agent.ts'
import type { Hooks } from '../ports/hooks.ts'

/** A Telegram bot. Its secrets are in the environment, under the names given here. */
export interface TelegramAccountInput {
  readonly channel: 'telegram'
  readonly mode: 'polling' | 'webhook'
  readonly locale?: string
  /** A folder whose words stand over all others for this account: `<words>/<locale>/decision.json`. */
  readonly words?: string
  /** When nobody is reminded here of a card that waits (`limits.remindBeforeMs`). */
  readonly quietHours?: QuietHours
  /** Default `TELEGRAM_BOT_TOKEN`. */
  readonly tokenEnv?: string
  /** Webhook only; 32 characters or more. Default `TELEGRAM_WEBHOOK_SECRET_TOKEN`. */
  readonly secretEnv?: string
  /** Where the Bot API is; a local Bot API server, for instance. Default `https://api.telegram.org`. */
  readonly apiRoot?: string
}

/** The phone on the web page and in the terminal: the same port as the others, no provider. */
export interface SimulatorAccountInput {
  readonly channel: 'simulator'
  readonly locale?: string
  /** A folder whose words stand over all others for this account: `<words>/<locale>/decision.json`. */
  readonly words?: string
  /** When nobody is reminded here of a card that waits (`limits.remindBeforeMs`). */
  readonly quietHours?: QuietHours
}

/** A number of the WhatsApp Business Platform. Its secrets are in the environment, under the names given here. */
export interface CloudAccountInput {
  readonly channel: 'whatsapp-cloud'
  readonly locale?: string
  /** A folder whose words stand over all others for this account: `<words>/<locale>/decision.json`. */
  readonly words?: string
  /** When nobody is reminded here of a card that waits (`limits.remindBeforeMs`). */
  readonly quietHours?: QuietHours
  /** Default `WHATSAPP_ACCESS_TOKEN`. */
  readonly tokenEnv?: string
  /** The app's secret; several, separated by commas, while one is being changed. Default `WHATSAPP_APP_SECRET`. */
  readonly secretEnv?: string
  /** Default `WHATSAPP_PHONE_NUMBER_ID`. */
  readonly phoneNumberIdEnv?: string
  /** What Meta repeats when the webhook is set up. Default `WHATSAPP_VERIFY_TOKEN`. */
  readonly verifyTokenEnv?: string
  /** An approved template with the two quick replies, for cards outside the 24-hour window. Without one they wait for the person to write. */
  readonly template?: { readonly name: string; readonly language: string }
  /** Default `https://graph.facebook.com/v26.0`. */
  readonly apiRoot?: string
}

/** A WhatsApp number linked like a phone's second device, by `dale pair whatsapp`. */
export interface BaileysAccountInput {
  readonly channel: 'whatsapp-baileys'
  readonly locale?: string
  /** A folder whose words stand over all others for this account: `<words>/<locale>/decision.json`. */
  readonly words?: string
  /** When nobody is reminded here of a card that waits (`limits.remindBeforeMs`). */
  readonly quietHours?: QuietHours
  /** `poll` adds a poll of two options to a card in one-to-one chats. Default `words`. */
  readonly controls?: 'words' | 'poll'
  /** Where WhatsApp Web is; a server nearby for trying things. Default WhatsApp's own. */
  readonly serverUrl?: string
}

export type AccountInput = TelegramAccountInput | CloudAccountInput | BaileysAccountInput | SimulatorAccountInput

/** A person whom the configuration knows. `identities` are senders' ids with the channel's prefix: `tg:42000001`. */
export interface PersonConfig {
  readonly id: string
  readonly name: string
  readonly roles: readonly string[]
  readonly identities: readonly string[]
}

/** An address that is told what happens to proposals, as Standard Webhooks has it. */
export interface WebhookInput {
  /** https; http only to a host that `allowPrivate` names. */
  readonly url: string
  /** The variable with the secret: `whsec_` and base64. Several with spaces between while it is being changed. */
  readonly secretEnv: string
  /** Which events; all unless told. */
  readonly events?: readonly ProposalEvent[] | undefined
  /** Hosts inside your network that may be called. */
  readonly allowPrivate?: readonly string[] | undefined
}

/** What a configuration file writes. */
export interface ConfigInput {
  /** Default `default`. */
  readonly tenant?: string
  /** `default` is the locale of accounts that name none. `folder` holds locales of one's own, beside or over the shipped ones. */
  readonly locales?: { readonly default?: string; readonly fallback?: string; readonly folder?: string }
  readonly accounts: Readonly<Record<string, AccountInput>>
  readonly agent: Agent
  /** An MCP server stands among them with all its tools: `mcpActions`. */
  readonly actions: readonly (Action | ActionSource)[]
  /** Code of one's own that hears of proposals; it runs where the workers are. */
  readonly hooks?: Hooks
  /** Of the HTTP API: how many requests a key may make in a minute (600). */
  readonly api?: { readonly requestsPerMinute?: number }
  /** Addresses that are told, signed, what happens to proposals. */
  readonly webhooks?: readonly WebhookInput[]
  readonly policies?: readonly Policy[]
  readonly people?: readonly PersonConfig[]
  /** Roles that nobody here has and that `dale people` gives, so that rules and limits may name them. */
  readonly roles?: readonly string[]
  /** Where the cards for a role are shown. */
  readonly roleChats?: Readonly<Record<string, Conversation | readonly Conversation[]>>
  readonly limits?: Partial<Limits>
}

/** A Telegram bot, with every default filled in. */
export interface TelegramAccount {
  readonly channel: 'telegram'
  readonly name: string
  readonly mode: 'polling' | 'webhook'
  readonly locale: string
  readonly words?: string | undefined
  readonly quietHours?: QuietHours | undefined
  readonly tokenEnv: string
  readonly secretEnv: string
  readonly apiRoot: string
}

/** A simulator, with every default filled in. */
export interface SimulatorAccount {
  readonly channel: 'simulator'
  readonly name: string
  readonly locale: string
  readonly words?: string | undefined
  readonly quietHours?: QuietHours | undefined
}

/** A number of the WhatsApp Business Platform, with every default filled in. */
export interface CloudAccount {
  readonly channel: 'whatsapp-cloud'
  readonly name: string
  readonly locale: string
  readonly words?: string | undefined
  readonly quietHours?: QuietHours | undefined
  readonly tokenEnv: string
  readonly secretEnv: string
  readonly phoneNumberIdEnv: string
  readonly verifyTokenEnv: string
  readonly template?: { readonly name: string; readonly language: string } | undefined
  readonly apiRoot: string
}

/** A linked WhatsApp number, with every default filled in. */
export interface BaileysAccount {
  readonly channel: 'whatsapp-baileys'
  readonly name: string
  readonly locale: string
  readonly words?: string | undefined
  readonly quietHours?: QuietHours | undefined
  readonly controls: 'words' | 'poll'
  readonly serverUrl?: string | undefined
}

export type Account = TelegramAccount | CloudAccount | BaileysAccount | SimulatorAccount

/** A checked configuration with every default filled in: what the composition root builds from. `checkConfig` makes one. */
export interface Config {
  readonly tenant: string
  /** `folder` is absolute. */
  readonly locales: { readonly default: string; readonly fallback: string; readonly folder?: string }
  readonly accounts: readonly Account[]
  readonly agent: Agent
  /** Those that are known without asking anybody. */
  readonly actions: readonly Action[]
  /** Where others come from, once they are opened. */
  readonly sources: readonly ActionSource[]
  readonly hooks: Hooks
  readonly api: { readonly requestsPerMinute: number }
  readonly webhooks: readonly WebhookInput[]
  readonly policies: PolicySet
  readonly people: readonly PersonConfig[]
  readonly roles: readonly string[]
  readonly roleChats: readonly { readonly role: string; readonly conversation: Conversation }[]
  readonly limits: Limits
}
