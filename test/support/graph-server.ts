import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { parseArgs } from 'node:util'
import { postMessage, Refusal, type Taken } from './graph-methods.ts'
import { type Person, personIn } from './graph-people.ts'
import { Webhooks } from './graph-webhooks.ts'
import { type Message, type TemplateText, type User, World } from './graph-world.ts'
import { listening } from './local-server.ts'

/** What goes wrong with the next message: a refusal in Meta's form, or a connection that ends before or after the message was taken. */
export type Fault =
  | { readonly refuse: number; readonly code: number; readonly details?: string; readonly retryAfter?: number }
  | { readonly reset: 'before' | 'after' }
  | { readonly html: number }
  /** Sent on to another address. */
  | { readonly redirect: string }
  /** Something in between answers in its place, in JSON of its own. */
  | { readonly status: number; readonly json: unknown }
  /** Taken, and later reported as failed with this code. */
  | { readonly failsLater: number }
  /** Taken, and never answered. */
  | { readonly hangs: true }

/** A call as it came. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** The Graph API on this machine, with one WhatsApp number, and the people who write to it. */
export interface GraphServer extends AsyncDisposable {
  /** The `apiRoot` for a client, with the version. */
  readonly url: string
  readonly token: string
  readonly phoneNumberId: string
  /** The number as its people dial it. */
  readonly displayNumber: string
  readonly appSecret: string
  readonly webhooks: Webhooks
  /** Everything that anybody could have seen, in order. */
  readonly journal: readonly Message[]
  readonly calls: readonly Call[]
  /** A person by name; the same name is the same person. The first one is `AR.1350000001` with the number 5491155550101. */
  person(name: string, about?: Partial<User>): Person
  /** A group with the account and these people in it; returns its id. */
  group(name: string, people: readonly Person[]): string
  /** The messages from the account's side that stand in a chat. */
  shown(chat: string): readonly Message[]
  /** A human writes in the WhatsApp Business app, from the account's own number. */
  ownerSays(chat: string, text: string): string
  /** Another program sends through the same number: only the statuses tell. */
  toolSays(chat: string, text: string): string
  /** Approves a template, instead of the one of this name and language. */
  approves(template: TemplateText): void
  /** A status of a message, as the platform would tell it. */
  reports(messageId: string, status: 'sent' | 'delivered' | 'read' | 'failed', code?: number): void
  /** The person opens the chat: everything delivered is read. */
  opens(chat: string): void
  /** The next message meets this fault; several wait in line. */
  fail(fault: Fault): void
  /** From now on the token is refused, or taken again. */
  refusesToken(refuses: boolean): void
  /** Resolves when `isSo`, looked at after every call. */
  until(isSo: () => boolean): Promise<void>
}

const bodyOf = async (request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> => {
  const body = (await request.toArray()).join('')
  return body === '' ? {} : JSON.parse(body)
}

const answer = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

const refusalBody = ({ message: details, code, subcode }: Refusal): object => ({
  error: {
    message: `(#${code}) ${details}`,
    type: 'OAuthException',
    code,
    ...(subcode === undefined ? {} : { error_subcode: subcode }),
    error_data: { messaging_product: 'whatsapp', details },
    fbtrace_id: 'AExample',
  },
})

/** Starts a Graph API with one number, written from Meta's documentation, on a free port unless one is given. */
export async function graphServer({
  token = 'EAAtest_token_of_no_app',
  phoneNumberId = '100000000000001',
  displayNumber = '15550001111',
  appSecret = 'example-app-secret',
  port = 0,
  now = () => Math.floor(Date.now() / 1000),
  redeliverAfterMs = 10,
  reports = true,
}: {
  readonly token?: string
  readonly phoneNumberId?: string
  readonly displayNumber?: string
  readonly appSecret?: string
  readonly port?: number
  /** Unix time in seconds. */
  readonly now?: () => number
  readonly redeliverAfterMs?: number
  /** Tell `sent` and `delivered` of every message at once. */
  readonly reports?: boolean
} = {}): Promise<GraphServer> {
  const world = new World(phoneNumberId, displayNumber, now)
  const webhooks = new Webhooks(world, appSecret, redeliverAfterMs)
  const people = new Map<string, Person>()
  const faults: Fault[] = []
  const calls: Call[] = []
  const watchers = new Set<() => void>()
  let isTokenRefused = false

  /** What becomes of a message once it is taken. */
  const tellOf = ({ id, room, ref, input }: Taken, failsWith?: number): void => {
    const about = { id, input, ref }
    const code = failsWith ?? (room === undefined || room.unreachable ? 131_026 : undefined)
    if (code !== undefined) webhooks.status(room, { ...about, status: 'failed', code })
    if (code !== undefined || !reports) return
    webhooks.status(room, { ...about, status: 'sent' })
    if (room?.off !== true) webhooks.status(room, { ...about, status: 'delivered' })
    else room.undelivered.push(...room.messages.filter((message) => message.id === id))
  }

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://graph')
    const path = pathname.replace(/^\/v\d+\.0\//u, '')
    const method = request.method ?? 'GET'
    const payload = await bodyOf(request)
    calls.push({ method, path, payload })
    try {
      if (request.headers.authorization !== `Bearer ${token}` || isTokenRefused)
        throw new Refusal(401, 190, 'Error validating access token')
      if (method === 'GET' && path === phoneNumberId)
        return answer(response, 200, { id: phoneNumberId, display_phone_number: displayNumber })
      if (method !== 'POST' || path !== `${phoneNumberId}/messages`)
        throw new Refusal(400, 100, `Unsupported ${method.toLowerCase()} request.`, 33)
      const fault = faults.shift()
      if (fault !== undefined && 'refuse' in fault) {
        const refusal = new Refusal(fault.refuse, fault.code, fault.details ?? 'As the test asked.')
        const headers = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) }
        return answer(response, fault.refuse, refusalBody(refusal), headers)
      }
      if (fault !== undefined && 'html' in fault)
        return void response.writeHead(fault.html, { 'content-type': 'text/html' }).end('<html>Bad Gateway</html>')
      if (fault !== undefined && 'redirect' in fault) return void response.writeHead(307, { location: fault.redirect }).end()
      if (fault !== undefined && 'json' in fault) return answer(response, fault.status, fault.json)
      if (fault !== undefined && 'reset' in fault && fault.reset === 'before') return void request.socket.destroy()
      const taken = postMessage(world, payload)
      tellOf(taken, fault !== undefined && 'failsLater' in fault ? fault.failsLater : undefined)
      if (fault !== undefined && 'reset' in fault) return void request.socket.destroy()
      if (fault === undefined || !('hangs' in fault)) answer(response, 200, taken.answer)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      answer(response, error.status, refusalBody(error))
    } finally {
      for (const look of watchers) look()
    }
  })
  const listens = await listening(server, port)

  const roomOf = (chat: string) => {
    const room = world.rooms.get(chat)
    if (room === undefined) throw new Error(`there is no chat ${chat}`)
    return room
  }

  return {
    url: `${listens.url}/v26.0`,
    token,
    phoneNumberId,
    displayNumber,
    appSecret,
    webhooks,
    journal: world.journal,
    calls,
    person(name, about = {}) {
      const number = people.size + 1
      const user: User = {
        name,
        userId: `AR.135000000${number}`,
        waId: `54911555501${String(number).padStart(2, '0')}`,
        dialled: [],
        ...about,
      }
      const known = people.get(name) ?? personIn(world, user, webhooks)
      people.set(name, known)
      return known
    },
    group(name, members) {
      const chat = `${Buffer.from(`capi_group:${name}`).toString('base64url')}ZD`
      world.open(
        chat,
        members.map(({ user }) => user),
        true,
      )
      return chat
    },
    shown: (chat) => roomOf(chat).messages.filter(({ by }) => by !== 'person'),
    ownerSays(chat, text) {
      const room = roomOf(chat)
      const message = world.put(room, { by: 'owner', type: 'text', body: text, buttons: [] })
      const [user] = room.users
      webhooks.post('smb_message_echoes', {
        message_echoes: [
          {
            from: displayNumber,
            ...(user?.waId === undefined ? {} : { to: user.waId }),
            ...(user?.userId === undefined ? {} : { to_user_id: user.userId }),
            ...(room.isGroup ? { group_id: chat } : {}),
            id: message.id,
            timestamp: String(message.at),
            type: 'text',
            text: { body: text },
          },
        ],
      })
      return message.id
    },
    toolSays(chat, text) {
      const room = roomOf(chat)
      const message = world.put(room, { by: 'tool', type: 'text', body: text, buttons: [] })
      for (const status of ['sent', 'delivered']) webhooks.status(room, { id: message.id, status })
      return message.id
    },
    approves(template) {
      const before = world.templates.findIndex(({ name, language }) => name === template.name && language === template.language)
      world.templates.splice(before < 0 ? world.templates.length : before, 1, template)
    },
    reports(messageId, status, code) {
      const message = world.journal.find(({ id }) => id === messageId)
      const room = message === undefined ? undefined : world.rooms.get(message.chat)
      webhooks.status(room, { id: messageId, status, ref: message?.ref, ...(code === undefined ? {} : { code }) })
    },
    opens(chat) {
      for (const { id, ref, by } of roomOf(chat).messages)
        if (by === 'account') webhooks.status(roomOf(chat), { id, status: 'read', ref })
    },
    fail: (fault) => void faults.push(fault),
    refusesToken(refuses) {
      isTokenRefused = refuses
    },
    async until(isSo) {
      while (!isSo()) {
        await new Promise<void>((resolve) => {
          const look = () => {
            watchers.delete(look)
            resolve()
          }
          watchers.add(look)
        })
      }
    },
    async [Symbol.asyncDispose]() {
      await webhooks.close()
      await listens[Symbol.asyncDispose]()
    },
  }
}

/*
 * As a script: `node test/support/graph-server.ts --port 8082 --webhook http://127.0.0.1:3000/webhooks/front`. Each line on standard
 * input is `name: text` (a message) or `name taps wamid.… Confirmar`; everything that stands in a chat is printed as one line of JSON.
 */
if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '8082' }, webhook: { type: 'string' } } })
  const server = await graphServer({ port: Number(values.port), redeliverAfterMs: 1000 })
  const { url, token, phoneNumberId, appSecret } = server
  console.log(JSON.stringify({ apiRoot: url, token, phoneNumberId, appSecret }))
  const { webhook } = values
  if (webhook !== undefined)
    server.webhooks.connect(async ({ method, headers, body }) => {
      const answered = await fetch(webhook, { method, headers: headers as Record<string, string>, body: Buffer.from(body) })
      return { status: answered.status }
    })
  let printed = 0
  const print = () => {
    for (const message of server.journal.slice(printed)) console.log(JSON.stringify(message))
    printed = server.journal.length
  }
  void (async () => {
    for (;;) {
      const seen = server.journal.length
      await server.until(() => server.journal.length > seen)
      print()
    }
  })()
  const { createInterface } = await import('node:readline')
  for await (const line of createInterface({ input: process.stdin })) {
    const tap = /^(\S+) taps (\S+) (.+)$/.exec(line)
    const said = /^(\S+): (.+)$/.exec(line)
    if (tap !== null) server.person(tap[1] ?? '').taps(tap[2] ?? '', tap[3] ?? '')
    else if (said !== null) server.person(said[1] ?? '').says(said[2] ?? '')
    print()
  }
  await server[Symbol.asyncDispose]()
}
