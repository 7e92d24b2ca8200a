import type { Command } from 'commander'
import { showText } from '../../core/show-text.ts'
import type { VocabularyContent } from '../../core/vocabulary-content.ts'
import type { VocabularyRow } from '../../ports/words.ts'
import { momentOf } from '../proposal-lines.ts'
import { readLimit } from '../read-arguments.ts'
import { tableOf } from '../table.ts'
import { answer, type ConfiguredOptions, newVerb, withConfig } from '../verb.ts'

interface HistoryOptions extends ConfiguredOptions {
  readonly account?: string
  readonly limit: number
}

/** `dale vocabulary history`: which words were active when, what changed, and who made them so. */
export const history = (): Command =>
  withConfig(
    newVerb('history', 'Show which words were active when, what changed in them, and who made them active; the newest first.'),
  )
    .option('--account <name>', 'of this account alone')
    .option('--limit <number>', 'at most this many', readLimit, 50)
    .action(async (options: HistoryOptions) => {
      const { withOperations } = await import('../with-operations.ts')
      const rows = await withOperations(options, (operations) => operations.vocabularyHistory(10_000))
      const chosen = rows.filter(({ account }) => options.account === undefined || account === options.account)
      const told = chosen.slice(0, options.limit).map((row) => {
        const before = chosen.find(({ account, id }) => account === row.account && id < row.id)
        const { content: _content, activeSinceMs: _times, ...about } = row
        return { ...about, changes: before === undefined ? [] : changesOf(before.content, row.content) }
      })
      answer(
        options,
        told,
        told.length === 0 ? ['No words were made active yet: the first dale start does it.'] : told.flatMap(linesOf),
      )
    })

type Told = Omit<VocabularyRow, 'content' | 'activeSinceMs'> & { readonly changes: readonly string[] }

function linesOf({ atMs, account, locale, version, by, reason, forced, changes }: Told): readonly string[] {
  const why = [...(reason === undefined ? [] : [showText(reason)]), ...(forced ? ['forced'] : [])].join(', ')
  return [
    ...tableOf([[momentOf(atMs), account, locale, version.slice(0, 12), `by ${showText(by)}`, why]]),
    ...changes.map((change) => `  ${change}`),
  ]
}

/** What one content says that another did not, a line each: `+ approve "vamos" (ack)`. */
export function changesOf(before: VocabularyContent, after: VocabularyContent): readonly string[] {
  const [had, has] = [linesIn(before), linesIn(after)]
  return [
    ...had.filter((line) => !has.includes(line)).map((line) => `- ${line}`),
    ...has.filter((line) => !had.includes(line)).map((line) => `+ ${line}`),
  ]
}

const linesIn = ({ approve, reject, always, edit, leave, reason = [], card }: VocabularyContent): readonly string[] => [
  ...approve.map(({ text, weight }) => `approve "${text}" (${weight})`),
  ...reject.map(({ text }) => `reject "${text}"`),
  ...always.map((text) => `always "${text}"`),
  ...edit.map((text) => `edit "${text}"`),
  ...leave.map((text) => `leave "${text}"`),
  ...reason.map((text) => `reason "${text}"`),
  ...Object.entries(card).map(([word, text]) => `card ${word} "${text}"`),
]
