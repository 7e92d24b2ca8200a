import { type CardWords, type List, lists, optionalLists, placeIn, type Source } from './decision-file.ts'
import type { Problem } from './errors.ts'
import { fold } from './fold.ts'
import { isPhraseOf, matchDecision } from './match.ts'
import { doubtfulOptOutWord } from './never-words.ts'
import { phraseFaultOf } from './phrase-fault.ts'
import type { Phrase, Verdict, Vocabulary, Weight } from './vocabulary.ts'
import { contentOf, type VocabularyContent, vocabularyOf } from './vocabulary-content.ts'

/** A vocabulary, what its cards print, both as they are kept, and what is doubtful in it; or everything that is wrong. */
export type Built =
  | {
      readonly ok: true
      readonly vocabulary: Vocabulary
      readonly card: CardWords
      readonly content: VocabularyContent
      readonly warnings: readonly Problem[]
    }
  | { readonly ok: false; readonly problems: readonly Problem[] }

type Lists = Omit<Vocabulary, 'version'>

interface Placed {
  readonly on: boolean
  readonly list: List
  readonly folded: string
  readonly phrase: Phrase
  readonly path: string
}

/** Every phrase that counts. In one locale an earlier file's entry stands for a later file's entry of the same words. */
function placedOf(sources: readonly Source[]): readonly Placed[] {
  const fileOf = new Map<string, string>()
  const weightOf = weightsIn(sources)
  return sources.flatMap((source) =>
    lists.flatMap((list) =>
      (source.decision[list] ?? []).flatMap(({ text, on, weight: own }, index) => {
        const { locale, file } = source
        const folded = fold(text)
        const key = `${locale} ${list} ${folded}`
        if (!fileOf.has(key)) fileOf.set(key, file)
        if (fileOf.get(key) !== file) return []
        const weight = own ?? weightOf.get(key) ?? 'full'
        return [{ on, list, folded, phrase: { text, weight, locale }, path: placeIn(source, `${list}[${index}]`) }]
      }),
    ),
  )
}

/** The weight that a phrase has where the file that counts says none: switching "ok" on again must not make it a full yes. */
function weightsIn(sources: readonly Source[]): ReadonlyMap<string, Weight> {
  const weights = new Map<string, Weight>()
  for (const { locale, decision } of sources)
    for (const list of lists)
      for (const { text, weight } of decision[list] ?? []) {
        const key = `${locale} ${list} ${fold(text)}`
        if (weight !== undefined && !weights.has(key)) weights.set(key, weight)
      }
  return weights
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
  [...new Map(sources.map((source) => [source.locale, source]))].flatMap(([locale, source]) =>
    lists
      .filter((list) => !optionalLists.includes(list) && !placed.some((one) => one.list === list && one.phrase.locale === locale))
      .map((list) => ({ path: placeIn(source, list), message: 'has no phrase that is on: give it at least one' })),
  )

/** Everything that a card prints must work when it is typed, for every action: an `ack` word would not. */
const means = {
  confirm: 'approve',
  approve: 'approve',
  cancel: 'reject',
  reject: 'reject',
  edit: 'edit',
  reason: 'reason',
} as const

function printed(word: keyof CardWords, sources: readonly Source[], vocabulary: Vocabulary): { readonly text: string } | Problem {
  const own = sources.filter(({ locale }) => locale === sources[0]?.locale)
  const source = own.find(({ decision }) => decision.card?.[word] !== undefined)
  const text = source?.decision.card?.[word]
  if (source === undefined || text === undefined) {
    const last = own.at(-1)
    return {
      path: last === undefined ? `card.${word}` : placeIn(last, `card.${word}`),
      message: 'is not there: say what cards print',
    }
  }
  const asking = word === 'edit' ? vocabulary.edit : word === 'reason' ? (vocabulary.reason ?? new Set()) : undefined
  const found = asking === undefined ? matchDecision(text, vocabulary) : undefined
  const works =
    asking !== undefined
      ? isPhraseOf(asking, text)
      : found?.kind === 'phrase' &&
        found.verdict === means[word] &&
        found.weight === 'full' &&
        !found.always &&
        found.code === undefined
  if (works) return { text }
  const full = asking !== undefined ? '' : ' with weight full'
  return {
    path: placeIn(source, `card.${word}`),
    message: `"${text}" is no phrase of ${means[word]}${full}: add it there, or print another`,
  }
}

function compile(placed: readonly Placed[], off: readonly Placed[]): Lists {
  const of = (list: List) => placed.filter((one) => one.list === list)
  // Where both locales know a phrase, the first one's weight holds: a Map keeps the last, so the order is turned round.
  const deciding = (list: List) =>
    new Map(
      of(list)
        .toReversed()
        .map(({ folded, phrase }) => [folded, Object.freeze(phrase)]),
    )
  const words = (list: List) => new Set(of(list).map(({ folded }) => folded))
  const [approve, reject] = [deciding('approve'), deciding('reject')]
  const left = off.filter(
    ({ list, folded }) => (list === 'approve' || list === 'reject') && !approve.has(folded) && !reject.has(folded),
  )
  return {
    approve,
    reject,
    always: words('always'),
    edit: words('edit'),
    leave: words('leave'),
    ...(of('reason').length === 0 ? {} : { reason: words('reason') }),
    off: new Map(left.toReversed().map(({ folded, list }) => [folded, list as Verdict])),
  }
}

/**
 * Compiles the active vocabulary of a conversation: its locale's files first, then the fallback's (none when they are the
 * same). Refuses as RULES 1.9, naming every problem, where it is and how to mend it. Pure: the same phrases give the same
 * `version`, in whatever order they stand.
 */
export function buildVocabulary(sources: readonly Source[]): Built {
  const all = placedOf(sources)
  const placed = all.filter(({ on }) => on)
  const faults = placed.flatMap((one) => {
    const fault = phraseFaultOf(one.list, one.phrase.text)
    return fault === undefined ? [] : [{ path: one.path, message: `"${one.phrase.text}" ${fault}` }]
  })
  const faulty = new Set(faults.map(({ path }) => path))
  const sound = placed.filter(({ path }) => !faulty.has(path))
  const compiled = compile(
    sound,
    all.filter(({ on }) => !on),
  )
  const words = { confirm: '', cancel: '', edit: '', approve: '', reject: '' }
  const problems: Problem[] = [...emptiesOf(sources, placed), ...faults, ...clashesOf(sound)]
  for (const word of ['confirm', 'cancel', 'edit', 'approve', 'reject'] as const) {
    const found = printed(word, sources, { version: '', ...compiled })
    if ('text' in found) words[word] = found.text
    else problems.push(found)
  }
  const why = sources.some(({ locale, decision }) => locale === sources[0]?.locale && decision.card?.reason !== undefined)
    ? printed('reason', sources, { version: '', ...compiled })
    : undefined
  if (why !== undefined && !('text' in why)) problems.push(why)
  if (problems.length > 0) return { ok: false, problems }
  const card: CardWords = Object.freeze({ ...words, ...(why !== undefined && 'text' in why ? { reason: why.text } : {}) })
  const doubtful = placed.filter(({ folded }) => folded === doubtfulOptOutWord)
  const warnings = doubtful.map(({ path, phrase }) => ({
    path,
    message: `"${phrase.text}" is an opt-out word for some providers: they may keep it from Dale`,
  }))
  const content = contentOf(
    compiled,
    card,
    sources.map(({ locale }) => locale),
  )
  return { ok: true, vocabulary: vocabularyOf(content), card, content, warnings }
}
