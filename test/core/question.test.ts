import { describe, expect, test } from 'vitest'
import type { InboundMessage } from '../../src/core/inbound.ts'
import type { Asks, Question } from '../../src/core/question.ts'
import type { Situation } from '../../src/core/situation.ts'
import { targetOf } from '../../src/core/target.ts'
import { aCard, aSituation, cardSaid, said, shown, shownAtMs, taps, timing, writes } from '../support/situations.ts'

const grave = aCard({ code: 'K7Q2', reversibility: 'irreversible', typeToConfirm: 'cliente' })
const light = aCard({ code: 'M4R9' })
const forRole = aCard({ code: 'B5SS', approvers: { kind: 'role', role: 'supervisor', second: false } })
const beto = { id: 'beto', roles: ['supervisor'], formerly: [] }
const eva = { id: 'eva', roles: [], formerly: [] }
const named = (card: typeof grave, over: Partial<Situation> = {}) => aSituation([card], { named: shown(card), ...over })

const typed: Asks = { kind: 'typed', cardRevision: 1, wrong: 0 }
const asked = (asks: Asks = typed, person = 'ana'): Question => ({
  id: 7,
  person,
  proposalId: grave.id,
  asks,
  messageIds: ['m15'],
})
const questionSaid = (question: Question | undefined = asked(), order = 15, afterS = 5) =>
  said({ kind: 'question', ...(question === undefined ? {} : { asked: question }) }, order, afterS)
/** The question was said after the card, and nothing since. */
const answering = (over: Partial<Situation> = {}, ...since: readonly Situation['said'][number][]) =>
  aSituation([grave], { said: [...since, questionSaid(), cardSaid(grave)], ...over })

describe('a yes to what takes a value to be typed', () => {
  test.each([
    ['a tap', taps(grave, 'approve'), named(grave)],
    ['a bare word', writes('sí'), aSituation([grave])],
    ['a word that also acknowledges', writes('ok'), aSituation([grave])],
    ['a code', writes('dale #K7Q2'), named(grave)],
    ['a reply', writes('dale', { reply: { kind: 'message', id: 'm10' } }), named(grave)],
  ])('by %s asks for it', (_how, reading, situation) => {
    expect(targetOf(reading, situation, timing)).toEqual({ road: 'type_it', proposal: grave })
  })

  test('that is too fast to have been read asks for nothing', () => {
    const tap = (afterMs: number) => targetOf(taps(grave, 'approve', { receivedAtMs: shownAtMs + afterMs }), named(grave), timing)
    expect([tap(1_999).road, tap(2_000).road]).toEqual(['too_fast', 'type_it'])
  })

  test('that comes late asks for nothing, and one of somebody else neither', () => {
    const late = writes('sí', {}, shownAtMs + 400_000)
    expect(targetOf(late, aSituation([grave]), timing).road).toBe('late')
    expect(targetOf(writes('dale #K7Q2'), named(grave, { person: eva }), timing).road).toBe('not_yours')
  })

  test('with always is not asked for it: always is not for this', () => {
    const text = 'sí siempre en esta conversación'
    expect(targetOf(writes(text), aSituation([grave]), timing).road).toBe('always_not_allowed')
  })

  test('needs none to be refused', () => {
    expect(targetOf(writes('no'), aSituation([grave]), timing).road).toBe('decide')
    expect(targetOf(taps(grave, 'reject'), named(grave), timing).road).toBe('decide')
  })
})

describe('while a question to this person is the last thing said', () => {
  const group: Partial<InboundMessage> = { group: true, addressed: false }
  test.each<[string, string, Partial<InboundMessage>, Situation, string]>([
    ['any text is its answer', 'Ana Gómez', {}, answering(), 'answer'],
    ['a yes is', 'sí', {}, answering(), 'answer'],
    ['a no is', 'no', {}, answering(), 'answer'],
    ['a word of leave is', 'volver', {}, answering(), 'answer'],
    ['a phrase of edit is', 'editar', {}, answering(), 'answer'],
    ['a phrase that says why not is', 'cancelar con motivo', {}, answering(), 'answer'],
    ['a code is not', 'dale #M4R9', {}, answering({ named: shown(light) }), 'decide'],
    ['a code alone is not', '#M4R9', {}, answering({ named: shown(light) }), 'show_card'],
    ['a reply to a card is not', 'no', { reply: { kind: 'message', id: 'm10' } }, answering({ named: shown(light) }), 'decide'],
    ['a reply to it is', 'Ana Gómez', { ...group, reply: { kind: 'message', id: 'm15' } }, answering(), 'answer'],
    ['a reply to something else is not', 'Ana Gómez', { reply: { kind: 'elsewhere' } }, answering(), 'converse'],
    ['in a group a text to nobody is not', 'Ana Gómez', group, answering(), 'ignore'],
    ['a text of somebody else is not', 'Ana Gómez', {}, answering({ person: eva }), 'converse'],
    ['a caption is not', 'Ana Gómez', { body: { kind: 'other', form: 'caption', text: 'Ana Gómez' } }, answering(), 'converse'],
    [
      'once the agent said something it is over',
      'Ana Gómez',
      {},
      answering({}, said({ kind: 'text', text: 'Listo.' }, 16, 6)),
      'converse',
    ],
    ['once a card came it is over', 'no', {}, answering({}, cardSaid(grave, 16, 6)), 'decide'],
    [
      'once it was answered it is over',
      'Ana Gómez',
      {},
      aSituation([grave], { said: [said({ kind: 'question' }, 15, 5)] }),
      'converse',
    ],
    [
      'once another was asked of somebody else it is over',
      'Ana Gómez',
      {},
      answering({}, questionSaid({ ...asked(typed, 'eva'), id: 8, messageIds: ['m16'] }, 16, 6)),
      'converse',
    ],
  ])('%s', (_what, text, over, situation, road) => {
    expect(targetOf(writes(text, over), situation, timing).road).toBe(road)
  })

  test('a text that was written before it is none', () => {
    const situation = aSituation([grave], { said: [questionSaid(asked(), 25, 11), cardSaid(grave)] })
    expect(targetOf(writes('no'), situation, timing).road).toBe('decide')
  })

  test('a tap is never its answer', () => {
    expect(targetOf(taps(light, 'approve'), answering({ named: shown(light) }), timing).road).toBe('decide')
  })
})

describe('a refusal that is to say why', () => {
  test.each([
    ['by its control', taps(grave, 'reason'), named(grave), 'reason', 'button'],
    ['by a vote', taps(grave, 'reason', { poll: true }), named(grave), 'reason', 'poll'],
    ['by a word, with one card', writes('rechazar con motivo'), aSituation([grave]), 'reason', 'phrase'],
    ['by a code', writes('rechazar con motivo #K7Q2'), named(grave), 'reason', 'code'],
    ['in reply', writes('cancelar con motivo', { reply: { kind: 'message', id: 'm10' } }), named(grave), 'reason', 'reply'],
    ['by the role', taps(forRole, 'reason'), named(forRole, { person: beto }), 'reason', 'button'],
  ])('%s asks for it', (_how, reading, situation, road, via) => {
    expect(targetOf(reading, situation, timing)).toMatchObject({ road, via })
  })

  test.each([
    ['of somebody else', taps(grave, 'reason'), named(grave, { person: eva }), 'not_yours'],
    ['of an older card', taps(grave, 'reason', { revision: 0 }), named(grave), 'old_card'],
    ['of one that ended', taps(grave, 'reason'), named(aCard({ code: 'K7Q2', state: 'succeeded' })), 'state'],
    [
      'of one that is approved halts it at once',
      taps(grave, 'reason'),
      named(aCard({ code: 'K7Q2', state: 'approved' })),
      'decide',
    ],
    ['that is taken back', taps(grave, 'reason', { poll: true, withdrawn: true }), named(grave), 'no_such'],
    ['with two cards', writes('rechazar con motivo'), aSituation([grave, light]), 'which'],
    [
      'bare, where a role’s cards are',
      writes('rechazar con motivo'),
      aSituation([forRole], { person: beto, operators: true }),
      'name_it',
    ],
    ['with no card', writes('rechazar con motivo'), aSituation(), 'converse'],
    ['with more words', writes('rechazar con motivo grave'), aSituation([grave]), 'converse'],
  ])('%s', (_how, reading, situation, road) => {
    expect(targetOf(reading, situation, timing).road).toBe(road)
  })
})
