import { readFileSync } from 'node:fs'
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
