/**
 * What a code of WhatsApp's means to Dale. `later`: as it is, after a wait. `final`: this message will never be taken. `alarm`: nothing
 * is taken until somebody acts at Meta; messages wait. `bug`: the request was wrong, so sending it again is of no use. `window`: the
 * person has to write first.
 */
export type Meaning = 'later' | 'final' | 'alarm' | 'bug' | 'window'

export interface Known {
  readonly code: string
  readonly meaning: Meaning
  readonly retryAfterMs?: number
  /** The message may have gone out all the same. */
  readonly uncertain?: true
}

const second = 1000
const minute = 60 * second

const later = (code: string, retryAfterMs: number): Known => ({ code, meaning: 'later', retryAfterMs })
const unsure = (code: string, retryAfterMs: number): Known => ({ code, meaning: 'later', retryAfterMs, uncertain: true })
const final = (code: string): Known => ({ code, meaning: 'final' })
const alarm = (code: string, retryAfterMs = minute): Known => ({ code, meaning: 'alarm', retryAfterMs })
const bug = (code: string): Known => ({ code, meaning: 'bug' })

/**
 * The codes of `/messages` and of failed statuses. The documentation asks to go by the code, not by the HTTP status or the title.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes/
 */
const table: ReadonlyMap<number, Known> = new Map<number, Known>([
  // The token, and what it may do.
  [0, alarm('unauthorized')],
  [3, alarm('unauthorized')],
  [10, alarm('unauthorized')],
  [102, alarm('unauthorized')],
  [190, alarm('unauthorized')],
  [131005, alarm('unauthorized')],
  // Too much, by app, account, number, or quality.
  [4, later('rate_limited', minute)],
  [80007, later('rate_limited', minute)],
  [130429, later('rate_limited', 2 * second)],
  [131048, alarm('spam_limited', 10 * minute)],
  // To one person; the wait grows with each refusal, see `pace.ts`.
  [131056, later('pair_limited', 6 * second)],
  [131047, { code: 'window_closed', meaning: 'window' }],
  // WhatsApp's own trouble. An unknown error says nothing of whether the message went out.
  [1, unsure('server_error', 5 * second)],
  [2, later('unavailable', 10 * second)],
  [131000, unsure('server_error', 5 * second)],
  [131016, later('unavailable', 10 * second)],
  [131057, later('unavailable', minute)],
  [133004, later('unavailable', 10 * second)],
  // This person, or this kind of message, never.
  [130472, final('experiment')],
  [130497, final('country')],
  [131021, final('to_oneself')],
  [131026, final('undeliverable')],
  [131030, final('not_allowed_number')],
  [131049, final('held_back')],
  [131050, final('opted_out')],
  [131062, final('needs_number')],
  // A plain text may do where this kind did not, so the report of it is not final; the same request never does.
  [131051, final('unsupported')],
  // The account: somebody has to go to Meta.
  [33, alarm('unknown_number')],
  [368, alarm('account_blocked', 10 * minute)],
  [131031, alarm('account_locked', 10 * minute)],
  [131037, alarm('display_name', 10 * minute)],
  [131042, alarm('unpaid', 10 * minute)],
  [131045, alarm('certificate', 10 * minute)],
  [134011, alarm('terms', 10 * minute)],
  // What we wrote was wrong.
  [100, bug('bad_request')],
  [131008, bug('bad_request')],
  [131009, bug('bad_request')],
  [135000, bug('bad_request')],
])

/**
 * What a code means, by the table, else by its range: 200 to 299 are permissions, 132xxx the template, 133xxx the number's
 * registration. Undefined for a code that is not documented.
 */
export function knownError(code: number): Known | undefined {
  const known = table.get(code)
  if (known !== undefined) return known
  if (code >= 200 && code < 300) return alarm('unauthorized')
  if (code >= 132_000 && code < 133_000) return bug('bad_template')
  return code >= 133_000 && code < 134_000 ? alarm('not_registered', 10 * minute) : undefined
}

const alarms: ReadonlySet<string> = new Set(
  [...table.values(), ...[200, 133_010].flatMap((code) => knownError(code) ?? [])]
    .filter(({ meaning }) => meaning === 'alarm')
    .map(({ code }) => code),
)

/** Must somebody act at Meta before anything is sent again? Takes the code of a `ChannelError`. */
export const isAlarm = (code: string): boolean => alarms.has(code)

/** Was the request itself wrong? Takes the code of a `ChannelError`. */
export const isBug = (code: string): boolean => code === 'bad_request' || code === 'bad_template'

/** What a failed status says: a stable word, and whether sending the message again, as text if need be, is of no use. */
export function failureOf(code: number | undefined): { readonly code: string; readonly final?: true } {
  if (code === undefined) return { code: 'failed' }
  const known = knownError(code)
  if (known === undefined) return { code: `graph_${code}` }
  const isFinal = known.code !== 'unsupported' && known.meaning !== 'later' && known.meaning !== 'window'
  return isFinal ? { code: known.code, final: true } : { code: known.code }
}
