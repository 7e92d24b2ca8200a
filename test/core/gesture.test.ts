import { describe, expect, test } from 'vitest'
import type { Via } from '../../src/core/decision.ts'
import { gestureOf, isGestureFor, isGrave, typedFor } from '../../src/core/gesture.ts'
import type { Approvers, Reversibility } from '../../src/core/proposal.ts'
import { weightFor } from '../../src/core/reversibility.ts'
import { isTypeable, isTyped, toType } from '../../src/core/typed.ts'
import { aProposal } from '../support/proposals.ts'
import { shippedVocabulary } from '../support/vocabularies.ts'

const alone: Approvers = { kind: 'requester' }
const two: Approvers = { kind: 'role', role: 'supervisor', second: true }

test.each<[string, Reversibility, Approvers, string | undefined, string]>([
  ['what can be undone', 'reversible', alone, undefined, 'word'],
  ['what is done in the open', 'observed', alone, undefined, 'word'],
  ['what cannot be undone, where nothing can be typed', 'irreversible', alone, undefined, 'second'],
  ['what cannot be undone, where a value can', 'irreversible', alone, 'cuenta', 'typed'],
  ['what can be undone, of high severity, where a value can', 'reversible', alone, 'cuenta', 'typed'],
  ['what cannot be undone, by two persons', 'irreversible', two, undefined, 'word'],
])('%s takes its gesture', (_what, reversibility, approvers, typeToConfirm, gesture) => {
  const proposal = aProposal({ reversibility, approvers, ...(typeToConfirm === undefined ? {} : { typeToConfirm }) })
  expect(gestureOf(proposal)).toBe(gesture)
  const vias: readonly Via[] = ['button', 'poll', 'phrase', 'code', 'reply', 'grant', 'typed']
  const enough = vias.filter((via) => isGestureFor(proposal, via))
  expect(enough).toEqual(gesture === 'word' ? vias : gesture === 'typed' ? ['typed'] : [])
})

test('a value is typed for what is grave and one person decides, and for nothing else', () => {
  expect(typedFor('cuenta', { reversibility: 'irreversible' }, alone)).toEqual({ typeToConfirm: 'cuenta' })
  expect(typedFor('cuenta', { reversibility: 'observed', severity: 'high' }, alone)).toEqual({ typeToConfirm: 'cuenta' })
  expect(typedFor('cuenta', { reversibility: 'observed' }, alone)).toEqual({})
  expect(typedFor('cuenta', { reversibility: 'irreversible' }, two)).toEqual({})
  expect(typedFor(undefined, { reversibility: 'irreversible' }, alone)).toEqual({})
})

describe('severity', () => {
  test('is high of what cannot be undone, and of what says so', () => {
    expect(isGrave({ reversibility: 'irreversible' })).toBe(true)
    expect(isGrave({ reversibility: 'reversible', severity: 'high' })).toBe(true)
    expect(isGrave({ reversibility: 'observed' })).toBe(false)
  })

  test('of a call is never less than of its action, and an answer that is none throws', () => {
    const of = (severityOf: () => 'normal' | 'high', severity?: 'high') =>
      weightFor({ reversibility: 'reversible', severityOf, ...(severity === undefined ? {} : { severity }) }, {})
    expect(of(() => 'normal')).toEqual({ reversibility: 'reversible' })
    expect(of(() => 'high')).toEqual({ reversibility: 'reversible', severity: 'high' })
    expect(of(() => 'normal', 'high')).toEqual({ reversibility: 'reversible', severity: 'high' })
    expect(() => of(() => 'low' as never)).toThrow('severityOf answered low')
  })
})

describe('a value to type', () => {
  const preview = {
    summary: 'Borrar',
    fields: [
      { key: 'saldo', label: 'Saldo', value: { kind: 'money', amount: '184000', currency: 'ARS' } },
      { key: 'cliente', label: 'Cliente', value: { kind: 'text', text: 'Ana Gómez' } },
    ],
  } as const

  test('is what the card prints in the reader’s language', () => {
    expect(toType(preview, 'saldo', 'es')).toEqual({ label: 'Saldo', text: 'ARS 184.000,00' })
    expect(toType(preview, 'saldo', 'en')).toEqual({ label: 'Saldo', text: 'ARS 184,000.00' })
    expect(toType(preview, 'cuotas', 'es')).toBeUndefined()
    expect(toType(preview, undefined, 'es')).toBeUndefined()
  })

  test.each([
    ['ana gomez', true],
    ['  ANA   GÓMEZ ', true],
    ['Ana\u200b Gómez', true],
    ['Ana Gómez.', false],
    ['Ana', false],
    ['Ana Gómez sí', false],
    ['', false],
  ])('%j is it or is not', (text, is) => {
    expect(isTyped('Ana Gómez', text)).toBe(is)
  })

  test.each([
    ['ORD-4512', true],
    ['Ana Gómez', true],
    ['123', true],
    ['42', false],
    ['sí', false],
    ['Confirmar', false],
    ['no gracias', false],
    ['Editar', false],
    ['volver', false],
    ['cancelar con motivo', false],
    ['', false],
  ])('%j can be asked for or cannot', (printed, can) => {
    expect(isTypeable(printed, shippedVocabulary('es'))).toBe(can)
  })
})
