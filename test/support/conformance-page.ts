import { type Row, rows, waitedFor } from './conformance.ts'

const ways = ['as it is', 'under a policy', 'overridden', 'waits'] as const
const systems = [...new Set(rows.map(({ system }) => system))]

/** What would break the table, or is not to be seen, is written by number. */
const cellOf = (text: string): string =>
  text
    .replaceAll('\n', '[U+000A]')
    .replaceAll(
      /[\p{Cc}\p{Cf}\p{Mn}\u00a0]/gu,
      (character) => `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    )
    .replaceAll(/[|<*_\\]/g, String.raw`\$&`)

const isRead = (
  value: object,
): value is { readonly verdict: string; readonly code?: string; readonly always?: true; readonly card?: string } =>
  'verdict' in value

/** A value in words, or as JSON. */
function cell(value: unknown): string {
  if (typeof value === 'string') return cellOf(value)
  if (typeof value !== 'object' || value === null || !isRead(value)) return cellOf(JSON.stringify(value))
  const { verdict, code, always, card } = value
  const decided = verdict === 'none' ? 'nothing' : verdict
  return `${decided}${always === undefined ? '' : ', always'}${code === undefined ? '' : ` #${code}`}${card === undefined ? '' : `; the card is ${card}`}`
}

const isText = (given: unknown): given is { readonly text: string; readonly words?: string } =>
  typeof given === 'object' && given !== null && 'text' in given
const givenOf = ({ given }: Row): string =>
  isText(given) && given.words !== undefined ? `“${cell(given.text)}”, words: ${given.words}` : cell(given)

const shownBy = ({ shown = [] }: Row): string =>
  [...new Set(shown.map(({ file }) => `[${file.replace(/^test\/|\.test\.ts$|\.ts$/g, '')}](../${file})`))].join(' ')

function hereOf(row: Row): string {
  const here = row.here === undefined ? '' : cell(row.here)
  switch (row.holds) {
    case 'as it is':
      return 'the same'
    case 'under a policy':
      return `under \`${row.policy}\`; else: ${here}`
    case 'overridden':
      return `${here} ([rule](consent.md#${row.rule}))`
    case 'waits':
      return `waits for ${row.feature}${row.here === undefined ? '' : `; until then: ${here}`}`
  }
}

const countOf = (some: readonly Row[], way: Row['holds']): number => some.filter(({ holds }) => holds === way).length

/** The page docs/conformance.md: what is counted, and every row. */
export function conformancePage(): string {
  const counts = systems.map((system) => {
    const own = rows.filter((row) => row.system === system)
    return `| ${system} | ${own.length} | ${ways.map((way) => countOf(own, way)).join(' | ')} |`
  })
  const tables = systems.map((system) =>
    [
      `## ${system.charAt(0).toUpperCase()}${system.slice(1)}`,
      '',
      '| row | given | promised there | here | shown by |',
      '|---|---|---|---|---|',
      ...rows
        .filter((row) => row.system === system)
        .map((row) => `| ${row.id} | ${givenOf(row)} | ${cell(row.promised)} | ${hereOf(row)} | ${shownBy(row)} |`),
      '',
    ].join('\n'),
  )
  return [
    '<!-- Written by scripts/conformance.ts from test/fixtures/conformance/rows.json; test/conformance/table.test.ts compares. -->',
    '# What others promise',
    '',
    'Four systems that ask a person before an agent acts, row by row: what was given, what they promise, and what is true here. Each row is a',
    'test, or names the rule that says otherwise in [What counts as a yes](consent.md), with the test of that; or it waits for a feature that is not there yet.',
    '',
    `| system | rows | ${ways.join(' | ')} |`,
    '|---|---|---|---|---|---|',
    ...counts,
    `| all | ${rows.length} | ${ways.map((way) => countOf(rows, way)).join(' | ')} |`,
    '',
    ...(Object.keys(waitedFor).length === 0 ? [] : ['What is waited for:', '']),
    ...Object.entries(waitedFor).flatMap(([feature, { what }]) => [`- ${feature}: ${what}`, '']),
    ...tables,
  ].join('\n')
}
