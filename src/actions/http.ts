import { z } from 'zod'
import { ActionError, ConfigError, type Problem } from '../core/errors.ts'
import type { Secret } from '../core/secret.ts'
import type { Action, CallContext, CallResult, LookUp } from '../ports/action.ts'
import { type AllowPrivate, RefusedAddressError } from './addresses.ts'
import { type ActionDefinition, defaultTimeoutMs, defineAction } from './define-action.ts'
import { filled } from './filled.ts'
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
  /** What to tell the person and the agent. Default the body, to the agent. */
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

/** Of an answer's body; a far side that sends more is not read to the end. */
const maxBytes = 256 * 1024

/**
 * Makes an action out of one HTTP request. A status is read as what it proves (docs/decisions/0012): 2xx is done, a 4xx on a first
 * attempt is a proof that nothing happened, a 5xx, a timeout or a reset is not. Throws `ConfigError` with every problem.
 */
export function httpAction<Input extends z.ZodObject>(definition: HttpActionDefinition<Input>): Action {
  const { method, url: _url, headers = {}, body, keyHeader, okWhen, told, lookUp, allowPrivate = false, ...shared } = definition
  const { name, timeoutMs = defaultTimeoutMs } = shared
  const keyed = keyHeader !== undefined
  const [target, lookUpTarget] = targetsOf(definition)

  const call = (verb: string, to: UrlTemplate, args: z.output<Input>, json: unknown, context: CallContext): Promise<HttpAnswer> =>
    httpCall({
      method: verb,
      url: to.expand({ ...args, idempotencyKey: context.idempotencyKey }),
      headers: {
        accept: 'application/json',
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(keyed ? { [keyHeader]: context.idempotencyKey } : {}),
        ...filled(headers),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      signal: AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)]),
      allowPrivate,
      maxBytes,
    })
  const resultOf = (answer: HttpAnswer, args: z.output<Input>): CallResult =>
    told?.(answer, args) ?? (answer.body === undefined ? {} : { result: textOf(answer.body) })

  return defineAction<Input>({
    ...shared,
    idempotency: keyed ? 'key' : 'none',
    needs: Object.values(headers).flatMap((value) => (typeof value === 'string' ? [] : [value.env])),
    async execute(args, context) {
      const first = context.attempt <= 1
      const failed = (message: string, is: { permanent: boolean; mayHaveHappened: boolean }, options?: ErrorOptions) =>
        new ActionError(`${name}: ${message}`, { action: name, ...is }, options)
      let answer: HttpAnswer
      try {
        answer = await call(method, target, args, body ? body(args) : args, context)
      } catch (cause) {
        const { message, sent, permanent } = failureOf(cause)
        throw failed(message, { permanent, mayHaveHappened: sent || !first }, { cause })
      }
      const meaning = meaningOf(answer.status, { keyed, first })
      if (meaning.kind === 'refused') throw failed(`${answer.status}, ${meaning.because}`, meaning)
      if (okWhen !== undefined && answer.cut)
        throw failed(`an answer over ${maxBytes} bytes is not read`, { permanent: false, mayHaveHappened: true })
      if (okWhen?.(answer) === false)
        throw failed(`${answer.status}, but the answer says no`, { permanent: true, mayHaveHappened: !first })
      return resultOf(answer, args)
    },
    ...(lookUp &&
      lookUpTarget && {
        async lookUp(args, context): Promise<LookUp> {
          const answer = await call('GET', lookUpTarget, args, undefined, context).catch(unanswered)
          if (answer === undefined) return { kind: 'unknown' }
          const kind = lookUp.read?.(answer) ?? foundBy(answer.status)
          return kind === 'found' ? { kind, result: resultOf(answer, args) } : { kind }
        },
      }),
  })
}

/** The compiled addresses; throws `ConfigError` with all that is wrong with either. */
function targetsOf({ name, input, url, lookUp, allowPrivate = false }: HttpActionDefinition<z.ZodObject>) {
  const problems: Problem[] = []
  const fields = input instanceof z.ZodObject ? Object.keys(input.shape) : []
  const compile = (path: string, template: string, names: readonly string[]): UrlTemplate | undefined => {
    const at = (message: string) => problems.push({ path: `${name}.${path}`, message })
    try {
      const target = urlTemplateOf(template)
      for (const unknown of target.names.filter((place) => !names.includes(place))) at(`{${unknown}} is not a field of input`)
      const { protocol, hostname } = new URL(template)
      const inside = typeof allowPrivate === 'boolean' ? allowPrivate : allowPrivate.includes(hostname)
      if (protocol === 'http:' && !inside)
        at('http:// sends secrets in the clear: use https://, or name the host in allowPrivate')
      return target
    } catch (cause) {
      at((cause as Error).message)
      return undefined
    }
  }
  const target = compile('url', url, fields)
  const lookUpTarget = lookUp && compile('lookUp.url', lookUp.url, [...fields, 'idempotencyKey'])
  if (target === undefined || problems.length > 0) throw new ConfigError(problems)
  return [target, lookUpTarget] as const
}

/** What went wrong before an answer. A network may recover; a place without a value, a missing secret or a refused address stays. */
function failureOf(cause: unknown): { readonly message: string; readonly sent: boolean; readonly permanent: boolean } {
  const { message } = cause as Error
  if (!(cause instanceof HttpCallError)) return { message, sent: false, permanent: true }
  return { message, sent: cause.sent, permanent: cause.cause instanceof RefusedAddressError }
}

/** A look-up that got no answer knows nothing, which is an answer; any other error is a bug and goes on. */
function unanswered(cause: unknown): undefined {
  if (!(cause instanceof HttpCallError)) throw cause
  return undefined
}

const foundBy = (status: number): LookUp['kind'] =>
  status >= 200 && status < 300 ? 'found' : status === 404 || status === 410 ? 'absent' : 'unknown'

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))
