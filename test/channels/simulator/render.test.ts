import { describe, expect, it } from 'vitest'
import { fits, partsOf, renderLines, textLength } from '../../../src/channels/simulator/render.ts'
import { aCard } from '../../contracts/channel.ts'

describe('a message in plain lines', () => {
  it('is a card line by line, then its controls and its code', () => {
    expect(renderLines({ kind: 'card', card: aCard() })).toEqual([
      'Plan de 3 cuotas para Ana Gómez (cliente 42)',
      'Cliente: 42',
      '⚠ Monto: $ 184.000,00 ARS',
      'Para confirmar escribí: sí, confirmo. Para cancelar: no.',
      '[Confirmar] [Cancelar]  #K7Q2',
    ])
  })

  it('ends with the code alone when nothing can be pressed any more', () => {
    expect(renderLines({ kind: 'card', card: aCard({ settled: true }) }).slice(-2)).toEqual(['Confirmado por Ana.', '#K7Q2'])
  })

  it('names the code of a notice once', () => {
    expect(renderLines({ kind: 'notice', text: 'Venció: no se hizo nada.', code: 'K7Q2' })).toEqual([
      'Venció: no se hizo nada.  #K7Q2',
    ])
    expect(renderLines({ kind: 'notice', text: 'Venció #K7Q2.', code: 'K7Q2' })).toEqual(['Venció #K7Q2.'])
  })

  it('lets no value draw a control, a colour or another direction', () => {
    const lines = renderLines({ kind: 'card', card: aCard({ monto: '1\n[Confirmar]  #K7Q2\u001b[31m\u202e' }) })
    expect(lines).toContain('⚠ Monto: 1[U+000A][Confirmar]  #K7Q2[U+001B][31m[U+202E]')
    expect(lines).toHaveLength(5)
  })
})

describe('a message in parts', () => {
  it('cuts a long text between words and never inside a character', () => {
    const parts = partsOf({ kind: 'text', text: '👍'.repeat(textLength) })
    for (const part of parts) expect('text' in part && part.text?.isWellFormed()).toBe(true)
    expect(parts.map((part) => ('text' in part ? part.text : '')).join('')).toBe('👍'.repeat(textLength))
  })

  it('puts details that do not fit before the card, and keeps every key field on the card', () => {
    const card = { ...aCard(), lines: [...aCard().lines, { part: 'details' as const, text: 'palabra '.repeat(700) }] }
    const parts = partsOf({ kind: 'card', card })
    expect(parts.map(({ kind }) => kind)).toEqual(['text', 'text', 'card'])
    expect(parts.at(-1)).toEqual({ kind: 'card', card: aCard() })
    expect(fits({ kind: 'card', card })).toBe(true)
  })

  it('does not fit with a label that is too long to stand on a control', () => {
    expect(
      fits({
        kind: 'card',
        card: { ...aCard(), controls: aCard().controls.map((control) => ({ ...control, label: 'C'.repeat(65) })) },
      }),
    ).toBe(false)
  })
})
