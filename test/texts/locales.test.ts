import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { shippedLocales } from '../support/vocabularies.ts'

const chatOf = (locale: string): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(new URL(`../../locales/${locale}/chat.json`, import.meta.url), 'utf8'))

const valuesOf = (chat: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(chat).map(([key, text]) => [key, [...new Set(text.match(/\{\{.*?\}\}/g) ?? [])].sort()]))

describe.each(shippedLocales.filter((locale) => locale !== 'en'))('the texts in %s', (locale) => {
  it('are the same texts as in English, with the same values', () => {
    expect(valuesOf(chatOf(locale))).toEqual(valuesOf(chatOf('en')))
  })

  it('are all written', () => {
    expect(Object.entries(chatOf(locale)).filter(([, text]) => text.trim() === '')).toEqual([])
  })
})

const root = join(import.meta.dirname, '..', '..')
const source = globSync('src/**/*.{ts,js}', { cwd: root })
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n')
const literals = new Set([...source.matchAll(/'([\w.]+)'/g)].map(([, text]) => text))
/** Keys that are put together: `outcome.${state.name}` is every outcome whose last part is a word of the code. */
const composed = [...source.matchAll(/`((?:[a-z_]+\.)+)\$\{[^`]*\}`/g)].map(([, start = '']) => start)

const isSaid = (key: string): boolean =>
  literals.has(key) || composed.some((start) => key.startsWith(start) && literals.has(key.slice(start.length)))

describe('the texts', () => {
  it('are all said somewhere: one that nobody says is in no locale', () => {
    expect(Object.keys(chatOf('en')).filter((key) => !isSaid(key))).toEqual([])
    expect(['outcome.forgotten', 'notice.forgotten', 'phones.forgotten'].filter(isSaid)).toEqual([])
  })
})
