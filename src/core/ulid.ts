import { ulid, ulidToUUID, uuidToULID } from 'ulid'
import { BrokenInvariantError } from './errors.ts'

const bytesNeeded = 16

/** A ULID from a time in milliseconds since 1970 and sixteen random bytes. Ids sort by time; within one millisecond in no order. */
export function ulidFrom(timeMs: number, random: Uint8Array): string {
  // The package would fall back to the machine's clock for a time of 0 or NaN, and repeat itself on too few bytes.
  if (!Number.isSafeInteger(timeMs) || timeMs <= 0)
    throw new BrokenInvariantError('a ULID needs a positive time in whole milliseconds')
  if (random.length < bytesNeeded) throw new BrokenInvariantError(`a ULID needs ${bytesNeeded} random bytes`)
  let next = 0
  return ulid(timeMs, () => (random[next++] ?? 0) / 256)
}

/** The sixteen bytes behind a ULID. */
export const bytesOfUlid = (id: string): Uint8Array => Buffer.from(ulidToUUID(id).replaceAll('-', ''), 'hex')

/** The ULID behind sixteen bytes. */
export const ulidOfBytes = (bytes: Uint8Array): string =>
  uuidToULID(
    Buffer.from(bytes)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  )
