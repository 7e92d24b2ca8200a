import { describe, expect, it, test } from 'vitest'
import { answerEdit, beginEdit, type Edit, isWhole } from '../../src/core/edit.ts'
import { matchEdit } from '../../src/core/edit-words.ts'
import type { Editable } from '../../src/core/editable.ts'
import type { InboundMessage } from '../../src/core/inbound.ts'
import type { Situation } from '../../src/core/situation.ts'
import { targetOf } from '../../src/core/target.ts'
import { aCard, aSituation, said, shown, timing, writes } from '../support/situations.ts'
import { shippedVocabulary } from '../support/vocabularies.ts'

const by = { locale: 'es', nowMs: Date.UTC(2026, 10, 30), truth: ['sí', 'no'] } as const
const cuotas: Editable = {
  path: 'cuotas',
  label: 'Cantidad de cuotas',
  shown: { kind: 'number', number: 3 },
  is: { kind: 'number', as: 'number' },
}
const fecha: Editable = {
  path: 'fecha',
  label: 'Primer pago',
  shown: { kind: 'date', date: '2026-12-15' },
  is: { kind: 'date' },
}
const both = [cuotas, fecha]

describe('an edit', () => {
  const answers = (offered: readonly Editable[], ...texts: readonly string[]): Edit | undefined =>
    texts.reduce<Edit | undefined>((edit, text) => edit && answerEdit(edit, offered, text, by), beginEdit(offered))

  it('of a card with one field asks for its value at once', () => {
    expect(beginEdit([cuotas])).toEqual({ fields: ['cuotas'], values: {} })
    expect(answers([cuotas], '4')).toEqual({ fields: [], values: { cuotas: 4 } })
  })

  test.each([
    ['by its number', '2', ['fecha']],
    ['by its label', 'primer pago', ['fecha']],
    ['by its name', 'Fecha', ['fecha']],
    ['by several numbers', '2 1', ['cuotas', 'fecha']],
  ])('is of the field that is named %s', (_how, text, fields) => {
    expect(answers(both, text)).toEqual({ fields, values: {} })
  })

  test.each([['3'], ['todo'], ['cuotas y fecha'], ['dale'], ['cuotas 4']])('is of no field for %s', (text) => {
    expect(answers(both, text)).toBeUndefined()
  })

  it('of several fields asks for one after the other, and is whole with the last', () => {
    const first = answers(both, '1 2', '4')
    const last = answers(both, '1 2', '4', '1 de febrero')
    expect([first, last]).toEqual([
      { fields: ['fecha'], values: { cuotas: 4 } },
      { fields: [], values: { cuotas: 4, fecha: '2027-02-01' } },
    ])
    expect([beginEdit(both), first, last].map((edit) => edit && isWhole(edit))).toEqual([false, false, true])
  })

  it('keeps what it had where a value is none', () => {
    expect(answers(both, '1', 'cuatro')).toBeUndefined()
  })
})

test.each([
  ['editar', {}],
  ['¡Editar!', {}],
  ['modificar #k7q2', { code: 'K7Q2' }],
  ['editar #KKKK', undefined],
  ['editar la fecha', undefined],
  ['quiero editar', undefined],
  ['#K7Q2', undefined],
  ['dale', undefined],
  ['', undefined],
  ['editar\n', {}],
  ['editar\nalgo', undefined],
])('%j is a phrase of edit: %j', (text, expected) => {
  expect(matchEdit(text, shippedVocabulary('es'))).toEqual(expected)
})

describe('a phrase of edit', () => {
  const [k7, m4] = [aCard({ code: 'K7Q2' }), aCard({ code: 'M4R9' })]
  const ended = aCard({ code: 'K7Q2', state: 'succeeded' })
  const forRole = aCard({ code: 'K7Q2', approvers: { kind: 'role', role: 'supervisor', second: true } })
  const beto = { id: 'beto', roles: ['supervisor'], formerly: [] }
  const named = (card: typeof k7, over: Partial<Situation> = {}) => aSituation([], { named: shown(card), ...over })
  const reply: Partial<InboundMessage> = { reply: { kind: 'message', id: 'm10' } }

  test.each<[string, string, Partial<InboundMessage>, Situation, string]>([
    ['with one card', 'editar', {}, aSituation([k7]), 'edit'],
    [
      'with one card that something was said after',
      'editar',
      {},
      aSituation([k7], { said: [said({ kind: 'text', text: 'Hola.' }, 15, 5)] }),
      'edit',
    ],
    [
      'after a question of the agent',
      'editar',
      {},
      aSituation([k7], { said: [said({ kind: 'text', text: '¿Qué hago?' }, 15, 5)] }),
      'converse',
    ],
    ['with no card', 'editar', {}, aSituation(), 'converse'],
    ['with two cards', 'editar', {}, aSituation([k7, m4]), 'which'],
    ['with a code', 'editar #K7Q2', {}, named(k7), 'edit'],
    ['with the code of one that ended', 'editar #K7Q2', {}, named(ended), 'state'],
    ['with an unknown code', 'editar #M4R9', {}, aSituation([k7]), 'no_such'],
    ['with another’s code', 'editar #K7Q2', {}, named(k7, { person: { id: 'eva', roles: [], formerly: [] } }), 'not_yours'],
    ['in reply to a card', 'editar', reply, named(k7), 'edit'],
    ['in reply to a card, with another code', 'editar #M4R9', reply, named(k7), 'contradiction'],
    ['in reply to something else', 'editar', { reply: { kind: 'elsewhere' } }, aSituation([k7]), 'converse'],
    ['in a group, to nobody', 'editar', { group: true, addressed: false }, aSituation([k7]), 'ignore'],
    ['in an operators’ chat, bare', 'editar', {}, aSituation([forRole], { person: beto, operators: true }), 'name_it'],
    ['in an operators’ chat, with a code', 'editar #K7Q2', {}, named(forRole, { person: beto, operators: true }), 'edit'],
  ])('%s', (_when, text, over, situation, road) => {
    expect(targetOf(writes(text, over), situation, timing).road).toBe(road)
  })
})
