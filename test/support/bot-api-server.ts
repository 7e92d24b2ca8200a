import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { methods, Refusal } from './bot-api-methods.ts'
import { type Person, personIn } from './bot-api-people.ts'
import { Updates } from './bot-api-updates.ts'
import { type Chat, type Entry, type Message, World } from './bot-api-world.ts'

/** What goes wrong with the next call of a method: a refusal in Telegram's words, or a connection that ends before or after it acted. */
export type Fault =
  | { readonly refuse: number; readonly description: string; readonly parameters?: Readonly<Record<string, number>> }
  | { readonly reset: 'before' | 'after' }
  /** It is done, and the answer never comes. */
  | { readonly silent: true }
  | { readonly html: number }
  /** Something in between answers in its place, in JSON of its own. */
  | { readonly status: number; readonly json: unknown }

/** A call as it came. */
export interface Call {
  readonly method: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** A Bot API server on this machine, and the people who talk to its one bot. */
export interface BotApiServer extends AsyncDisposable {
  /** The `apiRoot` for a client. */
  readonly url: string
  readonly token: string
  readonly bot: World['bot']
  readonly updates: Updates
  /** Everything that anybody could have seen, in order. */
  readonly journal: readonly Entry[]
  readonly calls: readonly Call[]
  /** A person by name; the same name is the same person. The first one has the id 42000001. */
  person(name: string): Person
  /** A group with the bot and these people in it. A forum gets its topics from `topic`. */
  group(title: string, people: readonly Person[], about?: { readonly forum?: boolean; readonly basic?: boolean }): Chat
  /** Opens a topic in a forum; returns its thread id. */
  topic(chat: Chat, name: string): number
  /** The group becomes a supergroup with another id; both chats are told. */
  upgrade(chat: Chat): Chat
  /** The bot's messages that stand in a chat now. */
  shown(chat: number): readonly Message[]
  /** The bot puts a message there that no method of this server makes, such as a photo with a caption and buttons. */
  puts(chat: number, content: Readonly<Record<string, unknown>>): Message
  deletes(chat: number, messageId: number): void
  /** The next call of `method` meets this fault; several wait in line. */
  fail(method: string, fault: Fault): void
  /** Resolves when `isSo`, looked at after every call. */
  until(isSo: () => boolean): Promise<void>
}

const bodyOf = async (request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  return body === '' ? {} : JSON.parse(body)
}

const answer = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Starts a Bot API server, written from Telegram's documentation, on a free port unless one is given. */
export async function botApiServer({
  token = '123456789:AAtest_token_of_no_bot',
  username = 'gateway_example_bot',
  port = 0,
  now = () => Math.floor(Date.now() / 1000),
  redeliverAfterMs = 20,
}: {
  readonly token?: string
  readonly username?: string
  readonly port?: number
  /** Unix time in seconds, for `date`. */
  readonly now?: () => number
  readonly redeliverAfterMs?: number
} = {}): Promise<BotApiServer> {
  const world = new World({ id: Number(token.split(':')[0]), is_bot: true, first_name: 'Gateway', username }, now)
  const updates = new Updates(redeliverAfterMs)
  const presses = new Set<string>()
  const people = new Map<string, Person>()
  const faults = new Map<string, Fault[]>()
  const calls: Call[] = []
  const watchers = new Set<() => void>()

  const resultOf = (method: string, payload: Call['payload'], gone: AbortSignal): unknown => {
    if (method === 'getUpdates') return updates.poll(payload, gone)
    if (method === 'setWebhook') return updates.setWebhook(payload)
    if (method === 'deleteWebhook') return updates.deleteWebhook(payload)
    if (method === 'getWebhookInfo')
      return { url: updates.webhookUrl, has_custom_certificate: false, pending_update_count: updates.waiting.length }
    const known = methods[method]
    if (known === undefined) throw new Refusal(404, 'Not Found')
    return known(world, payload, presses)
  }

  const server = createServer(async (request, response) => {
    const [, said, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? []
    const payload = await bodyOf(request)
    if (said !== token) return answer(response, 401, { ok: false, error_code: 401, description: 'Unauthorized' })
    calls.push({ method, payload })
    const fault = faults.get(method)?.shift()
    try {
      if (fault !== undefined && 'refuse' in fault) throw new Refusal(fault.refuse, fault.description, fault.parameters)
      if (fault !== undefined && 'html' in fault)
        return void response.writeHead(fault.html, { 'content-type': 'text/html' }).end('<html>Bad Gateway</html>')
      if (fault !== undefined && 'json' in fault) return answer(response, fault.status, fault.json)
      if (fault !== undefined && 'reset' in fault && fault.reset === 'before') return void request.socket.destroy()
      const gone = new AbortController()
      response.on('close', () => gone.abort())
      const pending = resultOf(method, payload, gone.signal)
      // A poll that is held open has begun, which is something to wait for.
      for (const look of watchers) look()
      const result = await pending
      if (fault !== undefined && 'silent' in fault) return
      if (fault !== undefined) return void request.socket.destroy()
      answer(response, 200, { ok: true, result })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { code, message: description, parameters } = error
      answer(response, code, { ok: false, error_code: code, description, ...(parameters === undefined ? {} : { parameters }) })
    } finally {
      for (const look of watchers) look()
    }
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))

  const roomOf = (id: number) => {
    const room = world.rooms.get(id)
    if (room === undefined) throw new Error(`there is no chat ${id}`)
    return room
  }
  let groups = 0
  const groupId = (isBasic: boolean): number => {
    groups += 1
    return isBasic ? -450 - groups : -1_001_234_567_000 - groups
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    bot: world.bot,
    updates,
    journal: world.journal,
    calls,
    person(name) {
      const known =
        people.get(name) ??
        personIn(world, { id: 42_000_001 + people.size, is_bot: false, first_name: name }, updates.post, (id) => presses.add(id))
      people.set(name, known)
      return known
    },
    group(title, members, { forum = false, basic = false } = {}) {
      const chat: Chat = {
        id: groupId(basic),
        type: basic ? 'group' : 'supergroup',
        title,
        ...(forum ? { is_forum: true as const } : {}),
      }
      world.open(chat, [world.bot.id, ...members.map(({ user }) => user.id)])
      return chat
    },
    topic(chat, name) {
      const room = roomOf(chat.id)
      const opening = world.put(room, world.bot, { forum_topic_created: { name, icon_color: 7322096 } })
      room.topics.add(opening.message_id)
      return opening.message_id
    },
    upgrade(chat) {
      const room = roomOf(chat.id)
      const [first = world.bot] = [...people.values()].map(({ user }) => user).filter(({ id }) => room.members.has(id))
      const next: Chat = { ...chat, id: groupId(false), type: 'supergroup' }
      world.open(next, [...room.members])
      updates.post({ message: world.put(room, first, { migrate_to_chat_id: next.id }) })
      updates.post({ message: world.put(roomOf(next.id), first, { migrate_from_chat_id: chat.id }) })
      room.movedTo = next.id
      return next
    },
    shown: (chat) => world.botMessages(chat),
    puts: (chat, content) => world.put(roomOf(chat), world.bot, content),
    deletes: (chat, messageId) => world.remove(roomOf(chat), messageId),
    fail: (method, fault) => void faults.set(method, [...(faults.get(method) ?? []), fault]),
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
      server.closeAllConnections()
      await updates.close()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/*
 * As a script: `node test/support/bot-api-server.ts --port 8081`. Each line on standard input is `name: text` (a message),
 * `name taps 12 Confirmar`, or `journal`; everything that the bot shows is printed as one line of JSON.
 */
if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '8081' } } })
  const server = await botApiServer({ port: Number(values.port) })
  console.log(JSON.stringify({ apiRoot: server.url, token: server.token, bot: server.bot.username }))
  let printed = 0
  const print = () => {
    for (const entry of server.journal.slice(printed)) console.log(JSON.stringify(entry))
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
    const tap = /^(\S+) taps (\d+) (.+)$/.exec(line)
    const said = /^(\S+): (.+)$/.exec(line)
    if (tap !== null) server.person(tap[1] ?? '').taps(Number(tap[2]), tap[3] ?? '')
    else if (said !== null) server.person(said[1] ?? '').says(said[2] ?? '')
    print()
  }
  await server[Symbol.asyncDispose]()
}
