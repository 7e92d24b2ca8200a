/** Structured logging with ids. Never message text, tokens or phone numbers: `about` carries ids, codes, counts and names of states; `event` is in snake_case. */
export interface Log {
  info(about: Readonly<Record<string, unknown>>, event: string): void
  warn(about: Readonly<Record<string, unknown>>, event: string): void
  error(about: Readonly<Record<string, unknown>>, event: string): void
}

/** How much is logged; `silent` is nothing. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
