/**
 * What one message costs to judge, in nanoseconds: the matcher beside what one would write without it. All in one run, the
 * median of five rounds; only the ratios carry over to another machine. `node bench/matcher.ts`
 */
import { readFileSync } from 'node:fs'
import { buildVocabulary } from '../src/core/build-vocabulary.ts'
import type { Source } from '../src/core/decision-file.ts'
import { matchDecision } from '../src/core/match.ts'
import { decisionSchema } from '../src/texts/schemas.ts'

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
const texts: Readonly<Record<string, readonly string[]>> = {
  'words that decide': words,
  'ordinary sentences': sentences,
  'the mix (1 word to 3 sentences)': [...words.slice(0, 8), ...sentences, ...sentences, ...sentences],
  '4,096 characters': ['x'.repeat(4096), 'sí '.repeat(1365)],
  'hostile: 256 marks': [`s${'\u0301'.repeat(255)}`],
  'hostile: 256 invisible': [`${'\u200b'.repeat(254)}sí`],
  'hostile: 256 × U+FDFA': ['\ufdfa'.repeat(256)],
  'hostile: white space': [`si${' \t'.repeat(126)}x`],
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
  const copies = JSON.parse(
    JSON.stringify(Array.from({ length: 256 }, (_, index) => given[index % given.length])),
  ) as readonly string[]
  let judged = 0
  const start = spentUs()
  while (spentUs() - start < 100_000) {
    for (let pass = 0; pass < 16; pass++) for (const text of copies) if (judge(text)) kept++
    judged += 16 * copies.length
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
const mix = table['the mix (1 word to 3 sentences)'] ?? {}
console.log(
  `On the mix, a pattern compiled per message costs ${Math.round((mix['pattern, per message'] ?? 0) / (mix.matchDecision ?? 1))} times as much.`,
)
if (kept === 0) throw new Error('nothing was matched: the measurement is of something else')
