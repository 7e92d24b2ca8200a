import { commonWords } from './common-words.ts'
import { type CardWords, type Entry, type List, lists, placeIn, type Source } from './decision-file.ts'
import type { Problem } from './errors.ts'
import { fold } from './fold.ts'

interface Written {
  readonly source: Source
  readonly list: List
  readonly entry: Entry
  readonly folded: string
  readonly path: string
}

const writtenIn = (sources: readonly Source[]): readonly Written[] =>
  sources.flatMap((source) =>
    lists.flatMap((list) =>
      (source.decision[list] ?? []).map((entry, index) => ({
        source,
        list,
        entry,
        folded: fold(entry.text),
        path: placeIn(source, `${list}[${index}]`),
      })),
    ),
  )

const decides = (list: List): boolean => list === 'approve' || list === 'reject'

/**
 * What is doubtful in words of one's own (`own`) beside all that are in use, own ones too, the first file of a locale standing over the
 * later ones. What is wrong is refused when they are loaded; this is what a native speaker should look at. Pure.
 */
export function lintWords(own: readonly Source[], all: readonly Source[]): readonly Problem[] {
  const everything = writtenIn(all)
  const found = writtenIn(own).flatMap((one) => [...lintEntry(one), ...lintBeside(one, everything)])
  return [...found, ...own.flatMap((source) => lintCard(source, everything))]
}

function lintEntry({ entry, folded, list, path }: Written): readonly Problem[] {
  const say = (message: string): Problem => ({ path, message: `"${entry.text}" ${message}` })
  const problems: Problem[] = []
  if (!entry.on) return problems
  if (decides(list) && /^\p{L}{1,2}$/u.test(folded))
    problems.push(say('is two letters, which people type by accident: is it a whole answer by itself?'))
  if (list === 'approve' && commonWords.has(folded))
    problems.push(say('is said every day without agreeing to anything: leave it out, or give it weight ack'))
  if (entry.comment === undefined)
    problems.push(say('has no comment: say what it means and why it is safe, for who has to judge it'))
  if (entry.region === undefined) problems.push(say('has no region: say where it is said, or "everywhere"'))
  return problems
}

function lintBeside({ entry, folded, list, path, source }: Written, everything: readonly Written[]): readonly Problem[] {
  const say = (message: string): Problem => ({ path, message: `"${entry.text}" ${message}` })
  const problems: Problem[] = []
  const below = everything.find(
    (other) =>
      other.source.locale === source.locale &&
      other.list === list &&
      other.folded === folded &&
      other.source.file !== source.file,
  )
  if (!entry.on && below === undefined)
    problems.push(say('is switched off, and no other file has it: mend the spelling, or take it out'))
  if (below !== undefined && below.entry.on === entry.on && (entry.weight ?? below.entry.weight) === below.entry.weight)
    problems.push(say(`says the same as ${below.path}: take it out`))
  if (entry.on && entry.weight === 'full' && below?.entry.weight === 'ack')
    problems.push(say(`is only an ack word in ${below.path}: as a full one it also decides what cannot be undone`))
  const abroad = everything.find(
    (other) =>
      entry.on &&
      other.entry.on &&
      decides(list) &&
      decides(other.list) &&
      other.list !== list &&
      other.folded === folded &&
      other.source.locale !== source.locale,
  )
  if (abroad !== undefined) problems.push(say(`means the opposite in ${abroad.path}: whoever speaks both may mean either`))
  const lasting = everything.find(
    (other) => list === 'approve' && entry.on && other.list === 'always' && other.entry.on && folded.endsWith(` ${other.folded}`),
  )
  if (lasting !== undefined) problems.push(say(`hides the "always" of ${lasting.path}: it would approve once only`))
  return problems
}

/** What cards print must be known to whoever reads it. */
function lintCard(source: Source, everything: readonly Written[]): readonly Problem[] {
  return Object.entries(source.decision.card ?? {}).flatMap(([word, text]): readonly Problem[] => {
    const entry = everything.find(
      (other) => other.source.locale === source.locale && other.entry.on && other.folded === fold(text ?? ''),
    )
    const region = entry?.entry.region
    if (region === undefined || region.startsWith('everywhere')) return []
    return [
      {
        path: placeIn(source, `card.${word as keyof CardWords}`),
        message: `"${text}" is said in ${region}: people elsewhere may not know what to answer`,
      },
    ]
  })
}
