import { describe, expect, it, test } from 'vitest'
import type { Person } from '../../src/core/authority.ts'
import type { FieldValue } from '../../src/core/card.ts'
import { editableFor, type Kind } from '../../src/core/editable.ts'
import { aProposal } from '../support/proposals.ts'

const somebody = (id: string, ...roles: string[]): Person => ({ id, roles, formerly: [] })
const properties = {
  cuotas: { type: 'integer', minimum: 1 },
  fecha: { type: 'string', format: 'date' },
  cliente: { type: 'string' },
}
const proposal = aProposal({
  canonicalArgs: '{"cliente":"42","cuotas":3,"fecha":"2026-12-15"}',
  preview: {
    summary: 'Plan',
    fields: [
      { key: 'cliente', label: 'Cliente', value: { kind: 'text', text: 'Ana Gómez (42)' } },
      { key: 'cuota_mensual', label: 'Cada cuota', value: { kind: 'money', amount: '61333.33', currency: 'ARS' } },
      { key: 'fecha', label: 'Primer pago', value: { kind: 'date', date: '2026-12-15' } },
      { key: 'cuotas', label: 'Cuotas', value: { kind: 'number', number: 3 } },
    ],
  },
})
const forRole = { ...proposal, approvers: { kind: 'role', role: 'supervisor', second: true } } as const
const pathsFor = (person: Person, of = proposal as typeof proposal | typeof forRole, editable?: readonly string[]) =>
  editableFor({ input: { properties }, ...(editable === undefined ? {} : { editable }) }, of, person).map(({ path }) => path)

describe('what a person may change', () => {
  it('is, for who asked, what the action names, in the card’s order', () => {
    expect(pathsFor(somebody('ana'), proposal, ['cuotas', 'fecha'])).toEqual(['fecha', 'cuotas'])
  })

  it('is nothing for who asked where the action names nothing', () => {
    expect(pathsFor(somebody('ana'))).toEqual([])
  })

  it('is, for who has the role that is asked, every key field that is an argument', () => {
    expect(pathsFor(somebody('beto', 'supervisor'), forRole)).toEqual(['cliente', 'fecha', 'cuotas'])
  })

  it('is nothing for anybody else, whatever their roles', () => {
    expect([pathsFor(somebody('eva', 'auditor'), forRole, ['cuotas']), pathsFor(somebody('eva', 'supervisor'))]).toEqual([[], []])
  })
})

describe('how a field is written', () => {
  const kindOf = (schema: object, argument: unknown, value: FieldValue): Kind | undefined =>
    editableFor(
      { input: { properties: { x: schema } }, editable: ['x'] },
      aProposal({
        canonicalArgs: JSON.stringify({ x: argument }),
        preview: { summary: 's', fields: [{ key: 'x', label: 'X', value }] },
      }),
      somebody('ana'),
    )[0]?.is
  const text = (of: string): FieldValue => ({ kind: 'text', text: of })
  const money = (amount: string): FieldValue => ({ kind: 'money', amount, currency: 'ARS' })

  test.each<[string, object, unknown, FieldValue, Kind | undefined]>([
    ['a number', { type: 'integer' }, 3, { kind: 'number', number: 3 }, { kind: 'number', as: 'number', whole: true }],
    ['a number in a text', { type: 'integer' }, 3, text('3 cuotas'), { kind: 'number', as: 'number', whole: true }],
    ['money as a number', { type: 'number' }, 100.5, money('100.50'), { kind: 'number', as: 'number', currency: 'ARS' }],
    ['money as text', { type: 'string' }, '100.50', money('100.50'), { kind: 'number', as: 'text', currency: 'ARS' }],
    ['cents shown as pesos', { type: 'integer' }, 10_050, money('100.50'), undefined],
    ['a date by its schema', { type: 'string', format: 'date' }, '2026-12-15', text('15/12'), { kind: 'date' }],
    ['a date by its card', { type: 'string' }, '2026-12-15', { kind: 'date', date: '2026-12-15' }, { kind: 'date' }],
    ['a truth', { type: 'boolean' }, true, text('sí'), { kind: 'truth' }],
    ['a text', { type: 'string' }, 'a', text('a'), { kind: 'text' }],
    ['a text that may be empty', { type: ['string', 'null'] }, null, text('—'), { kind: 'text' }],
    ['a text or a number that is a text', { anyOf: [{ type: 'string' }, { type: 'number' }] }, 'a', text('a'), { kind: 'text' }],
    [
      'a text or a number that is a number',
      { anyOf: [{ type: 'string' }, { type: 'number' }] },
      3,
      { kind: 'number', number: 3 },
      { kind: 'number', as: 'number' },
    ],
    [
      'a choice',
      { type: 'string', enum: ['a', 'b'] },
      'a',
      text('a'),
      {
        kind: 'choice',
        options: [
          { value: 'a', label: 'a' },
          { value: 'b', label: 'b' },
        ],
      },
    ],
    [
      'a choice with names',
      { anyOf: [{ const: 'a', title: 'Efectivo' }, { const: 3 }, { type: 'null' }] },
      'a',
      text('Efectivo'),
      {
        kind: 'choice',
        options: [
          { value: 'a', label: 'Efectivo' },
          { value: 3, label: '3' },
        ],
      },
    ],
    ['a list', { type: 'array', items: { type: 'string' } }, ['a'], text('a'), undefined],
    ['an object', { type: 'object', properties: {} }, {}, text('a'), undefined],
    ['anything', {}, 'a', text('a'), undefined],
  ])('%s', (_what, schema, argument, value, kind) => {
    expect(kindOf(schema, argument, value)).toEqual(kind)
  })
})
