import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Row, rows, type Shown, waitedFor } from '../support/conformance.ts'
import { conformancePage } from '../support/conformance-page.ts'

const root = join(import.meta.dirname, '..', '..')
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
/** A text as a literal of the source, in any of its quotes. */
const literal = (text: string): string => `(['"\`])${escaped(text).replaceAll("'", String.raw`\\?'`)}\\1`

/** Is there a test of this title, or a row of a table that is titled so? */
const hasTest = (source: string, title: string): boolean =>
  new RegExp(String.raw`(?:\b(?:it|test)\(|\)\(|\[)\s*${literal(title)}\s*,`).test(source)

/** Is there such a row: the first word of one in the file, or a recorded payload of that name? */
const hasRow = (file: string, source: string, of: string): boolean =>
  new RegExp(String.raw`\[\s*${literal(of)}\s*,`).test(source) ||
  globSync(`test/fixtures/*/${of}.json`, { cwd: root }).some((path) => file.includes(path.split('/')[2] ?? ''))

function problemOf({ file, title, of }: Shown): string | undefined {
  if (!existsSync(join(root, file))) return `there is no ${file}`
  const source = textOf(file)
  if (file.endsWith('.chat')) return source.startsWith(`# ${title}\n`) ? undefined : `${file} has another rule than “${title}”`
  if (!hasTest(source, title)) return `${file} has no test “${title}”`
  return of === undefined || hasRow(file, source, of) ? undefined : `${file} has no row “${of}” of “${title}”`
}

const problemsOf = (row: Row): readonly string[] => (row.shown ?? []).flatMap((one) => problemOf(one) ?? [])

describe('the rows', () => {
  test('are all of the four systems, each once', () => {
    const counted = Object.groupBy(rows, ({ system }) => system)
    expect(Object.fromEntries(Object.entries(counted).map(([system, own = []]) => [system, own.length]))).toEqual({
      'confirmation gate': 56,
      'confirmation flows': 20,
      'action proposals': 200,
      'host confirmation': 23,
    })
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
  })

  test('say how they hold, and what else is true where they do not', () => {
    const needs = {
      'as it is': ['shown'],
      'under a policy': ['policy', 'here', 'shown'],
      overridden: ['here', 'rule', 'shown'],
      waits: ['feature'],
    } as const
    const optional = ['policy', 'here', 'rule', 'feature', 'shown'] as const
    const lacking = rows.filter((row) => {
      const has: readonly string[] = optional.filter((part) => row[part] !== undefined)
      return needs[row.holds].some((part) => !has.includes(part)) || (row.holds === 'waits' && row.shown !== undefined)
    })
    expect(lacking).toEqual([])
  })

  test('are shown by tests that are there', () => {
    expect(rows.flatMap((row) => problemsOf(row).map((problem) => `${row.id}: ${problem}`))).toEqual([])
  })

  test('are the only ones that tests of this folder speak of', () => {
    const ids = new Set(rows.map(({ id }) => id))
    const files = globSync('test/conformance/*.test.ts', { cwd: root })
    const written = files.flatMap((file) =>
      [...textOf(file).matchAll(/\b(?:as|at|av|ga)-\d{3}\b/g)].map(([id]) => ({ id, file })),
    )
    expect(written.filter(({ id }) => !ids.has(id))).toEqual([])
    const named = written.filter(
      ({ id, file }) => !rows.find((row) => row.id === id)?.shown?.some((one) => basename(one.file) === basename(file)),
    )
    expect(named).toEqual([])
  })
})

describe('a test that is looked for', () => {
  const source = `it('is one', () => {})\ntest.each([\n  ['a row', 1],\n])('%s is two', () => {})\n// 'is three', and more\n`

  test('is found by its title or its row, and by nothing else', () => {
    expect(['is one', 'a row', '%s is two', 'is', 'is three', 'is two'].filter((title) => hasTest(source, title))).toEqual([
      'is one',
      'a row',
      '%s is two',
    ])
  })
})

describe('a rule that says otherwise', () => {
  test('is a section of docs/consent.md', () => {
    const sections = [...textOf('docs/consent.md').matchAll(/^## (.+)$/gm)].map(([, heading = '']) =>
      heading.toLowerCase().replaceAll(' ', '-'),
    )
    expect(
      rows.filter(({ rule }) => rule !== undefined && !sections.includes(rule)).map(({ id, rule }) => `${id}: ${rule}`),
    ).toEqual([])
  })
})

describe('what waits', () => {
  test('waits for features that are listed, and nothing is listed without need', () => {
    const asked = new Set(rows.flatMap(({ feature }) => feature ?? []))
    expect([...asked].sort()).toEqual(Object.keys(waitedFor).sort())
  })

  test.each(Object.entries(waitedFor))(
    '%s is not there yet: once it is, its rows are to be tests',
    (feature, { in: folder, sign }) => {
      const found = globSync(`${folder}/**/*.ts`, { cwd: root }).filter((path) => new RegExp(sign).test(textOf(path)))
      const ids = rows.filter((row) => row.feature === feature).map(({ id }) => id)
      expect(found, `${feature} is there: show ${ids.join(', ')} by tests, and take it out of waiting.json`).toEqual([])
    },
  )
})

test('docs/conformance.md says it as it is: node --conditions=dale-source scripts/conformance.ts writes it', () => {
  expect(textOf('docs/conformance.md')).toBe(conformancePage())
})
