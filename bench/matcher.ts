/**
 * What one message costs to judge, in nanoseconds: the matcher beside what one would write without it. All in one run, the
 * median of five rounds; only the ratios carry over to another machine. `node bench/matcher.ts`
 */
import { readFileSync } from 'node:fs'
import { buildVocabulary } from '../src/core/build-vocabulary.ts'
import type { Source } from '../src/core/decision-file.ts'
import { matchDecision } from '../src/core/match.ts'
import { decisionSchema } from '../src/texts/schemas.ts'
import { ordinarySentencesOf } from '../test/support/ordinary-sentences.ts'

const sourceOf = (locale: string): Source => {
  const file = new URL(`../locales/${locale}/decision.json`, import.meta.url)
  return { locale, file: file.pathname, decision: decisionSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) }
}

const built = buildVocabulary([sourceOf('es'), sourceOf('en')])
if (!built.ok) throw new Error(JSON.stringify(built.problems))
const { vocabulary } = built
const phrases = [...vocabulary.approve.values(), ...vocabulary.reject.values()].map(({ text }) => text)

const words = ['sí', 'ok', 'dale', 'No', 'yes', 'Sí.', 'cancelar', 'listo', 'no, gracias', 'dale #K7Q2']
const sentences = [
  'quiero pagar la factura del mes pasado',
  'hola, cómo va',
  '¿cuánto debo?',
  'Necesito cambiar la dirección de envío por favor',
  'cancelar el pedido 12',
  'bueno dale pero cambiame la cantidad',
  'mañana te aviso',
  'no sé',
]
/** Every hundredth of the sentences with a decision word inside that the tests use. */
const withPhrases = [...new Set(ordinarySentencesOf('es'))].filter((_, place) => place % 100 === 0)
const megabyte = 1_048_576
const texts: Readonly<Record<string, readonly string[]>> = {
  'words that decide': words,
  'ordinary sentences': sentences,
  'sentences with a phrase inside': withPhrases,
  'the mix (1 word to 3 sentences)': [...words.slice(0, 8), ...sentences, ...sentences, ...sentences],
  '4,096 characters': ['x'.repeat(4096), 'sí '.repeat(1365)],
  'hostile: 256 marks': [`s${'\u0301'.repeat(255)}`],
  'hostile: 256 invisible': [`${'\u200b'.repeat(254)}sí`],
  'hostile: 256 that turn the direction': [`${'\u202e\u2067'.repeat(127)}sí`],
  'hostile: 256 of tags': [`${'\u{e0061}'.repeat(127)}sí`],
  'hostile: 256 × U+FDFA': ['\ufdfa'.repeat(256)],
  'hostile: white space': [`si${' \t'.repeat(126)}x`],
  'hostile: 1 MB of letters': ['x'.repeat(megabyte)],
  'hostile: 1 MB of marks': [`s${'\u0301'.repeat(megabyte - 1)}`],
  'hostile: 1 MB of white space': ['si'.padStart(megabyte)],
}

const escaped = phrases.map((phrase) => phrase.replace(/[^\p{L} ]/gu, '\\$&'))
const pattern = () => new RegExp(`^\\s*¡?(?:${escaped.join('|')})(?: #[2-9A-HJKMNP-TV-Z]{4})?(?:\\.|!{1,3})?\\s*$`, 'iu')
const compiled = pattern()
const collator = new Intl.Collator('es', { sensitivity: 'base' })

const ways: Readonly<Record<string, (text: string) => unknown>> = {
  matchDecision: (text) => matchDecision(text, vocabulary),
  'pattern, compiled once': (text) => compiled.test(text),
  'pattern, per message': (text) => pattern().test(text),
  'Intl.Collator': (text) => phrases.some((phrase) => collator.compare(phrase, text) === 0),
}

let kept = 0

/** Microseconds of this thread on a processor: what else runs on the machine does not count as ours. */
const spentUs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** One round of about 100 ms. The texts are read from JSON again, as a provider's are: no engine knows anything about them yet. */
function nanosecondsOf(judge: (text: string) => unknown, given: readonly string[]): number {
  // Of a long text fewer, so that all of them fit into memory.
  const length = Math.max(2, Math.min(256, Math.floor((8 * megabyte) / (given[0]?.length || 1))))
  const copies = JSON.parse(
    JSON.stringify(Array.from({ length }, (_, index) => given[index % given.length])),
  ) as readonly string[]
  let judged = 0
  const start = spentUs()
  // Looking at the clock costs more than judging a long text: twice as much is judged between two looks each time.
  for (let passes = 1; spentUs() - start < 100_000; passes *= 2) {
    for (let pass = 0; pass < passes; pass++) for (const text of copies) if (judge(text)) kept++
    judged += passes * copies.length
  }
  return ((spentUs() - start) * 1000) / judged
}

function medianOfFive(judge: (text: string) => unknown, given: readonly string[]): number {
  for (let warm = 0; warm < 2; warm++) nanosecondsOf(judge, given)
  const rounds = Array.from({ length: 5 }, () => nanosecondsOf(judge, given)).sort((a, b) => a - b)
  return rounds[2] ?? Number.NaN
}

const table = Object.fromEntries(
  Object.entries(texts).map(([kind, given]) => [
    kind,
    Object.fromEntries(Object.entries(ways).map(([way, judge]) => [way, Math.round(medianOfFive(judge, given))])),
  ]),
)

console.log(`ns per message, median of five (node ${process.version}, ${phrases.length} phrases)`)
console.table(table)
console.log('times as much as matchDecision, in this run')
console.table(
  Object.fromEntries(
    Object.entries(table).map(([kind, spent]) => [
      kind,
      Object.fromEntries(
        Object.entries(spent)
          .filter(([way]) => way !== 'matchDecision')
          .map(([way, ns]) => [way, Number((ns / Math.max(1, spent.matchDecision ?? 1)).toPrecision(2))]),
      ),
    ]),
  ),
)
if (kept === 0) throw new Error('nothing was matched: the measurement is of something else')
