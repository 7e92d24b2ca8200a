import { setTimeout as pause } from 'node:timers/promises'
import { ConfigError } from '../core/errors.ts'
import { type Secret, secretValueOf } from '../core/secret.ts'
import type { Agent, AgentEvent, Turn } from '../ports/agent.ts'
import { AgentError } from './agent-error.ts'
import { agentAnswerOf, agentEventOf } from './agent-events.ts'
import { readPush, tokenOf } from './later.ts'
import { linesOf } from './lines.ts'
import { signedHeaders } from './sign.ts'

/** An agent behind an address of one's own; what it gets and answers is in docs/agents-http.md. */
export interface HttpAgentOptions {
  readonly url: string
  /** Signs each request, so the agent can know that Dale asks: `env('AGENT_SECRET')`. */
  readonly secret: Secret
  /** For a whole turn with all its tries, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number
  /** Further tries while the agent is down, before its first event. Default 2. */
  readonly retries?: number
  /** The longest first wait between two tries, doubled each time, in milliseconds. Default 500. */
  readonly backoffMs?: number
  /**
   * The agent may answer 202 and say later what it has to say, at an address that comes with the turn. `withinMs`: for so long; default 10
   * minutes. `publicUrl`: where the gateway is seen from the agent; default `PUBLIC_URL`.
   */
  readonly later?: { readonly withinMs?: number; readonly publicUrl?: string }
}

/**
 * Asks an agent over HTTP: one signed POST a turn. A turn that is tried again carries the same `webhook-id` and `Idempotency-Key`,
 * and nothing is tried again once the agent has said anything. Throws `ConfigError` for an address that is none.
 */
export function httpAgent({ url, secret, timeoutMs = 60_000, retries = 2, backoffMs = 500, later }: HttpAgentOptions): Agent {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new ConfigError([{ path: 'agent.url', message: `${JSON.stringify(url)} is not an http(s):// address` }])
  if (later?.publicUrl !== undefined && !URL.canParse(later.publicUrl))
    throw new ConfigError([
      { path: 'agent.later.publicUrl', message: `${JSON.stringify(later.publicUrl)} is not an http(s):// address` },
    ])
  const { origin } = new URL(url)
  const withinMs = later?.withinMs ?? 600_000
  const addressOf = (turnId: string, secrets: string): string =>
    `${(later?.publicUrl ?? process.env.PUBLIC_URL ?? '').replace(/\/+$/, '')}/agent/turns/${tokenOf(turnId, secrets)}`

  return {
    needs: [secret.env, ...(later === undefined || later.publicUrl !== undefined ? [] : ['PUBLIC_URL'])],
    ...(later && {
      later: {
        withinMs,
        read(token, request) {
          const secrets = secretValueOf(secret, process.env)
          return secrets === undefined
            ? { refused: 401, why: `${secret.env} is not set in the environment.` }
            : readPush(token, request, secrets)
        },
      },
    }),
    async *run(turn, signal) {
      const endsAt = performance.now() + timeoutMs
      const deadline = AbortSignal.timeout(timeoutMs)
      const both = AbortSignal.any([signal, deadline])
      for (let attempt = 0; ; attempt++) {
        let spoke = false
        let waitMs: number
        try {
          for await (const event of ask(turn, both)) {
            spoke = true
            yield event
          }
          return
        } catch (error) {
          const failure = explain(error, signal, deadline)
          waitMs = failure.retryAfterMs ?? Math.random() * backoffMs * 2 ** attempt
          if (spoke || !failure.again || attempt >= retries || performance.now() + waitMs >= endsAt) throw failure
        }
        await pause(waitMs, undefined, { signal })
      }
    },
  }

  async function* ask(turn: Turn, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    const key = secretValueOf(secret, process.env)
    if (key === undefined) throw new AgentError(`${secret.env} is not set in the environment`, { again: false })
    const callback = later && { url: addressOf(turn.id, key), untilMs: Date.now() + withinMs }
    const body = JSON.stringify(callback === undefined ? turn : { ...turn, callback })
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/x-ndjson, application/json',
        'idempotency-key': turn.id,
        ...signedHeaders(key, turn.id, Math.floor(Date.now() / 1000), body),
      },
      body,
      signal,
      // A signed turn goes to the address that was configured and to no other.
      redirect: 'error',
    })
    try {
      yield* eventsOf(response)
    } finally {
      // Whoever stops reading early, at a proposal or an error, leaves no connection open behind.
      if (response.body?.locked === false) await response.body.cancel()
    }
  }

  async function* eventsOf(response: Response): AsyncGenerator<AgentEvent> {
    if (!response.ok) throw refusalOf(response)
    const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
    if (response.status === 202) {
      if (later === undefined)
        throw new AgentError(`The agent at ${origin} answered 202: to be answered later, set later`, { again: false })
      return
    }
    if (response.body === null || response.status === 204) return
    const lines = linesOf(response.body)
    if (type === 'application/x-ndjson') {
      for await (const line of lines) yield agentEventOf(parsed(line))
    } else if (type === 'application/json') {
      const whole: string[] = []
      for await (const line of lines) whole.push(line)
      yield* agentAnswerOf(parsed(whole.join('\n')))
    } else {
      throw new AgentError(
        `The agent at ${origin} answered ${type ?? 'without a content type'}: it must be application/json or application/x-ndjson`,
        { again: false },
      )
    }
  }

  function refusalOf({ status, headers }: Response): AgentError {
    const again = status === 429 || status >= 500
    const advice =
      status === 401 || status === 403 ? `: does it verify with the secret in ${secret.env}?` : again ? '' : ': look at its log'
    return new AgentError(`The agent at ${origin} answered ${status}${advice}`, {
      again,
      retryAfterMs: again ? retryAfterOf(headers) : undefined,
    })
  }

  function explain(error: unknown, signal: AbortSignal, deadline: AbortSignal): AgentError {
    if (signal.aborted) throw signal.reason
    if (deadline.aborted)
      return new AgentError(
        `The agent at ${origin} did not finish within ${timeoutMs} ms: make it faster, or raise timeoutMs`,
        { again: false },
        { cause: error },
      )
    if (error instanceof AgentError) return error
    const { cause = error } = error as Error
    const why = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message
    return new AgentError(`The agent at ${origin} cannot be reached (${why}): is it running?`, { again: true }, { cause: error })
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new AgentError('The agent answered what is not JSON', { again: false }, { cause })
  }
}

/** Seconds or a date (RFC 9110 10.2.3), as milliseconds from now. */
function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
