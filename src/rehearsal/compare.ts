import type { Effect } from './ledger.ts'
import type { Expected, Scene } from './script.ts'
import type { Shown, Standing } from './stage.ts'

/** What came of a scene. */
export interface Came {
  readonly shown: readonly Shown[]
  /** Turns that reached the agent and that it left unanswered. */
  readonly unanswered: number
  /** What could not be done. */
  readonly problems: readonly string[]
  readonly effects: readonly Effect[]
  readonly cards: (place: string) => readonly Standing[]
}

/** How a scene's lines come out: what stands instead of each expected entry (nothing: it did not come), and what came besides. */
export interface Compared {
  readonly isSame: boolean
  readonly kept: readonly { readonly expected: Expected; readonly lines: readonly string[] | 'as it is' }[]
  readonly besides: readonly string[]
}

const modelAnswers = '(the model answers)'

/**
 * Lays what came over what the file expects. Order counts within a chat; between chats, toasts and the agent it does not, since they do
 * not wait for each other. Effects and cards are looked at where the file asks for them. Pure.
 */
export function compare({ expected, place }: Scene, came: Came, style: 'whole' | 'brief' = 'whole'): Compared {
  const found: readonly Found[] = [
    ...came.problems.map((text): Found => ({ group: 'problem', matches: text, lines: [`(cannot: ${text})`] })),
    ...came.shown.map(
      ({ kind, place: where, text, brief }): Found => ({
        group: `${kind} ${where}`,
        matches: text,
        lines: linesOf(
          `bot${where === place ? '' : `@${where.replace(/^@/, '')}`}${kind === 'toast' ? ' (toast)' : ''}`,
          style === 'whole' ? text : brief,
        ),
      }),
    ),
    ...Array.from(
      { length: came.unanswered },
      (): Found => ({ group: 'agent', matches: modelAnswers, lines: [`agent: ${modelAnswers}`] }),
    ),
  ]
  const pairs = new Map<Expected, Found>()
  for (const group of new Set(found.map((one) => one.group))) {
    const wanted = expected.filter((entry) => groupOf(entry) === group)
    for (const [entry, one] of aligned(
      wanted,
      found.filter((other) => other.group === group),
      (entry, one) => matches(entry.text, one.matches),
    ))
      pairs.set(entry, one)
  }
  const taken = new Set(pairs.values())
  const kept = expected.map((entry) => ({
    expected: entry,
    lines: pairs.has(entry) ? ('as it is' as const) : (lookedUp(entry, came) ?? []),
  }))
  const besides = [...found]
    .sort((a, b) => rank(a, place) - rank(b, place))
    .filter((one) => !taken.has(one))
    .flatMap(({ lines }) => lines)
  return { isSame: besides.length === 0 && kept.every(({ lines }) => lines === 'as it is'), kept, besides }
}

/** Something that came out, by the stream in which its order counts. */
interface Found {
  readonly group: string
  readonly matches: string
  readonly lines: readonly string[]
}

const groupOf = (entry: Expected): string =>
  entry.kind === 'bot' || entry.kind === 'toast' ? `${entry.kind} ${entry.place}` : entry.kind

/** As a reader has it: the tap's answer first, then this chat, then others, then the agent. */
function rank({ group }: Found, place: string): number {
  if (group === 'problem') return 0
  if (group.startsWith('toast ')) return 1
  if (group === `bot ${place}`) return 2
  return group === 'agent' ? 4 : 3
}

const linesOf = (name: string, text: string): readonly string[] => {
  const [first = '', ...more] = text.split('\n')
  return [`${name}: ${first}`, ...more.map((line) => `  ${line}`)]
}

/** `…` stands for anything, the spaces around it included; other white space counts as one space. */
export function matches(pattern: string, text: string): boolean {
  const pieces = oneLine(pattern).split(/ ?… ?/)
  const whole = pieces.map((piece) => piece.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*')
  return new RegExp(`^${whole}$`, 'u').test(oneLine(text))
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** What stands instead of an entry that is looked up and not heard, or that it is as the file says. */
function lookedUp(entry: Expected, came: Came): readonly string[] | 'as it is' | undefined {
  if (entry.kind === 'effects') {
    const lines = came.effects.map(({ action, args }) => `${action} ${JSON.stringify(args)}`)
    const asNumber = /^\d+$/.test(entry.text)
    const now = asNumber ? String(lines.length) : lines.length === 0 ? 'none' : lines.join('\n')
    return matches(entry.text, now) ? 'as it is' : linesOf('effects', now)
  }
  if (entry.kind !== 'card') return undefined
  const cards = came.cards(entry.place)
  const code = entry.code ?? cards.at(-1)?.code
  const meant = cards.filter((card) => card.code === code)
  const wrong = meant.length === 0 ? '(there is none)' : meant.find(({ text }) => !matches(entry.text, text))?.text
  return wrong === undefined ? 'as it is' : linesOf(`card${entry.code === undefined ? '' : ` (#${entry.code})`}`, wrong)
}

/** The longest pairing of two lists in order. */
function aligned<A, B>(left: readonly A[], right: readonly B[], isPair: (a: A, b: B) => boolean): readonly (readonly [A, B])[] {
  const longest = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0))
  const at = (i: number, j: number): number => longest[i]?.[j] ?? 0
  for (let i = left.length - 1; i >= 0; i -= 1)
    for (let j = right.length - 1; j >= 0; j -= 1) {
      const pair = isPair(left[i] as A, right[j] as B) ? at(i + 1, j + 1) + 1 : 0
      const row = longest[i] as number[]
      row[j] = Math.max(pair, at(i + 1, j), at(i, j + 1))
    }
  const pairs: [A, B][] = []
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    if (isPair(left[i] as A, right[j] as B) && at(i, j) === at(i + 1, j + 1) + 1) pairs.push([left[i++] as A, right[j++] as B])
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1
    else j += 1
  }
  return pairs
}
