import { showNumber } from './show-value.ts'

/** How a locale writes numbers. */
interface Signs {
  readonly group: string
  readonly decimal: string
  readonly digits: readonly string[]
}

const longest = 64

/**
 * Reads a number as a person of the locale writes it, to the last digit: `1.234,56` in Spanish, `1,234.56` in English. A decimal as text,
 * or undefined: what is grouped otherwise than the locale does it (`1.5` in Spanish) could be two numbers, and is none.
 */
export function readNumber(text: string, locale: string): string | undefined {
  const { group, decimal, digits } = signsOf(locale)
  const written = plain(text)
  if (written.length > longest) return undefined
  const grouped = written.includes(group)
  const bare = Array.from(written.replaceAll(group, '').replace(decimal, '.'), (sign) => {
    const digit = digits.indexOf(sign)
    return digit < 0 ? sign : String(digit)
  }).join('')
  const [, minus = '', whole, fraction] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(bare) ?? []
  if (whole === undefined) return undefined
  const shortest = `${minus}${whole.replace(/^0+(?=\d)/, '')}${fraction === undefined ? '' : `.${fraction}`}`
  if (grouped && plain(showNumber(shortest, 0, locale) ?? '') !== written) return undefined
  return /[1-9]/.test(shortest) ? shortest : shortest.replace('-', '')
}

/** Some write the minus and the space between groups by signs of their own. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .trim()
    .replaceAll('\u2212', '-')
    .replace(/[\u200e\u200f\u061c]/g, '')

function signsOf(locale: string): Signs {
  const parts = new Intl.NumberFormat(locale, { useGrouping: 'always' }).formatToParts(1_234_567.5)
  const sign = (type: Intl.NumberFormatPartTypes): string => plainOr(parts.find((part) => part.type === type)?.value, type)
  const digits = Array.from(new Intl.NumberFormat(locale, { useGrouping: false }).format(9_876_543_210)).reverse()
  return { group: sign('group'), decimal: sign('decimal'), digits }
}

// A space, narrow or not, is one here: `trim` would leave nothing of it.
const plainOr = (sign: string | undefined, type: string): string => sign?.normalize('NFKC') ?? (type === 'group' ? ',' : '.')
