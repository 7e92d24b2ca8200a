import { Api } from 'grammy'
import { z } from 'zod'
import type { Conversation } from '../../core/conversation.ts'
import { ChannelError } from '../../core/errors.ts'
import type { Accepted, Channel, Receive } from '../../ports/channel.ts'
import { backoffOf, wait } from '../connection/wait.ts'
import type { BotIdentity } from './addressing.ts'
import { editCard } from './edit.ts'
import { channelErrorOf } from './errors.ts'
import { normalizeUpdate } from './normalize.ts'
import { type Health, poll } from './polling.ts'
import { fits, limits, type Rendered, render } from './render.ts'
import { checkSettings, type TelegramSettings } from './settings.ts'
import { seconds, wantedUpdates } from './updates.ts'
import { answerWebhook, webhookPathOf } from './webhook.ts'

/** A date that is none leaves the message without a moment: it was taken all the same, and must not be sent again for it. */
const sentSchema = z.object({ message_id: z.int(), date: seconds.optional().catch(undefined) })
const meSchema = z.object({ id: z.int(), username: z.string().optional() })

/** What takes longer than this counts as perhaps done. */
const callSeconds = 15

/** A tap may be answered with at most this much. */
const answerLength = 200

/** General is the one topic that a message must not name: `message_thread_id: 1` is refused as not found. */
const threadOf = ({ topic }: Conversation) => (topic === undefined || topic === '1' ? {} : { message_thread_id: Number(topic) })

/**
 * One Telegram bot. Throws `ConfigError` at once when the settings cannot work: a webhook without a good secret is none.
 * Nothing is sent twice by itself: grammY's client does not retry, and neither does this.
 */
export function telegramChannel(settings: TelegramSettings): Channel {
  checkSettings(settings)
  const { account, token, mode, log, pollSeconds = 25, backoffMs = 500 } = settings
  const apiRoot = settings.apiRoot === undefined ? {} : { apiRoot: settings.apiRoot }
  const api = new Api(token, { ...apiRoot, timeoutSeconds: callSeconds })
  const polls = new Api(token, { ...apiRoot, timeoutSeconds: pollSeconds + callSeconds })
  let bot: BotIdentity = { account, id: Number(token.split(':')[0]), username: undefined }
  let health: Health = { state: 'starting' }
  let isReceiving = false
  const normalize = (update: unknown) => normalizeUpdate(update, bot)

  /** Asks who the bot is, without which no mention can be told, and registers the webhook. Repeatable. */
  const connect = async (): Promise<void> => {
    try {
      const me = meSchema.parse(await api.getMe())
      bot = { account, id: me.id, username: me.username }
      if (mode === 'webhook') {
        const url = settings.publicUrl?.replace(/\/+$/, '') + webhookPathOf(account)
        await api.setWebhook(url, {
          secret_token: settings.webhookSecret ?? '',
          allowed_updates: wantedUpdates,
          drop_pending_updates: false,
        })
      }
    } catch (error) {
      throw channelErrorOf('getMe', error)
    }
    health = { state: 'up' }
    isReceiving = true
  }

  const sendPart = async (to: Conversation, { text, entities, reply_markup }: Rendered) => {
    try {
      const sent = await api.sendMessage(to.chat, text, {
        ...threadOf(to),
        entities: [...entities],
        ...(reply_markup === undefined ? {} : { reply_markup }),
        // A preview lets Telegram fetch whatever address a model or a customer put into a text.
        link_preview_options: { is_disabled: true },
      })
      return sentSchema.parse(sent)
    } catch (error) {
      throw channelErrorOf('sendMessage', error)
    }
  }

  const start = async (receive: Receive): Promise<AsyncDisposable> => {
    const stopping = new AbortController()
    const { signal } = stopping
    const retryUntilConnected = async (first: ChannelError): Promise<void> => {
      let error = first
      for (let failures = 1; !signal.aborted; failures += 1) {
        health = { state: 'down', detail: error.code }
        log.warn({ account, code: error.code, failures }, 'telegram_not_reached')
        await wait(error.retryAfterMs ?? backoffOf(failures, backoffMs), signal)
        if (signal.aborted) return
        const next = await connect().then(
          () => undefined,
          (again: ChannelError) => again,
        )
        if (next === undefined) return
        error = next
      }
    }
    // A wrong token is told at once; a network that is down is waited for, so that the other channels can start.
    const trouble = await connect().then(
      () => undefined,
      (error: ChannelError) => error,
    )
    if (trouble?.code === 'unauthorized')
      throw new ChannelError(trouble.message, { channel: 'telegram', code: 'unauthorized', permanent: true })
    const claim = settings.lease === undefined ? undefined : { name: `telegram:${bot.id}`, ttlMs: 30_000, ...settings.lease }
    const running = (async () => {
      if (trouble !== undefined) await retryUntilConnected(trouble)
      const report = (now: Health) => {
        health = now
      }
      if (mode === 'polling')
        await poll({ api: polls, account, normalize, receive, claim, report, log, signal, pollSeconds, backoffMs })
    })()
    return {
      async [Symbol.asyncDispose]() {
        stopping.abort()
        await running
        isReceiving = false
        health = { state: 'down', detail: 'stopped' }
      },
    }
  }

  return {
    kind: 'telegram',
    account,
    capabilities: {
      controls: 'buttons',
      buttons: limits.buttons,
      labelLength: limits.label,
      textLength: limits.text,
      edits: true,
      reportsDelivery: false,
      toasts: true,
    },
    normalize,
    start,
    fits,
    health: () => health,

    async send(to, message): Promise<Accepted> {
      const rendering = render(message)
      if (rendering.kind === 'refused') {
        throw new ChannelError(`a ${message.kind} cannot stand on Telegram`, {
          channel: 'telegram',
          code: rendering.why,
          permanent: true,
        })
      }
      const messageIds: string[] = []
      let moment: Accepted['moment']
      for (const part of rendering.parts) {
        const sent = await sendPart(to, part).catch((error: ChannelError) => {
          // What went before this part stands in the chat: sending the message again would show it twice.
          if (messageIds.length === 0) throw error
          const { channel, code, permanent, retryAfterMs } = error
          throw new ChannelError(error.message, {
            channel,
            code,
            permanent,
            mayHaveHappened: true,
            ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
          })
        })
        messageIds.push(String(sent.message_id))
        moment = sent.date === undefined ? undefined : { atMs: sent.date * 1000, order: sent.message_id }
      }
      return { messageIds, ...(moment === undefined ? {} : { moment }) }
    },

    edit: (to, messageIds, card) => editCard(api, to, messageIds, card),

    async answerPress(pressId, text) {
      try {
        await api.answerCallbackQuery(pressId, { text: text.slice(0, answerLength) })
      } catch (error) {
        const refused = channelErrorOf('answerCallbackQuery', error)
        // "query is too old and response timeout expired or query ID is invalid": the spinner has ended by itself.
        if (refused.message.includes('query is too old') || refused.message.includes('query ID is invalid')) return
        throw refused
      }
    },

    ...(mode === 'webhook'
      ? {
          webhook: async (request, receive) => {
            // Before the bot knows its own name, and after it was stopped, Telegram keeps the update and comes again.
            return await answerWebhook(request, {
              name: account,
              secret: settings.webhookSecret ?? '',
              normalize,
              log,
              receive: isReceiving ? receive : () => Promise.reject(new Error('not receiving')),
            })
          },
        }
      : {}),
  }
}
