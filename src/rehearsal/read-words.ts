import { durationForm, durationOf } from './duration.ts'

/** A line of a header cut into words: bare ones, `"texts"` in JSON's spelling, and at most one `{…}` of JSON. */
export type Word =
  | { readonly kind: 'bare'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly value: Readonly<Record<string, unknown>> }

/** Cuts a line, or says what is wrong with it. A JSON object reaches to the bracket that closes it. */
export function readWords(
  line: string,
): { readonly ok: true; readonly words: readonly Word[] } | { readonly ok: false; readonly why: string } {
  const words: Word[] = []
  let rest = line.trim()
  while (rest !== '') {
    const cut = rest.startsWith('"') ? endOfString(rest) : rest.startsWith('{') ? endOfObject(rest) : endOfBare(rest)
    if (cut === undefined) return { ok: false, why: rest.startsWith('"') ? 'a text has no closing "' : 'a { is not closed' }
    const word = rest.slice(0, cut)
    if (word.startsWith('"') || word.startsWith('{')) {
      const value = parsed(word)
      if (value === undefined) return { ok: false, why: `${word} is not JSON` }
      words.push(
        typeof value === 'string'
          ? { kind: 'text', text: value }
          : { kind: 'json', value: value as Readonly<Record<string, unknown>> },
      )
    } else words.push({ kind: 'bare', text: word })
    rest = rest.slice(cut).trimStart()
  }
  return { ok: true, words }
}

const endOfBare = (text: string): number => /\s/.exec(text)?.index ?? text.length

const endOfString = (text: string): number | undefined => /^"(?:[^"\\]|\\.)*"/.exec(text)?.[0].length

function endOfObject(text: string): number | undefined {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const string = text[at] === '"' ? endOfString(text.slice(at)) : 0
    if (string === undefined) return undefined
    if (string > 0) at += string - 1
    else if (text[at] === '{') depth += 1
    else if (text[at] === '}') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Takes words off the front of a line, and keeps the first thing that was wrong with one. */
export class Words {
  #left: readonly Word[]
  problem: string | undefined

  constructor(words: readonly Word[]) {
    this.#left = words
  }

  get isEmpty(): boolean {
    return this.#left.length === 0
  }

  get rest(): string {
    return this.#left.map((word) => (word.kind === 'json' ? '{…}' : word.text)).join(' ')
  }

  take(bare: string): boolean {
    const [first] = this.#left
    if (first?.kind !== 'bare' || first.text !== bare) return false
    this.#left = this.#left.slice(1)
    return true
  }

  bare(): string | undefined {
    return this.#next('bare')?.text
  }

  bares(): readonly string[] {
    const all: string[] = []
    for (let word = this.bare(); word !== undefined; word = this.bare()) all.push(word)
    return all
  }

  text(): string | undefined {
    return this.#next('text')?.text
  }

  json(): Readonly<Record<string, unknown>> | undefined {
    return this.#next('json')?.value
  }

  /** `10 min`, in two words or one. */
  duration(): number | undefined {
    const [first, second] = this.#left
    if (first?.kind !== 'bare') return undefined
    const both = second?.kind === 'bare' ? durationOf(`${first.text} ${second.text}`) : undefined
    const ms = both ?? durationOf(first.text)
    if (ms === undefined) return this.wrong(`${first.text} is not a time; a time is ${durationForm}`)
    this.#left = this.#left.slice(both === undefined ? 1 : 2)
    return ms
  }

  wrong(why: string): undefined {
    this.problem ??= why
    return undefined
  }

  #next<K extends Word['kind']>(kind: K): Extract<Word, { kind: K }> | undefined {
    const [first] = this.#left
    if (first?.kind !== kind) return undefined
    this.#left = this.#left.slice(1)
    return first as Extract<Word, { kind: K }>
  }
}
