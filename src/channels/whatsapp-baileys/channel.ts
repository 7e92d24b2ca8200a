import { randomUUID } from 'node:crypto'
import type { Conversation } from '../../core/conversation.ts'
import { ConfigError } from '../../core/errors.ts'
import type { Normalized } from '../../core/inbound.ts'
import type { Outgoing } from '../../core/outgoing.ts'
import type { Accepted, Channel, Receive, Sending } from '../../ports/channel.ts'
import { nameOf, wait } from '../connection/wait.ts'
import { InboundQueue } from './inbound.ts'
import { keepConnected } from './keeper.ts'
import { Lately } from './lately.ts'
import { installedVersion, type Library, loadBaileys, type proto, versionFault } from './library.ts'
import { messageIdOf } from './message-id.ts'
import { normalizeBaileys } from './normalize.ts'
import { pollToKeep } from './polls.ts'
import { Reader } from './reader.ts'
import { type OpenLine, receivingOf } from './receiving.ts'
import { afterOthers, cannotStand, notConnected, troubleOf } from './refusals.ts'
import { fits, limits, type Part, render } from './render.ts'
import { contentOf } from './send.ts'
import { readCreds } from './session.ts'
import type { BaileysSettings } from './settings.ts'

/** For so long a start waits for the number to be connected, so that what comes next may rely on it. */
const startingMs = 5000

/** For so long a phone may ask for a message again. An older one is not shown once more: nobody knows any more what became of it. */
const resentWithinMs = 5 * 60_000

/** The address to send to: the newest id that the provider gave for the person, a LID before a number; else the chat's own name. */
export function addressOf(to: Conversation, { addresses }: Pick<Sending, 'addresses'>): string {
  if (to.chat.endsWith('@g.us')) return to.chat
  const known = [...addresses, to.chat].map((id) => id.replace(/^wa:/, ''))
  const jid = known.find((id) => id.endsWith('@lid')) ?? known[0] ?? to.chat
  return jid.includes('@') ? jid : `${jid}@s.whatsapp.net`
}

/**
 * One linked WhatsApp number. Throws `ConfigError` at once when Baileys is missing or too old. Messages leave while this process holds the
 * number and is connected; nothing is sent twice by itself.
 */
export function baileysChannel(settings: BaileysSettings): Channel {
  const { account, controls, vault, log, ackMs = 10_000 } = settings
  const fault = versionFault(installedVersion())
  if (fault !== undefined) throw new ConfigError([{ path: `accounts.${account}`, message: fault }])
  const reader = new Reader(account, vault)
  const sent = new Lately<proto.IMessage>(500, resentWithinMs)
  /** What the gateway calls a sending, by the message that carries its controls; empty for the parts before it, of which only refusals are told. */
  const refs = new Lately<string>(5000, 60 * 60_000)
  const listeners = new Set<() => void>()
  let health: ReturnType<Channel['health']> = { state: 'starting' }
  let open: (OpenLine & { readonly library: Library }) | undefined

  const told = (event: Normalized): readonly Normalized[] => {
    if (event.kind !== 'report') return [event]
    const ref = refs.get(event.messageId)
    if (ref === '' && event.status !== 'failed') return []
    return [ref === undefined || ref === '' ? event : { ...event, ref }]
  }

  const start = async (receive: Receive): Promise<AsyncDisposable> => {
    const library = await loadBaileys(account)
    // A key that does not fit is told at once; a store that is away is waited for.
    await readCreds(library, vault, account).catch((error: unknown) => {
      if (error instanceof ConfigError) throw error
      log.warn({ account, error: nameOf(error) }, 'whatsapp_session_not_read')
    })
    const stopping = new AbortController()
    const settled = new AbortController()
    const dropping = new AbortController()
    const queue = new InboundQueue(receive, { account, log, signal: dropping.signal })
    const running = keepConnected(
      library,
      settings,
      {
        sentLately: (id) => sent.get(id),
        health: (now) => {
          health = now
          if (now.state === 'down' || now.detail?.startsWith('another process') === true) settled.abort()
        },
        ...receivingOf({
          queue,
          reader,
          told,
          opened: (line) => {
            open = line === undefined ? undefined : { ...line, library }
            if (open !== undefined) settled.abort()
            for (const listener of listeners) listener()
          },
        }),
      },
      stopping.signal,
    )
    await wait(startingMs, settled.signal)
    return {
      async [Symbol.asyncDispose]() {
        stopping.abort()
        await running
        dropping.abort()
        await queue.settled()
        health = { state: 'down', detail: 'stopped' }
      },
    }
  }

  const sendPart = async (jid: string, id: string, part: Part): Promise<number | undefined> => {
    const line = open
    if (line === undefined) throw notConnected(health.detail ?? health.state)
    try {
      const poll = part.kind === 'poll' ? await pollToKeep(vault, account, id, part.options) : undefined
      // Before it leaves: a vote that nobody can open would be worth nothing.
      if (poll !== undefined) await line.session.write([poll.entry])
      const content = await contentOf(line.library, part, poll?.secret)
      sent.set(id, content)
      const { sock, closing } = line.connection
      const message = { jid, id, content, isPoll: poll !== undefined }
      return await line.acknowledgements.send(sock, message, { withinMs: ackMs, closed: closing })
    } catch (error) {
      throw troubleOf(error)
    }
  }

  return {
    kind: 'whatsapp-baileys',
    account,
    capabilities: {
      controls,
      buttons: controls === 'poll' ? 2 : 0,
      labelLength: limits.option,
      textLength: limits.text,
      edits: false,
      reportsDelivery: true,
      toasts: false,
    },
    normalize: (payload) => normalizeBaileys(payload, reader.blank),
    start,
    fits,
    health: () => health,
    line: {
      held: () => open !== undefined,
      onChange: (listener) => void listeners.add(listener),
    },

    async send(to, message, sending): Promise<Accepted> {
      const parts = partsOf(message, controls === 'poll' && !to.chat.endsWith('@g.us'))
      const jid = addressOf(to, sending ?? { addresses: [] })
      const ref = sending?.ref ?? randomUUID()
      const messageIds = parts.map((_, part) => messageIdOf({ account, ref, part }))
      for (const [at, id] of messageIds.entries())
        if (sending !== undefined) refs.set(id, at === messageIds.length - 1 ? ref : '')
      let atMs: number | undefined
      for (const [at, part] of parts.entries()) {
        atMs = await sendPart(jid, messageIds[at] ?? '', part).catch((error: unknown) => {
          const refused = troubleOf(error)
          throw at === 0 ? refused : afterOthers(refused)
        })
      }
      return { messageIds, ...(atMs === undefined ? {} : { moment: { atMs } }) }
    },

    edit: async () => 'gone',
    answerPress: async () => {},

    async typing(to) {
      await open?.connection.sock
        .sendPresenceUpdate('composing', addressOf(to, { addresses: [] }))
        .catch((error: unknown) => log.info({ account, error: nameOf(error) }, 'whatsapp_typing_not_shown'))
    },
  }
}

function partsOf(message: Outgoing, polls: boolean): readonly Part[] {
  const rendering = render(message, { polls })
  if (rendering.kind === 'refused') throw cannotStand(message.kind, rendering.why)
  return rendering.parts
}
