import type { Conversation } from '../../core/conversation.ts'
import { ChannelError } from '../../core/errors.ts'
import type { Outgoing } from '../../core/outgoing.ts'
import type { Accepted, Channel, Sending } from '../../ports/channel.ts'
import { isAlarm, isBug } from './error-codes.ts'
import { askGraph } from './graph.ts'
import { normalizeWebhook } from './normalize.ts'
import { type Address, addressOf } from './parties.ts'
import { fits, limits, render } from './render.ts'
import { Sender } from './sender.ts'
import { type CloudSettings, checkSettings } from './settings.ts'
import { templated } from './template.ts'
import { answerWebhook } from './webhook.ts'

/** A day after what the person wrote last only templates are taken: the end of the "customer service window". */
const windowMs = 24 * 3_600_000

const refused = (code: string, message: string, permanent: boolean): ChannelError =>
  new ChannelError(message, { channel: 'whatsapp-cloud', code, permanent })

/**
 * One number of the WhatsApp Business Platform. Throws `ConfigError` at once when the settings cannot work: without an app secret no
 * webhook could be trusted. Nothing that may have been sent is sent again by itself.
 */
export function cloudChannel(settings: CloudSettings): Channel {
  checkSettings(settings)
  const { account, phoneNumberId, appSecrets, verifyToken, template, log } = settings
  const graph = { apiRoot: settings.apiRoot, token: settings.token, timeoutMs: settings.timeoutMs ?? 15_000 }
  let isReceiving = false
  let trouble: string | undefined
  let health: ReturnType<Channel['health']> = { state: 'starting' }
  const normalize = (payload: unknown) => normalizeWebhook(payload, { account, phoneNumberId })

  /** What was met last says how the number is doing. That somebody has to act is told once, not with every message. */
  const met = (error: ChannelError | undefined): void => {
    const code = error !== undefined && (isAlarm(error.code) || error.code === 'network') ? error.code : undefined
    if (error !== undefined && isBug(error.code)) log.error({ account, code: error.code }, 'whatsapp_request_refused')
    if (code === 'network' && code !== trouble) log.warn({ account, code }, 'whatsapp_not_reached')
    else if (code !== undefined && code !== trouble) log.error({ account, code }, 'whatsapp_needs_attention')
    trouble = code
    if (isReceiving) health = code === undefined ? { state: 'up' } : { state: 'down', detail: code }
  }

  /** While the store is away this machine's clock has to do: it is off by moments, and a window is a day. */
  const now = async (): Promise<number> => (await settings.clock?.now().catch(() => undefined)) ?? Date.now()

  const sender = new Sender(async (body) => {
    try {
      const answer = await askGraph(graph, 'POST', `${phoneNumberId}/messages`, { body })
      met(undefined)
      return answer
    } catch (error) {
      if (error instanceof ChannelError) met(error)
      throw error
    }
  }, now)

  /** Tells a wrong token or number before the first message needs them. Webhooks come all the same, so it stops nothing. */
  const look = async (signal: AbortSignal): Promise<void> => {
    const trouble = await askGraph(graph, 'GET', `${phoneNumberId}?fields=id`, { signal }).then(
      () => undefined,
      (error: ChannelError) => error,
    )
    if (!signal.aborted) met(trouble)
  }

  /** May anything but a template be sent? Of a group, and without `sending`, WhatsApp says so if not. */
  const isOpen = async (address: Address, sending: Sending | undefined): Promise<boolean> => {
    if (sending === undefined || address.recipient_type === 'group') return true
    if (sending.lastInboundAtMs === undefined) return false
    return (await now()) - sending.lastInboundAtMs < windowMs
  }

  const byTemplate = async (address: Address, message: Outgoing, sending: Sending | undefined): Promise<Accepted> => {
    const content = template === undefined || address.recipient_type === 'group' ? undefined : templated(message, template)
    if (content === undefined)
      throw refused('window_closed', 'the person has not written for a day, and no template says this', false)
    return await sender.send(address, [content], sending?.ref)
  }

  return {
    kind: 'whatsapp-cloud',
    account,
    capabilities: {
      controls: 'buttons',
      buttons: limits.buttons,
      labelLength: limits.label,
      textLength: limits.text,
      edits: false,
      windowMs,
      reportsDelivery: true,
      toasts: false,
    },
    normalize,
    fits,
    health: () => health,

    async start() {
      isReceiving = true
      health = { state: 'up' }
      const stopping = new AbortController()
      const looking = look(stopping.signal)
      return {
        async [Symbol.asyncDispose]() {
          stopping.abort()
          isReceiving = false
          await looking
          health = { state: 'down', detail: 'stopped' }
        },
      }
    },

    async webhook(request, receive) {
      // Before it has started, and after it was stopped, Meta keeps the events and comes again.
      return await answerWebhook(request, {
        name: account,
        appSecrets,
        verifyToken,
        normalize,
        log,
        receive: isReceiving ? receive : () => Promise.reject(new Error('not receiving')),
      })
    },

    async send(to: Conversation, message: Outgoing, sending?: Sending): Promise<Accepted> {
      const address = addressOf(to.chat, sending?.addresses ?? [])
      if (address === undefined)
        throw refused('no_address', 'nothing that WhatsApp takes as a receiver is known for this chat', true)
      // Groups take no buttons, and the card carries the words to type.
      const rendering = render(message, address.recipient_type === 'group')
      if (rendering.kind === 'refused') throw refused(rendering.why, `a ${message.kind} cannot stand on WhatsApp`, true)
      if (!(await isOpen(address, sending))) return await byTemplate(address, message, sending)
      try {
        return await sender.send(address, rendering.parts, sending?.ref)
      } catch (error) {
        // A refusal proves that nothing stands there, so the template is no second copy.
        const isClosed = error instanceof ChannelError && error.code === 'window_closed' && !error.mayHaveHappened
        if (!isClosed) throw error
        return await byTemplate(address, message, sending)
      }
    },

    // WhatsApp has no edit for businesses: what a card has become is told in a message.
    edit: async () => 'gone',
    // A tap has no spinner and no toast there.
    answerPress: async () => {},
  }
}
