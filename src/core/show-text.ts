import { isCode } from './code.ts'

/**
 * What only the runtime prints: its marks and the sign for a line break. In a value they are shown by number, so that no value can
 * dress up as a line of the card.
 */
export const ownGlyphs = '⚠⏳✅❌☑✔✖🔒🚨⏎'

const own = new RegExp(`[${ownGlyphs}]\\uFE0F?`, 'gu')
const lineBreaks = /[\n\r\v\f\u0085\u2028\u2029]+/gu
const spaces = /[\p{Zs}\t]+/gu
/** Emoji of several code points hold joiners and selectors that are part of the picture: those stay. */
const emojiOrHidden = /\p{RGI_Emoji}|[\p{Default_Ignorable_Code_Point}\p{C}\p{Me}\u2800]/gv
const floods = /(?<=^|\s|\p{M}{4})\p{M}+/gu
const rightToLeft = /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/u

/**
 * A text as it stands on a card: one line, nothing in it invisible, nothing that turns the line around, no flood of accents, no code and
 * no control of the card's, and a warning sign behind it when its letters come from several alphabets. Never cut: a reader sees all of it
 * or it is not decidable.
 */
export function showText(text: string): string {
  const line = withoutCodes(text)
    .replace(own, byNumber)
    .replace(lineBreaks, ' ⏎ ')
    .replace(spaces, ' ')
    .replace(emojiOrHidden, (found) => (isPicture(found) ? found : byNumber(found)))
    .replace(floods, byNumber)
    .trim()
  const shown = line === '' ? '—' : line
  // A first-strong isolate keeps Hebrew or Arabic from reordering the label beside it.
  const isolated = rightToLeft.test(shown) ? `\u2068${shown}\u2069` : shown
  return hasMixedLetters(text) ? `${isolated} ⚠` : isolated
}

/** The same text with the `#` of whatever reads as a card's code shown by number: only the card itself names a code. */
export const withoutCodes = (text: string): string =>
  text.replace(/[#＃﹟](?=([\p{L}\p{N}]{4})(?![\p{L}\p{N}]))/gu, (found, four: string) =>
    isCode(four.normalize('NFKC').toUpperCase()) ? byNumber(found) : found,
  )

const isPicture = (found: string): boolean => /^\p{RGI_Emoji}$/v.test(found)

const byNumber = (found: string): string => {
  const numbers = Array.from(found, (character) => (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0'))
  // A flood is told by its first and its size.
  if (numbers.length > 4) return `[U+${numbers[0]} ×${numbers.length}]`
  return numbers.map((number) => `[U+${number}]`).join('')
}

/** Alphabets that one text does not mix by nature. Chinese, Japanese and Korean do mix theirs, and count as one. */
const alphabets = [
  /\p{sc=Latn}/u,
  /\p{sc=Cyrl}/u,
  /\p{sc=Grek}/u,
  /\p{sc=Armn}/u,
  /\p{sc=Cher}/u,
  /[\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Bopo}]/u,
  // All the rest, letters that belong to no alphabet left out.
  /[\p{L}--[\p{sc=Zyyy}\p{sc=Zinh}\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{sc=Armn}\p{sc=Cher}\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Bopo}]]/v,
]
/** Letters of other alphabets that look like Latin ones: a word of these alone would pass for ours without any mixture. */
const lookalikes = /^[АВЕЅІЈКМНОРСТУХаеіјорсухѕԛԝһΑΒΕΖΗΙΚΜΝΟΡΤΥΧοινρ]+$/u
/** Latin letters in fancy dress: mathematical and full-width ones. */
const dressed = /[\u{1D400}-\u{1D7FF}\uFF21-\uFF3A\uFF41-\uFF5A]/u

/** Do the letters of this text come from several alphabets, or pose as Latin ones? */
export function hasMixedLetters(text: string): boolean {
  if (alphabets.filter((alphabet) => alphabet.test(text)).length > 1 || dressed.test(text)) return true
  return (text.match(/\p{L}+/gu) ?? []).some((word) => lookalikes.test(word))
}
