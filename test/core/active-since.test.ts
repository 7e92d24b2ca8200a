import { describe, expect, it } from 'vitest'
import { activeSinceOf, type Former } from '../../src/core/active-since.ts'
import { targetOf } from '../../src/core/target.ts'
import { type VocabularyContent, versionOf, vocabularyOf } from '../../src/core/vocabulary-content.ts'
import { aCard, aShowing, aSituation, cardSaid, shown, shownAtMs, timing, writes } from '../support/situations.ts'

const phrase = (text: string, weight: 'full' | 'ack' = 'full') => ({ text, weight, locale: 'es' })
const contentWith = (approve: VocabularyContent['approve']): VocabularyContent => ({
  locales: ['es', 'en'],
  approve,
  reject: [phrase('no')],
  always: ['siempre'],
  edit: ['editar'],
  leave: ['volver'],
  off: [{ folded: '👍', verdict: 'approve' }],
  card: { confirm: 'Sí', cancel: 'No', edit: 'Editar', approve: 'sí', reject: 'no' },
})
const former = (approve: VocabularyContent['approve'], activeSinceMs: Former['activeSinceMs'] = {}): Former => ({
  vocabulary: vocabularyOf(contentWith(approve)),
  activeSinceMs,
})
const since = (approve: VocabularyContent['approve'], before: Former | undefined) =>
  activeSinceOf(vocabularyOf(contentWith(approve)), 100, before)

describe('since when a phrase approves', () => {
  it('the first words always did', () => {
    expect(since([phrase('Sí')], undefined)).toEqual({})
  })

  it('a new phrase does from now on, an old one keeps its time', () => {
    expect(since([phrase('sí'), phrase('dale'), phrase('vamos')], former([phrase('Sí'), phrase('dale')], { dale: 50 }))).toEqual({
      dale: 50,
      vamos: 100,
    })
  })

  it('a stronger phrase is a new one, a weaker one is not', () => {
    expect(since([phrase('ok')], former([phrase('ok', 'ack')], { ok: 50 }))).toEqual({ ok: 100 })
    expect(since([phrase('ok', 'ack')], former([phrase('ok')], { ok: 50 }))).toEqual({ ok: 50 })
  })

  it('a phrase that was away in between is a new one', () => {
    expect(since([phrase('dale')], former([phrase('sí')]))).toEqual({ dale: 100 })
  })
})

describe('a content', () => {
  it('is the vocabulary again after it was kept, under the same version', () => {
    const content = contentWith([phrase('Sí'), phrase('dale')])
    const kept = JSON.parse(JSON.stringify(content)) as VocabularyContent
    expect(vocabularyOf(kept)).toEqual(vocabularyOf(content))
    expect(versionOf(kept)).toBe(versionOf(content))
    expect(versionOf({ ...content, card: { ...content.card, approve: 'dale' } })).not.toBe(versionOf(content))
  })
})

describe('a phrase that is younger than the card', () => {
  const card = aCard()
  const newer = (text: string, activeSinceMs: number) => ({ ...writes(text), activeSinceMs })
  const roadOf = (reading: ReturnType<typeof writes>, situation = aSituation([card])) => targetOf(reading, situation, timing).road

  it('does not decide it, bare, by code or in reply: it goes to the agent', () => {
    const named = aSituation([card], { named: shown(card) })
    expect(roadOf(newer('dale', shownAtMs))).toBe('converse')
    expect(roadOf(newer(`dale #${card.code}`, shownAtMs), named)).toBe('converse')
    expect(roadOf({ ...writes('dale', { reply: { kind: 'message', id: 'm10' } }), activeSinceMs: shownAtMs }, named)).toBe(
      'converse',
    )
  })

  it('decides it when it was active before the card was shown', () => {
    expect(roadOf(newer('dale', shownAtMs - 1))).toBe('decide')
    expect(roadOf(writes('dale'))).toBe('decide')
  })

  it('refuses it all the same', () => {
    expect(roadOf(newer('no', shownAtMs + 1))).toBe('decide')
  })

  it('decides it once the card was shown again', () => {
    const again = [aShowing(card), aShowing(card, 12, shownAtMs + 3000)]
    const situation = aSituation([card], { open: [shown(card, ...again)], said: [cardSaid(card, 12, 3), cardSaid(card)] })
    expect(roadOf(newer('dale', shownAtMs + 1000), situation)).toBe('decide')
    expect(roadOf(newer('dale', shownAtMs + 3000), situation)).toBe('converse')
  })

  it('does not show an unarmed card again either, and lists where a newer card waits beside it', () => {
    const disarmed = aSituation([card], {
      said: [
        { what: { kind: 'text', text: 'Bien.' }, begunAtMs: shownAtMs + 1000, moment: { atMs: shownAtMs + 1000, order: 15 } },
        cardSaid(card),
      ],
    })
    expect(roadOf(writes('dale'), disarmed)).toBe('show_again')
    expect(roadOf(newer('dale', shownAtMs), disarmed)).toBe('converse')
    const other = aCard({ id: '01HZZZZZZZZZZZZZZZZZZZZZZ2', code: 'X7Q2' })
    const both = aSituation([card, other], { open: [shown(card), shown(other, aShowing(other, 12, shownAtMs + 3000))] })
    expect(roadOf(newer('dale', shownAtMs + 1000), both)).toBe('which')
  })

  it('names the version with the decision', () => {
    const target = targetOf({ ...writes('dale'), vocabularyVersion: 'v7' }, aSituation([card]), timing)
    expect(target).toMatchObject({ road: 'decide', given: { verdict: 'approve', phrase: 'dale', vocabularyVersion: 'v7' } })
  })
})
