import { ConfigError } from '../core/errors.ts'
import type { StateName } from '../core/proposal.ts'
import type { Agent, AgentEvent, Fact, Turn } from '../ports/agent.ts'
import { type Extent, type Pattern, type Places, patternOf } from './pattern.ts'

/** What to say: a text for everyone, one a locale, or a function. `{name}` stands for what was in that place. */
export type Words = string | Readonly<Record<string, string>> | ((places: Places, turn: Turn) => string)

/** What to propose. In `args` the string `{name}` is the place's value with its type; inside a longer string it is put in as text. */
export interface Proposing {
  readonly action: string
  readonly args?: Readonly<Record<string, unknown>> | ((places: Places, turn: Turn) => unknown)
}

/** One thing that people may write, in as many wordings or languages as there are, and the answer. */
export interface Rule {
  /** A message with named places, each a word of its own: `abrí un plan de {cuotas:number} cuotas para {cliente}`. */
  readonly when: string | readonly string[]
  /** How much of the message it must be. Default as the options say. */
  readonly match?: Extent
  /** Said first. */
  readonly say?: Words
  /** Withdraws the card with this code; `{name}` as in `say`. */
  readonly withdraw?: string
  /** Proposed last: the turn ends with it. */
  readonly propose?: Proposing
}

/** What to say and propose once it is known what became of a proposal (`onOutcome: 'resume'`). Its places are the arguments that it had. */
export interface OutcomeRule {
  /** The action. */
  readonly of: string
  /** How it ended: `succeeded`, `rejected`, `expired`, … Default however it did. */
  readonly state?: StateName
  readonly say?: Words
  readonly propose?: Proposing
}

/** What holds for a whole script. */
export interface ScriptOptions {
  /** Default `whole`. `start` and `includes` make rules of a few telling words. */
  readonly match?: Extent
  /** What to say when no rule fits. Default nothing. */
  readonly otherwise?: Words
  /** What to go on with; the first that fits. Default nothing: the person was told the outcome. */
  readonly outcomes?: readonly OutcomeRule[]
}

interface Compiled extends Rule {
  readonly patterns: readonly Pattern[]
}

/**
 * An agent that answers by the book and needs no model: each message is answered by the first rule that fits it. The same turn is
 * always answered the same. Throws `ConfigError` with every problem of the rules.
 */
export function scriptedAgent(rules: readonly Rule[], { match = 'whole', otherwise, outcomes = [] }: ScriptOptions = {}): Agent {
  const problems: ConfigError['problems'][number][] = []
  const compiled = rules.flatMap((rule, index): readonly Compiled[] => {
    try {
      return [compile(rule, `agent.rules.${index}`)]
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(...error.problems)
      return []
    }
  })
  if (problems.length > 0) throw new ConfigError(problems)

  return {
    async *run(turn, signal) {
      if (turn.resumed !== undefined) return yield* goOn(outcomes, turn.resumed, turn)
      const events = turn.messages.flatMap(({ text }) => {
        signal.throwIfAborted()
        const found = firstMatch(compiled, text, match)
        return found === undefined ? [] : [...answer(found.rule, found.places, turn)]
      })
      // Messages that came together are each answered: the turn goes on behind a proposal for as long as there is more.
      for (const [index, event] of events.entries())
        yield event.kind === 'propose' && index < events.length - 1 ? { ...event, more: true } : event
      if (events.length === 0 && otherwise !== undefined) yield { kind: 'text', text: wordsFor(otherwise, {}, turn) }
    },
  }
}

function firstMatch(rules: readonly Compiled[], text: string, extent: Extent): { rule: Rule; places: Places } | undefined {
  for (const rule of rules) {
    for (const pattern of rule.patterns) {
      const places = pattern.match(text, rule.match ?? extent)
      if (places !== undefined) return { rule, places }
    }
  }
  return undefined
}

function* goOn(outcomes: readonly OutcomeRule[], { action, state, args }: Fact, turn: Turn): Generator<AgentEvent> {
  const rule = outcomes.find((one) => one.of === action && (one.state === undefined || one.state === state))
  if (rule === undefined) return
  const values = Object.entries(args as Readonly<Record<string, unknown>>)
  yield* answer(rule, Object.fromEntries(values.filter((entry): entry is [string, string | number] => isPlace(entry[1]))), turn)
}

const isPlace = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number'

function* answer(
  { say, withdraw, propose }: Pick<Rule, 'say' | 'withdraw' | 'propose'>,
  places: Places,
  turn: Turn,
): Generator<AgentEvent> {
  if (say !== undefined) yield { kind: 'text', text: wordsFor(say, places, turn) }
  if (withdraw !== undefined) yield { kind: 'withdraw', code: put(withdraw, places) }
  if (propose === undefined) return
  const { action, args = {} } = propose
  yield { kind: 'propose', action, args: typeof args === 'function' ? args(places, turn) : filled(args, places) }
}

function wordsFor(words: Words, places: Places, turn: Turn): string {
  if (typeof words === 'function') return words(places, turn)
  if (typeof words === 'string') return put(words, places)
  return put(words[turn.locale] ?? Object.values(words)[0] ?? '', places)
}

const named = /\{([A-Za-z][A-Za-z0-9_]*)\}/g

const put = (text: string, places: Places): string => text.replace(named, (whole, name: string) => String(places[name] ?? whole))

function filled(template: unknown, places: Places): unknown {
  if (typeof template === 'string') {
    const [, only] = /^\{([A-Za-z][A-Za-z0-9_]*)\}$/.exec(template) ?? []
    return only !== undefined && Object.hasOwn(places, only) ? places[only] : put(template, places)
  }
  if (Array.isArray(template)) return template.map((member) => filled(member, places))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, filled(value, places)]))
}

/** A place that an answer names must be in every wording, or someone would be answered with braces. */
function compile(rule: Rule, path: string): Compiled {
  const patterns = [rule.when].flat().map((when) => patternOf(when, `${path}.when`))
  const texts = [...strings(rule.say), ...strings(rule.withdraw), ...strings(rule.propose?.args)]
  const used = new Set(texts.flatMap((text) => [...text.matchAll(named)].map(([, name = '']) => name)))
  const unknown = [...used].filter((name) => !patterns.every(({ names }) => names.includes(name)))
  if (patterns.length === 0) throw new ConfigError([{ path: `${path}.when`, message: 'is empty' }])
  if (unknown.length > 0)
    throw new ConfigError(unknown.map((name) => ({ path, message: `{${name}} is not a place of every wording` })))
  return { ...rule, patterns }
}

function strings(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : []
}
