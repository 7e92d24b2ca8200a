import { InvalidArgumentError } from 'commander'

/** A port to listen on; 0 takes any free one. */
export function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('It is a number from 0 to 65535.')
  return port
}

/** A time for the end of a process: 0 waits for nothing. */
export function readSeconds(text: string): number {
  const seconds = Number(text)
  if (text.trim() === '' || !(seconds >= 0 && seconds <= 3600))
    throw new InvalidArgumentError('It is a number of seconds from 0 to 3600.')
  return seconds
}

/** A name or a reason: something, on one line, of a bearable length. */
export function readText(text: string): string {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > 500 || /\p{Cc}/u.test(trimmed))
    throw new InvalidArgumentError('It is one line of 1 to 500 characters.')
  return trimmed
}

/** A telephone number with its country, as its digits. */
export function readPhone(text: string): string {
  const digits = text.replaceAll(/[\s()+-]/g, '')
  if (!/^[1-9]\d{6,14}$/.test(digits))
    throw new InvalidArgumentError('It is a number with its country, digits only, like 5491155550101.')
  return digits
}

/** How many, at most. */
export function readLimit(text: string): number {
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > 10_000) throw new InvalidArgumentError('It is a number from 1 to 10000.')
  return limit
}
