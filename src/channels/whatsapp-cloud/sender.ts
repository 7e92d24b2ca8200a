import { z } from 'zod'
import { ChannelError } from '../../core/errors.ts'
import type { Accepted } from '../../ports/channel.ts'
import { Pace } from './pace.ts'
import { type Address, identityOf, receiverOf } from './parties.ts'
import { phone, userId } from './payloads.ts'
import type { Content } from './render.ts'

const sentSchema = z.object({
  messages: z.array(z.object({ id: z.string().min(1).max(512) })).min(1),
  contacts: z
    .array(
      z.object({
        input: z.string().optional().catch(undefined),
        wa_id: phone.optional().catch(undefined),
        user_id: userId.optional().catch(undefined),
      }),
    )
    .catch([])
    .default([]),
})

/** Puts one request to `/messages`; throws `ChannelError`. */
export type Post = (body: Readonly<Record<string, unknown>>) => Promise<unknown>

const troubled = (
  message: string,
  is: { readonly code: string; readonly retryAfterMs?: number; readonly mayHaveHappened?: boolean },
): ChannelError => new ChannelError(message, { channel: 'whatsapp-cloud', permanent: false, ...is })

const tooFast = (retryAfterMs: number): ChannelError =>
  troubled('POST messages: too many to this person (131056)', { code: 'pair_limited', retryAfterMs })

/** What went before this part stands in the chat: sending the message again would show it twice. */
const afterOthers = ({ message, channel, code, permanent, retryAfterMs }: ChannelError): ChannelError =>
  new ChannelError(message, {
    channel,
    code,
    permanent,
    mayHaveHappened: true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })

/** Sends what was rendered, part by part, no faster than WhatsApp takes it. */
export class Sender {
  readonly #post: Post
  readonly #now: () => Promise<number>
  readonly #pace = new Pace()

  /** `now` in milliseconds, of the clock by which what failed is sent again. */
  constructor(post: Post, now: () => Promise<number>) {
    this.#post = post
    this.#now = now
  }

  /**
   * Sends the parts in order; `ref` comes back with every status of the last, for then the whole is there. Nothing is repeated. Throws
   * `ChannelError`.
   */
  async send(address: Address, parts: readonly Content[], ref: string | undefined): Promise<Accepted> {
    const receiver = receiverOf(address)
    const messageIds: string[] = []
    const also = new Set<string>()
    for (const [at, part] of parts.entries()) {
      const sent = await this.#one(address, part, at === parts.length - 1 ? ref : undefined).catch((error: ChannelError) => {
        throw messageIds.length === 0 ? error : afterOthers(error)
      })
      messageIds.push(...sent.messages.map(({ id }) => id))
      if (address.recipient_type === 'group') continue
      // The number as WhatsApp writes it: the only proof that two spellings are one person.
      const same = sent.contacts.filter(({ input = receiver }) => input === receiver)
      for (const { user_id: id, wa_id: number } of same)
        for (const known of [id, number]) if (known !== undefined) also.add(identityOf(known))
    }
    return { messageIds, ...(also.size === 0 ? {} : { also: [...also] }) }
  }

  async #one(address: Address, content: Content, ref: string | undefined): Promise<z.infer<typeof sentSchema>> {
    const receiver = receiverOf(address)
    const waitMs = this.#pace.isSlow(receiver) ? this.#pace.waitMs(receiver, await this.#now()) : 0
    if (waitMs > 0) throw tooFast(waitMs)
    const answer = await this.#post({
      messaging_product: 'whatsapp',
      ...address,
      ...content,
      ...(ref === undefined ? {} : { biz_opaque_callback_data: ref }),
    }).catch(async (error: ChannelError) => {
      throw error.code === 'pair_limited' ? tooFast(this.#pace.refused(receiver, await this.#now())) : error
    })
    if (this.#pace.isSlow(receiver)) this.#pace.took(receiver, await this.#now())
    const read = sentSchema.safeParse(answer)
    if (read.success) return read.data
    throw troubled('POST messages: an answer without the id of a message', { code: 'no_answer', mayHaveHappened: true })
  }
}
