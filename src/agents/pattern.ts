import { ConfigError } from '../core/errors.ts'
import { fold } from '../core/fold.ts'

/** What stood in a pattern's places. A place without a type holds words as they were written. */
export type Places = Readonly<Record<string, string | number>>

/** How much of a message a pattern must be. */
export type Extent = 'whole' | 'start' | 'includes'

/** A compiled pattern: `abrí un plan de {cuotas:number} cuotas para el cliente {cliente}`. */
export interface Pattern {
  readonly names: readonly string[]
  /** What stands in its places, or undefined when the text is another. Case, accents, and punctuation around words do not count. */
  match(text: string, extent: Extent): Places | undefined
}

type Part = { readonly word: string } | { readonly name: string; readonly number: boolean }
interface Word {
  readonly written: string
  readonly folded: string
}

const maxWords = 400
const place = /^\{([A-Za-z][A-Za-z0-9_]*)(:number)?\}$/

/** Compiles a pattern. Throws `ConfigError` at `path` for a place inside a word, a place named twice, or a pattern without words. */
export function patternOf(pattern: string, path: string): Pattern {
  const refuse = (message: string) => new ConfigError([{ path, message: `${JSON.stringify(pattern)} ${message}` }])
  const parts = wordsOf(pattern).map(({ written, folded }): Part => {
    const [, name, typed] = place.exec(written) ?? []
    if (name !== undefined) return { name, number: typed !== undefined }
    if (/[{}]/.test(written)) throw refuse('has a place that is no word of its own: write {name} or {name:number} between spaces')
    return { word: folded }
  })
  const names = parts.flatMap((part) => ('name' in part ? [part.name] : []))
  if (new Set(names).size !== names.length) throw refuse('has two places of one name')
  if (!parts.some((part) => 'word' in part)) throw refuse('has no words')
  return {
    names,
    match(text, extent) {
      const words = wordsOf(text)
      if (words.length > maxWords) return undefined
      const last = extent === 'includes' ? words.length - parts.length : 0
      const matchFrom = matcher(parts, words, extent === 'whole')
      for (let start = 0; start <= last; start++) {
        const places = matchFrom(start)
        if (places !== undefined) return places
      }
      return undefined
    },
  }
}

/**
 * Lays the parts over the words from a start on, each place over as few as will do. `dead` remembers, for every start, where the rest
 * was seen not to fit, so all the work is bounded by parts times words times words, whatever anyone writes.
 */
function matcher(parts: readonly Part[], words: readonly Word[], toEnd: boolean): (start: number) => Places | undefined {
  const dead = new Set<number>()
  const lay = (at: number, from: number): Places | undefined => {
    const part = parts[at]
    if (part === undefined) return !toEnd || from === words.length ? {} : undefined
    const key = at * (words.length + 1) + from
    const word = words[from]
    if (word === undefined || dead.has(key)) return undefined
    const found = 'word' in part ? (part.word === word.folded ? lay(at + 1, from + 1) : undefined) : fill(part, at, from)
    if (found === undefined) dead.add(key)
    return found
  }
  const fill = ({ name, number }: Extract<Part, { name: string }>, at: number, from: number): Places | undefined => {
    if (number) {
      const value = numberOf(words[from]?.folded ?? '')
      const rest = value === undefined ? undefined : lay(at + 1, from + 1)
      return rest && value !== undefined ? { [name]: value, ...rest } : undefined
    }
    for (let end = from + 1; end <= words.length; end++) {
      const rest = lay(at + 1, end)
      if (rest !== undefined)
        return {
          [name]: words
            .slice(from, end)
            .map(({ written }) => written)
            .join(' '),
          ...rest,
        }
    }
    return undefined
  }
  return (start) => lay(0, start)
}

const around = new Set('¡!¿?.,;:…()"\'«»“”‘’')

function wordsOf(text: string): readonly Word[] {
  const words: Word[] = []
  for (const raw of text.split(/\p{White_Space}+/u)) {
    let start = 0
    let end = raw.length
    while (start < end && around.has(raw.charAt(start))) start++
    while (end > start && around.has(raw.charAt(end - 1))) end--
    const written = raw.slice(start, end)
    if (written !== '') words.push({ written, folded: fold(written) })
  }
  return words
}

/**
 * A number as people write it in Spanish, Portuguese and English: `3`, `184000`, `184.000`, `1,500.50`, `$ 99,9`. Groups of exactly
 * three digits are thousands; one or two digits at the end are decimals.
 */
function numberOf(folded: string): number | undefined {
  const digits = folded.replace(/^[a-z]{0,2}\$/, '')
  if (!/^-?\d{1,3}(?:[.,]\d{3}){1,4}(?:[.,]\d{1,2})?$|^-?\d{1,15}(?:[.,]\d{1,2})?$/.test(digits)) return undefined
  const decimals = /[.,](\d{1,2})$/.exec(digits)
  const whole = (decimals === null ? digits : digits.slice(0, decimals.index)).replace(/[.,]/g, '')
  return Number(decimals === null ? whole : `${whole}.${decimals[1]}`)
}
