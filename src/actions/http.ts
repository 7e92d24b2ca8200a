import { z } from 'zod'
import { ActionError, ConfigError, type Problem } from '../core/errors.ts'
import { type Secret, secretValueOf } from '../core/secret.ts'
import type { Action, CallContext, CallResult, LookUp } from '../ports/action.ts'
import type { AllowPrivate } from './addresses.ts'
import { type ActionDefinition, defineAction } from './define-action.ts'
import { type HttpAnswer, HttpCallError, httpCall } from './http-call.ts'
import { meaningOf } from './http-status.ts'
import { type UrlTemplate, urlTemplateOf } from './url-template.ts'

type Shared<Input extends z.ZodObject> = Omit<ActionDefinition<Input>, 'idempotency' | 'needs' | 'execute' | 'lookUp'>

/** An action that is one HTTP request. Places like `{cliente}` in its addresses are filled from the arguments, percent-encoded. */
export interface HttpActionDefinition<Input extends z.ZodObject> extends Shared<Input> {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string | Secret>>
  /** What is sent as JSON. Default the arguments; `undefined` sends none. The same arguments must always give the same body. */
  body?(args: z.output<Input>): unknown
  /** The header that carries the idempotency key, when the far side keeps keys. Without it a call is never made twice. */
  readonly keyHeader?: string
  /** For servers that say 200 to everything: false means refused, with nothing done. */
  okWhen?(answer: HttpAnswer): boolean
  /** What to tell the person and the agent. Default the body for the agent. */
  told?(answer: HttpAnswer, args: z.output<Input>): CallResult
  /** How to look for the effect after an unknown end, with GET. `{idempotencyKey}` is a place too. */
  readonly lookUp?: {
    readonly url: string
    /** Default: 2xx found, 404 and 410 absent, anything else unknown. `absent` is taken as a proof: say it only when it is one. */
    read?(answer: HttpAnswer): LookUp['kind']
  }
  /** Hosts inside a network that it may call, or `true` for any but link-local. Default none. */
  readonly allowPrivate?: AllowPrivate
}

const maxBytes = 256 * 1024

/**
 * Makes an action out of one HTTP request. A status is read as what it proves (docs/decisions/0012): 2xx is done, a 4xx on a first
 * attempt is a proof that nothing happened, a 5xx, a timeout or a reset is not. Throws `ConfigError` with every problem.
 */
export function httpAction<Input extends z.ZodObject>(definition: HttpActionDefinition<Input>): Action {
  const { name, headers = {}, keyHeader, allowPrivate = false } = definition
  const problems: Problem[] = []
  const shape = definition.input instanceof z.ZodObject ? Object.keys(definition.input.shape) : []
  const url = compiled('url', definition.url, shape)
  const lookUpUrl = definition.lookUp && compiled('lookUp.url', definition.lookUp.url, [...shape, 'idempotencyKey'])
  if (url === undefined || problems.length > 0) throw new ConfigError(problems)

  const call = async (method: string, target: UrlTemplate, args: z.output<Input>, { idempotencyKey, signal }: CallContext) => {
    const body = method === 'GET' ? undefined : definition.body ? definition.body(args) : args
    return httpCall({
      method,
      url: target.expand({ ...args, idempotencyKey }),
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(keyHeader === undefined ? {} : { [keyHeader]: idempotencyKey }),
        ...readHeaders(),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(action.timeoutMs)]),
      allowPrivate,
      maxBytes,
    })
  }

  const {
    method: _method,
    url: _url,
    headers: _headers,
    keyHeader: _key,
    okWhen,
    told,
    lookUp,
    allowPrivate: _allow,
    body: _body,
    ...shared
  } = definition
  const action = defineAction<Input>({
    ...shared,
    idempotency: keyHeader === undefined ? 'none' : 'key',
    needs: Object.values(headers).flatMap((value) => (typeof value === 'string' ? [] : [value.env])),
    async execute(args, context) {
      const answer = await call(definition.method, url, args, context).catch((cause: unknown) => {
        throw failureOf(cause, context.attempt)
      })
      const meaning = meaningOf(answer.status, { keyed: keyHeader !== undefined, first: context.attempt <= 1 })
      if (meaning.kind === 'refused')
        throw new ActionError(`${name}: ${answer.status}, ${meaning.because}`, { action: name, ...meaning })
      if (okWhen === undefined)
        return told?.(answer, args) ?? { ...(answer.body === undefined ? {} : { result: textOf(answer.body) }) }
      if (answer.cut)
        throw new ActionError(`${name}: an answer over ${maxBytes} bytes, not read`, {
          action: name,
          permanent: false,
          mayHaveHappened: true,
        })
      if (!okWhen(answer))
        throw new ActionError(`${name}: ${answer.status}, but the answer says no`, {
          action: name,
          permanent: true,
          mayHaveHappened: context.attempt > 1,
        })
      return told?.(answer, args) ?? { result: textOf(answer.body) }
    },
    ...(lookUp &&
      lookUpUrl && {
        async lookUp(args, context) {
          const answer = await call('GET', lookUpUrl, args, context).catch(unanswered)
          if (answer === undefined) return { kind: 'unknown' }
          const kind = lookUp.read?.(answer) ?? foundBy(answer.status)
          return kind === 'found' ? { kind, result: told?.(answer, args) ?? { result: textOf(answer.body) } } : { kind }
        },
      }),
  })
  return action

  function compiled(path: string, template: string, names: readonly string[]): UrlTemplate | undefined {
    const at = (message: string) => problems.push({ path: `${name}.${path}`, message })
    try {
      const target = urlTemplateOf(template)
      for (const unknown of target.names.filter((place) => !names.includes(place))) at(`{${unknown}} is not a field of input`)
      const { protocol, hostname } = new URL(template)
      if (protocol === 'http:' && allowPrivate !== true && !(Array.isArray(allowPrivate) && allowPrivate.includes(hostname)))
        at('http:// sends secrets in the clear: use https://, or name the host in allowPrivate')
      return target
    } catch (cause) {
      at((cause as Error).message)
      return undefined
    }
  }

  function readHeaders(): Record<string, string> {
    return Object.fromEntries(
      Object.entries(headers).map(([header, value]) => {
        const text = typeof value === 'string' ? value : secretValueOf(value, process.env)
        if (text === undefined) throw new TypeError(`${(value as Secret).env} is not set in the environment`)
        return [header, text]
      }),
    )
  }

  function failureOf(cause: unknown, attempt: number): ActionError {
    const sent = cause instanceof HttpCallError && cause.sent
    // What is wrong before a connection is tried (a place without a value, a missing secret) stays wrong; the network may recover.
    const permanent = !(cause instanceof HttpCallError)
    return new ActionError(
      `${name}: ${(cause as Error).message}`,
      { action: name, permanent, mayHaveHappened: sent || attempt > 1 },
      { cause },
    )
  }
}

const unanswered = (cause: unknown): undefined => {
  // A look-up that got no answer knows nothing, which is an answer; anything else is a bug and goes on.
  if (!(cause instanceof HttpCallError)) throw cause
}

const foundBy = (status: number): LookUp['kind'] =>
  status >= 200 && status < 300 ? 'found' : status === 404 || status === 410 ? 'absent' : 'unknown'

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body ?? ''))
