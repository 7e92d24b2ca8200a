import { wait } from '../connection/wait.ts'
import { Lately } from './lately.ts'
import type { BinaryNode, Library, proto, WASocket } from './library.ts'
import { refusalOf, troubleOf, unanswered } from './refusals.ts'
import type { Part } from './render.ts'

/** A message in WhatsApp's own shape. `secret` is a poll's, kept before. */
export async function contentOf(library: Library, part: Part, secret: Uint8Array | undefined): Promise<proto.IMessage> {
  const options = { upload: () => Promise.reject(new Error('Nothing is uploaded')) }
  if (part.kind === 'text')
    // Without the null Baileys would fetch whatever address stands in the text.
    return await library.generateWAMessageContent({ text: part.text, linkPreview: null }, options)
  const values = part.options.map(({ name }) => name)
  const poll = { name: part.name, values, selectableCount: 1, ...(secret === undefined ? {} : { messageSecret: secret }) }
  return await library.generateWAMessageContent({ poll }, options)
}

/** The server's word on messages that this connection has sent. */
export class Acknowledgements {
  readonly #waiting = new Map<string, (node: BinaryNode) => void>()
  readonly #refused = new Lately<true>(500, 60_000)

  constructor(sock: WASocket) {
    sock.ws.on('CB:ack,class:message', (node: BinaryNode) => this.#waiting.get(node.attrs.id ?? '')?.(node))
  }

  /** Is the refusal of this message the answer to its sending? Baileys tells of it once more, as an event. */
  answers(messageId: string): boolean {
    return this.#waiting.has(messageId) || this.#refused.get(messageId) === true
  }

  /**
   * Sends one message and resolves with the server's time, in ms, once the server has taken it. Throws `ChannelError`. A second copy under
   * the same id is the same message to the server and to the phones.
   */
  async send(
    sock: WASocket,
    message: { readonly jid: string; readonly id: string; readonly content: proto.IMessage; readonly isPoll: boolean },
    about: { readonly withinMs: number; readonly closed: AbortSignal },
  ): Promise<number | undefined> {
    const { jid, id, content, isPoll } = message
    const answer = Promise.withResolvers<BinaryNode>()
    this.#waiting.set(id, answer.resolve)
    const late = new AbortController()
    try {
      await sock
        .relayMessage(jid, content, {
          messageId: id,
          ...(isPoll ? { additionalNodes: [{ tag: 'meta', attrs: { polltype: 'creation' } }] } : {}),
        })
        .catch((error: unknown) => {
          throw troubleOf(error)
        })
      const over = AbortSignal.any([late.signal, about.closed])
      const node = await Promise.race([answer.promise, wait(about.withinMs, over)])
      if (node === undefined) throw unanswered(about.closed.aborted ? 'connection_lost' : 'no_ack')
      if (node.attrs.error !== undefined) {
        this.#refused.set(id, true)
        throw refusalOf(node.attrs.error)
      }
      const seconds = Number(node.attrs.t)
      return Number.isSafeInteger(seconds) && seconds > 0 ? seconds * 1000 : undefined
    } finally {
      late.abort()
      this.#waiting.delete(id)
    }
  }
}
