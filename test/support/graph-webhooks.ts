import { createHmac } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { WebhookAnswer, WebhookRequest } from '../../src/ports/channel.ts'
import type { Room, User, World } from './graph-world.ts'

/** Whoever answers the webhook's requests; undefined is nobody there. */
export type Door = (request: WebhookRequest) => Promise<WebhookAnswer | undefined>

/** One request: the value of one change, with its field. */
interface Change {
  readonly field: string
  readonly value: Readonly<Record<string, unknown>>
}

/** A contact as it stands beside a message. */
export const contactOf = ({ name, userId, waId }: User): object => ({
  profile: { name },
  ...(waId === undefined ? {} : { wa_id: waId }),
  ...(userId === undefined ? {} : { user_id: userId }),
})

/** Who wrote, as a message names them. */
export const fromOf = ({ userId, waId }: User): object => ({
  ...(waId === undefined ? {} : { from: waId }),
  ...(userId === undefined ? {} : { from_user_id: userId }),
})

/**
 * What the platform tells: signed requests, in order, each again until it is answered with 2xx, as Meta does for seven days. Everything
 * that was once told can be told again.
 */
export class Webhooks {
  readonly #world: World
  readonly #appSecret: string
  readonly #redeliverAfterMs: number
  readonly #queue: Buffer[] = []
  readonly #told: Buffer[] = []
  #door: Door | undefined
  #held: Change[] | undefined
  #running: Promise<void> = Promise.resolve()
  #isRunning = false
  readonly #closing = new AbortController()

  constructor(world: World, appSecret: string, redeliverAfterMs: number) {
    this.#world = world
    this.#appSecret = appSecret
    this.#redeliverAfterMs = redeliverAfterMs
  }

  /** Whose the address is from now on. What waits is told there. */
  connect(door: Door | undefined): void {
    this.#door = door
    this.#run()
  }

  /** How many requests wait to be answered with 2xx. */
  get waiting(): number {
    return this.#queue.length
  }

  /** Every body so far, in the order in which it came about. */
  get told(): readonly Buffer[] {
    return this.#told
  }

  sign(body: Uint8Array): string {
    return `sha256=${createHmac('sha256', this.#appSecret).update(body).digest('hex')}`
  }

  post(field: string, value: Readonly<Record<string, unknown>>): void {
    const change: Change = {
      field,
      value: {
        messaging_product: 'whatsapp',
        metadata: { display_phone_number: this.#world.displayNumber, phone_number_id: this.#world.phoneNumberId },
        ...value,
      },
    }
    if (this.#held === undefined) this.#enqueue([change])
    else this.#held.push(change)
  }

  status(
    room: Room | undefined,
    about: {
      readonly id: string
      readonly status: string
      readonly input?: string
      readonly ref?: string | undefined
      readonly code?: number
    },
  ): void {
    const { id, status, input, ref, code } = about
    const [user] = room?.isGroup === false ? room.users : []
    const recipient = room?.isGroup === true ? room.chat : (user?.waId ?? (/^\d+$/.test(input ?? '') ? input : undefined))
    this.post('messages', {
      ...(user === undefined ? {} : { contacts: [contactOf(user)] }),
      statuses: [
        {
          id,
          status,
          timestamp: String(this.#world.now()),
          ...(recipient === undefined ? {} : { recipient_id: recipient }),
          ...(user?.userId === undefined ? {} : { recipient_user_id: user.userId }),
          ...(room?.isGroup === true ? { recipient_type: 'group' } : {}),
          ...(ref === undefined ? {} : { biz_opaque_callback_data: ref }),
          ...(code === undefined
            ? {}
            : { errors: [{ code, title: 'Failed', message: 'Failed', error_data: { details: 'Failed.' } }] }),
        },
      ],
    })
  }

  /** What happens meanwhile comes in one request. */
  together(work: () => void): void {
    this.#held = []
    work()
    const changes = this.#held
    this.#held = undefined
    if (changes.length > 0) this.#enqueue(changes)
  }

  /** Tells everything once more, in its order. */
  again(): void {
    this.#queue.push(...this.#told)
    this.#run()
  }

  /** Puts a request of one's own in line. */
  raw(body: unknown): void {
    const bytes = Buffer.from(JSON.stringify(body))
    this.#told.push(bytes)
    this.#queue.push(bytes)
    this.#run()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  #enqueue(changes: readonly Change[]): void {
    this.raw({ object: 'whatsapp_business_account', entry: [{ id: '200000000000002', changes }] })
  }

  #run(): void {
    if (this.#isRunning || this.#closing.signal.aborted) return
    this.#isRunning = true
    this.#running = this.#deliver().finally(() => {
      this.#isRunning = false
      if (this.#queue.length > 0 && this.#door !== undefined) this.#run()
    })
  }

  async #deliver(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      const [body] = this.#queue
      if (body === undefined || this.#door === undefined) return
      const answer = await this.#door({
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-hub-signature-256': this.sign(body) },
        query: {},
        body,
      }).catch(() => undefined)
      if (answer !== undefined && answer.status >= 200 && answer.status < 300) {
        this.#queue.shift()
      } else await setTimeout(this.#redeliverAfterMs, undefined, { signal }).catch(() => undefined)
    }
  }
}
