import { createHash } from 'node:crypto'
import { type CardWords, type List, lists, type Source } from './decision-file.ts'
import type { Problem } from './errors.ts'
import { fold } from './fold.ts'
import { isPhraseOf, matchDecision } from './match.ts'
import { doubtfulOptOutWord } from './never-words.ts'
import { phraseFaultOf } from './phrase-fault.ts'
import type { Phrase, Vocabulary } from './vocabulary.ts'

/** A vocabulary, what its cards print, and what is doubtful in it; or everything that is wrong. */
export type Built =
  | { readonly ok: true; readonly vocabulary: Vocabulary; readonly card: CardWords; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] }

interface Placed {
  readonly list: List
  readonly folded: string
  readonly phrase: Phrase
  readonly path: string
}

/** Every phrase that is on. In one locale an earlier file's entry stands for a later file's entry of the same words. */
function placedOf(sources: readonly Source[]): readonly Placed[] {
  const fileOf = new Map<string, string>()
  return sources.flatMap(({ locale, file, decision }) =>
    lists.flatMap((list) =>
      (decision[list] ?? []).flatMap(({ text, weight, on }, index) => {
        const folded = fold(text)
        const key = `${locale} ${list} ${folded}`
        if (!fileOf.has(key)) fileOf.set(key, file)
        const path = `${file} ${list}[${index}]`
        return on && fileOf.get(key) === file ? [{ list, folded, phrase: { text, weight, locale }, path }] : []
      }),
    ),
  )
}

// Leaving a question with a word that also refuses a card is what people do: the question comes first (RULES 3).
const mayShare = (a: List, b: List): boolean => a === b || (a === 'leave' && b === 'reject') || (a === 'reject' && b === 'leave')

function clashesOf(placed: readonly Placed[]): readonly Problem[] {
  const before = new Map<string, readonly Placed[]>()
  return placed.flatMap((here) => {
    const others = before.get(here.folded) ?? []
    before.set(here.folded, [...others, here])
    return others.flatMap((other) => {
      const same = `"${here.phrase.text}" reads like "${other.phrase.text}" of ${other.path}`
      if (!mayShare(here.list, other.list))
        return [{ path: here.path, message: `${same}, which means something else: keep one of them` }]
      const twice = here.list === other.list && here.phrase.locale === other.phrase.locale
      return twice ? [{ path: here.path, message: `${same}: keep one of them` }] : []
    })
  })
}

const emptiesOf = (sources: readonly Source[], placed: readonly Placed[]): readonly Problem[] =>
  [...new Map(sources.map(({ locale, file }) => [locale, file]))].flatMap(([locale, file]) =>
    lists
      .filter((list) => !placed.some((one) => one.list === list && one.phrase.locale === locale))
      .map((list) => ({ path: `${file} ${list}`, message: 'has no phrase that is on: give it at least one' })),
  )

/** Everything that a card prints must work when it is typed, for every action: an `ack` word would not. */
const means = { confirm: 'approve', approve: 'approve', cancel: 'reject', reject: 'reject', edit: 'edit' } as const

function printed(word: keyof CardWords, sources: readonly Source[], vocabulary: Vocabulary): { readonly text: string } | Problem {
  const own = sources.filter(({ locale }) => locale === sources[0]?.locale)
  const source = own.find(({ decision }) => decision.card?.[word] !== undefined)
  const text = source?.decision.card?.[word]
  if (source === undefined || text === undefined) {
    return { path: `${own.at(-1)?.file ?? ''} card.${word}`, message: 'is not there: say what cards print' }
  }
  const found = word === 'edit' ? undefined : matchDecision(text, vocabulary)
  const works =
    word === 'edit'
      ? isPhraseOf(vocabulary.edit, text)
      : found?.kind === 'phrase' &&
        found.verdict === means[word] &&
        found.weight === 'full' &&
        !found.always &&
        found.code === undefined
  if (works) return { text }
  const full = word === 'edit' ? '' : ' with weight full'
  return {
    path: `${source.file} card.${word}`,
    message: `"${text}" is no phrase of ${means[word]}${full}: add it there, or print another`,
  }
}

function compile(placed: readonly Placed[]): Vocabulary {
  const of = (list: List) => placed.filter((one) => one.list === list)
  // Where both locales know a phrase, the first one's weight holds: a Map keeps the last, so the order is turned round.
  const deciding = (list: List) =>
    new Map(
      of(list)
        .toReversed()
        .map(({ folded, phrase }) => [folded, Object.freeze(phrase)]),
    )
  const words = (list: List) => new Set(of(list).map(({ folded }) => folded))
  const vocabulary = {
    approve: deciding('approve'),
    reject: deciding('reject'),
    always: words('always'),
    edit: words('edit'),
    leave: words('leave'),
  }
  const content = lists.map((list) => [...vocabulary[list]].map((one) => JSON.stringify(one)).sort())
  return Object.freeze({ version: createHash('sha256').update(JSON.stringify(content)).digest('hex'), ...vocabulary })
}

/**
 * Compiles the active vocabulary of a conversation: its locale's files first, then the fallback's (none when they are the
 * same). Refuses as RULES 1.9, naming every problem, where it is and how to mend it. Pure: the same phrases give the same
 * `version`, in whatever order they stand.
 */
export function buildVocabulary(sources: readonly Source[]): Built {
  const placed = placedOf(sources)
  const faults = placed.flatMap((one) => {
    const fault = phraseFaultOf(one.list, one.phrase.text)
    return fault === undefined ? [] : [{ path: one.path, message: `"${one.phrase.text}" ${fault}` }]
  })
  const faulty = new Set(faults.map(({ path }) => path))
  const sound = placed.filter(({ path }) => !faulty.has(path))
  const vocabulary = compile(sound)
  const words = { confirm: '', cancel: '', edit: '', approve: '', reject: '' }
  const problems: Problem[] = [...emptiesOf(sources, placed), ...faults, ...clashesOf(sound)]
  for (const word of ['confirm', 'cancel', 'edit', 'approve', 'reject'] as const) {
    const found = printed(word, sources, vocabulary)
    if ('text' in found) words[word] = found.text
    else problems.push(found)
  }
  if (problems.length > 0) return { ok: false, problems }
  const doubtful = placed.filter(({ folded }) => folded === doubtfulOptOutWord)
  const warnings = doubtful.map(({ path, phrase }) => ({
    path,
    message: `"${phrase.text}" is an opt-out word for some providers: they may keep it from Dale`,
  }))
  return { ok: true, vocabulary, card: Object.freeze(words), warnings }
}
