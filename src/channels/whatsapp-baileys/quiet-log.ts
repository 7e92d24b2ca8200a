import type { Log } from '../../ports/log.ts'

/** What Baileys takes for a logger. */
export interface BaileysLog {
  level: string
  child(about: Record<string, unknown>): BaileysLog
  trace(about: unknown, message?: string): void
  debug(about: unknown, message?: string): void
  info(about: unknown, message?: string): void
  warn(about: unknown, message?: string): void
  error(about: unknown, message?: string): void
}

const nothing = (): void => {}

/** Told anyway, with its code. */
const known = 'stream errored out'

/**
 * Baileys' own log. It writes stanzas, keys and phone numbers at every level, so only the fixed words of its errors come through, and no
 * number in them.
 */
export function quietLog(account: string, log: Log): BaileysLog {
  const quiet: BaileysLog = {
    level: 'silent',
    child: () => quiet,
    trace: nothing,
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: (about, message) => {
      const said = message ?? (typeof about === 'string' ? about : '')
      if (said === known) return
      log.warn({ account, said: said.replaceAll(/\S*\d{3,}\S*/g, '…').slice(0, 120) }, 'baileys_error')
    },
  }
  return quiet
}
