import pino from 'pino'
import type { Log, LogLevel } from './ports/log.ts'
import { scrub } from './scrub.ts'

/**
 * What a line may carry: ids, names of things in the configuration, words of a fixed list, and counts. Anything else is left out, so
 * that a text or a phone number cannot slip in with a new line of code.
 */
const allowed: ReadonlySet<string> = new Set([
  ...['proposal', 'turn', 'inbox', 'outbox', 'lease', 'attempt', 'action', 'account', 'channel', 'room', 'lane', 'road'],
  ...['source', 'tool'],
  ...['from', 'to', 'event', 'state', 'code', 'reason', 'result', 'what', 'part', 'signal', 'by', 'scope', 'role', 'function'],
  ...['turns', 'deliveries', 'executions', 'errors', 'failures', 'executed', 'waiting', 'ms', 'retryAfterMs', 'graceMs'],
  ...['address', 'page', 'port', 'pid', 'version', 'node', 'database', 'queue', 'gateway', 'workers', 'migrations'],
])

/** Errors may come under either name. */
const errors: ReadonlySet<string> = new Set(['err', 'error'])

/**
 * Opens the log: one JSON object a line with level, time, ids and event, written before the call returns, so that the last words of a
 * process that dies are not lost. Stack traces only at `debug` and below.
 */
export function openLog(level: LogLevel, to: 'stdout' | 'stderr' = 'stdout'): Log {
  const stacks = level === 'debug' || level === 'trace'
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'event',
      // Errors come here as plain values already; pino's own reader would add an empty stack to them.
      serializers: { err: (value: unknown) => value },
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ dest: to === 'stdout' ? 1 : 2, sync: true }),
  )
  return {
    info: (about, event) => logger.info(loggable(about, stacks), event),
    warn: (about, event) => logger.warn(loggable(about, stacks), event),
    error: (about, event) => logger.error(loggable(about, stacks), event),
  }
}

/** What of `about` may stand in a log. */
export function loggable(about: Readonly<Record<string, unknown>>, stacks: boolean): Readonly<Record<string, unknown>> {
  const kept: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(about)) {
    if (errors.has(key)) kept.err = errorOf(value, stacks)
    // The line's own word stands under `event`; what moved a proposal must not take its place.
    else if (allowed.has(key) && isPlain(value))
      kept[key === 'event' ? 'move' : key] = typeof value === 'string' ? scrub(value) : value
  }
  return kept
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

/** An error with its causes, each without what it was about: its kind, its machine word, and what it says, scrubbed. */
function errorOf(error: unknown, stacks: boolean, depth = 0): unknown {
  if (!(error instanceof Error)) return scrub(String(error))
  const { code, cause, stack } = error as { readonly code?: unknown; readonly cause?: unknown; readonly stack?: string }
  return {
    name: error.name,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    message: scrub(error.message),
    ...(stacks && stack !== undefined ? { stack: scrub(stack) } : {}),
    ...(cause !== undefined && depth < 5 ? { cause: errorOf(cause, stacks, depth + 1) } : {}),
  }
}
