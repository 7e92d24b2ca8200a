import { Refusal } from './bot-api-methods.ts'

interface Queued {
  readonly update_id: number
  readonly [kind: string]: unknown
}

interface Hook {
  readonly url: string
  readonly secret: string
}

const conflict = (why: string): Refusal => new Refusal(409, `Conflict: ${why}`)

/**
 * Updates on their way to the bot: kept until a poll's offset or a webhook's 2xx confirms them, delivered in order, and again as
 * often as it takes.
 */
export class Updates {
  readonly #all: Queued[] = []
  #waiting: Queued[] = []
  #next = 900_000_001
  #hook: Hook | undefined
  #poller: { readonly end: (refusal?: Refusal) => void } | undefined
  #delivering: Promise<void> | undefined
  #isClosed = false
  readonly #redeliverAfterMs: number

  constructor(redeliverAfterMs: number) {
    this.#redeliverAfterMs = redeliverAfterMs
  }

  readonly post = (content: Readonly<Record<string, unknown>>): void => {
    const update = { update_id: this.#next++, ...content }
    this.#all.push(update)
    this.#waiting.push(update)
    this.#poller?.end()
    this.#deliver()
  }

  /** Telegram delivers everything once more: to a webhook under the same number, to a poll, whose offset has passed it, under a new one. */
  again(): void {
    for (const update of [...this.#all]) {
      this.#waiting.push(this.#hook === undefined ? { ...update, update_id: this.#next++ } : update)
    }
    this.#poller?.end()
    this.#deliver()
  }

  /** Updates that are not confirmed yet. */
  get waiting(): readonly Queued[] {
    return this.#waiting
  }

  get webhookUrl(): string {
    return this.#hook?.url ?? ''
  }

  /** Holds the poll open for `timeout` seconds while nothing waits. An older poll that is open ends with 409, as Telegram does. */
  async poll(payload: Readonly<Record<string, unknown>>, gone: AbortSignal): Promise<readonly Queued[]> {
    if (this.#hook !== undefined)
      throw conflict("can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first")
    this.#poller?.end(conflict('terminated by other getUpdates request; make sure that only one bot instance is running'))
    const { offset, limit = 100, timeout = 0 } = payload
    if (typeof offset === 'number' && offset > 0) this.#waiting = this.#waiting.filter(({ update_id: id }) => id >= offset)
    const allowed = Array.isArray(payload.allowed_updates) ? new Set(payload.allowed_updates) : undefined
    if (allowed !== undefined)
      this.#waiting = this.#waiting.filter((update) => Object.keys(update).some((key) => allowed.has(key)))
    if (this.#waiting.length === 0 && Number(timeout) > 0) await this.#hold(Number(timeout) * 1000, gone)
    return this.#waiting.slice(0, Number(limit))
  }

  #hold(ms: number, gone: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const poller = {
        end: (refusal?: Refusal) => {
          clearTimeout(timer)
          if (this.#poller === poller) this.#poller = undefined
          if (refusal === undefined) resolve()
          else reject(refusal)
        },
      }
      const timer = setTimeout(poller.end, ms)
      gone.addEventListener('abort', () => poller.end())
      this.#poller = poller
    })
  }

  setWebhook(payload: Readonly<Record<string, unknown>>): true {
    const url = typeof payload.url === 'string' ? payload.url : ''
    const secret = typeof payload.secret_token === 'string' ? payload.secret_token : ''
    if (secret !== '' && !/^[\w-]{1,256}$/.test(secret))
      throw new Refusal(400, 'Bad Request: secret token contains unallowed characters')
    this.#hook = url === '' ? undefined : { url, secret }
    if (payload.drop_pending_updates === true) this.#waiting = []
    this.#poller?.end(conflict('terminated by setWebhook request'))
    this.#deliver()
    return true
  }

  deleteWebhook(payload: Readonly<Record<string, unknown>>): true {
    return this.setWebhook({ ...payload, url: '' })
  }

  #deliver(): void {
    this.#delivering ??= this.#deliverAll().finally(() => {
      this.#delivering = undefined
    })
  }

  async #deliverAll(): Promise<void> {
    while (!this.#isClosed && this.#hook !== undefined) {
      const update = this.#waiting[0]
      if (update === undefined) return
      const status = await postTo(this.#hook, update)
      if (status >= 200 && status < 300) this.#waiting.shift()
      else await new Promise((resolve) => setTimeout(resolve, this.#redeliverAfterMs))
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#poller?.end()
    await this.#delivering
  }
}

/** The answer's status; 0 when nobody answers. */
const postTo = (hook: Hook, update: Queued): Promise<number> =>
  fetch(hook.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(hook.secret === '' ? {} : { 'x-telegram-bot-api-secret-token': hook.secret }),
    },
    body: JSON.stringify(update),
  }).then(
    async (answer) => {
      await answer.arrayBuffer()
      return answer.status
    },
    () => 0,
  )
