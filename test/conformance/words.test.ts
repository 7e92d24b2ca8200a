import { expect, test } from 'vitest'
import { fold } from '../../src/core/fold.ts'
import { matchDecision } from '../../src/core/match.ts'
import type { Vocabulary } from '../../src/core/vocabulary.ts'
import { hereOf, rowsShownBy, wordLists } from '../support/conformance.ts'

interface Given {
  readonly text: string
  readonly words: string
}

interface Read {
  readonly verdict: 'approve' | 'reject' | 'none'
  readonly code?: string
  readonly always?: true
}

/** A vocabulary of these words alone, which nobody has looked over. */
function vocabularyOf(name: string): Vocabulary {
  const { approve, reject, always } = wordLists[name] ?? { approve: [], reject: [], always: [] }
  const phrases = (texts: readonly string[]) =>
    new Map(texts.map((text) => [fold(text), { text, weight: 'full', locale: name } as const]))
  return {
    version: name,
    approve: phrases(approve),
    reject: phrases(reject),
    always: new Set(always.map(fold)),
    edit: new Set(),
    leave: new Set(),
    off: new Map(),
  }
}

function readOf({ text, words }: Given): Read {
  const matched = matchDecision(text, vocabularyOf(words))
  if (matched?.kind !== 'phrase') return { verdict: 'none' }
  const { verdict, code, always } = matched
  return { verdict, ...(code === undefined ? {} : { code }), ...(always === undefined ? {} : { always }) }
}

const title = '$id: reads $given.text'

test.each(rowsShownBy<Given, Read & { readonly card?: string }>(import.meta.filename, title))('$id: reads $given.text', (row) => {
  const { card: _card, ...read } = hereOf(row)
  expect(readOf(row.given)).toEqual(read)
})
