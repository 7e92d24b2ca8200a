import { createHash, timingSafeEqual } from 'node:crypto'

/** Digests are of one length, so neither a character nor the length of what is compared shows in the time this takes. */
export const isSameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
