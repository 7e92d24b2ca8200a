import { request as ask, createServer } from 'node:http'
import { listening } from './local-server.ts'

/** What differs between two bots: where their Bot API is, and how updates come. */
export interface BotSettings {
  readonly apiRoot: string
  readonly mode: 'polling' | 'webhook'
}

/**
 * A `dale.config.mts`: one bot that pays what a person asked it to (`pay 5`) and answers `balance`. The payment is a request to
 * `PAYMENTS_URL` with the proposal's key. No review time: whoever taps here is a program.
 */
export const botConfig = ({
  apiRoot,
  mode,
}: BotSettings): string => `import { defineAction, defineConfig, scriptedAgent } from 'dale-gateway'
import { z } from 'zod'

const pay = defineAction({
  name: 'pay', version: '1', description: 'Pays.', input: z.object({ amount: z.number() }), reversibility: 'observed',
  preview: ({ amount }) => ({ summary: 'Pay ' + amount, fields: [{ key: 'amount', label: 'Amount', value: { kind: 'number', number: amount } }] }),
  execute: async ({ amount }, { idempotencyKey, signal }) => {
    const headers = { 'idempotency-key': idempotencyKey }
    const { ok } = await fetch(process.env.PAYMENTS_URL, { method: 'POST', headers, body: JSON.stringify(amount), signal })
    if (!ok) throw new Error('not paid')
    return {}
  },
})

export default defineConfig({
  accounts: { front: { channel: 'telegram', mode: '${mode}', locale: 'en', apiRoot: '${apiRoot}' } },
  agent: scriptedAgent([
    { when: 'pay {amount:number}', propose: { action: 'pay', args: { amount: '{amount}' } } },
    { when: 'balance', say: 'Nothing is owed.' },
  ]),
  actions: [pay],
  limits: { minReviewTextMs: 0, minReviewPressMs: 0 },
})
`

/** Where the bot pays: counts what was really done. */
export interface Payments extends AsyncDisposable {
  readonly url: string
  readonly paid: readonly { readonly key: string; readonly amount: number }[]
  /** From now on a payment is taken and not answered. Resolves with the next one's amount, once it is there. */
  hold(): Promise<number>
  /** Answers what is held, and again at once from now on. */
  release(): void
}

export async function payments(): Promise<Payments> {
  const paid: { readonly key: string; readonly amount: number }[] = []
  let open = Promise.withResolvers<void>()
  open.resolve()
  let arrived: ((amount: number) => void) | undefined
  const server = createServer(async (request, response) => {
    const amount = Number((await request.toArray()).join(''))
    paid.push({ key: String(request.headers['idempotency-key']), amount })
    arrived?.(amount)
    await open.promise
    response.end()
  })
  return {
    ...(await listening(server)),
    paid,
    hold() {
      open = Promise.withResolvers()
      return new Promise((resolve) => {
        arrived = resolve
      })
    },
    release: () => open.resolve(),
  }
}

/** The address that the world knows, before a gateway that comes and goes. While none is there it answers 502, as proxies do. */
export interface FrontDoor extends AsyncDisposable {
  readonly url: string
  leadsTo(gateway: string | undefined): void
  /** What was answered, in order. */
  readonly statuses: readonly number[]
}

export async function frontDoor(): Promise<FrontDoor> {
  let gateway: string | undefined
  const statuses: number[] = []
  const server = createServer((request, response) => {
    const away = () => {
      statuses.push(502)
      response.writeHead(502).end()
    }
    if (gateway === undefined) return away()
    const { method, headers, url = '/' } = request
    const onward = ask(new URL(url, gateway), { method, headers, agent: false }, (answer) => {
      const { statusCode = 502 } = answer
      statuses.push(statusCode)
      answer.pipe(response.writeHead(statusCode, answer.headers))
    })
    request.pipe(onward.on('error', away))
  })
  return {
    ...(await listening(server)),
    statuses,
    leadsTo(to) {
      gateway = to
    },
  }
}
