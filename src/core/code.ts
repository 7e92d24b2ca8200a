/** Digits and capitals that no one mixes up: without 0, 1, I, L, O and U (RULES 1.6). */
export const codeAlphabet = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

const digits = codeAlphabet.slice(0, 8)
const letters = codeAlphabet.slice(8)

/** Is this text, in upper case, a code that a card can carry? */
export const isCode = (text: string): boolean => /^(?=.*[2-9])(?=.*[A-Z])[2-9A-HJKMNP-TV-Z]{4}$/.test(text)

/**
 * Four characters with at least one digit and one letter, so that `#4512` stays an order number. From eight random bytes or more,
 * every code nearly equally likely. Unique only by the store's word: on a clash draw again.
 */
export function codeFrom(random: Uint8Array): string {
  let left = random.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  const draw = (choices: number): number => {
    const drawn = Number(left % BigInt(choices))
    left /= BigInt(choices)
    return drawn
  }
  // Counted, not tried again until one fits: the same bytes always make a code. `kinds` is a set of places that hold digits.
  const kinds = placesOf(draw(total))
  return [0, 1, 2, 3]
    .map((place) => ((kinds >> place) & 1 ? digits[draw(digits.length)] : letters[draw(letters.length)]))
    .join('')
}

const choicesOf = (kinds: number): number =>
  [0, 1, 2, 3].reduce((product, place) => product * ((kinds >> place) & 1 ? digits.length : letters.length), 1)

/** Each mixture of digits and letters except all letters (0) and all digits (15), weighed by how many codes it holds. */
const mixtures = Array.from({ length: 14 }, (_, index) => ({ kinds: index + 1, codes: choicesOf(index + 1) }))
const total = mixtures.reduce((sum, { codes }) => sum + codes, 0)

function placesOf(drawn: number): number {
  let left = drawn
  for (const { kinds, codes } of mixtures) {
    if (left < codes) return kinds
    left -= codes
  }
  return 1
}
