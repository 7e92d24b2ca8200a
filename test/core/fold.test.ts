import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from '../../src/core/fold.ts'

// Any UTF-16 units at all, halves of surrogate pairs included, with those that fold in some way drawn often.
const telling = fc.constantFrom(
  ...'aÁñßſKİıΣς ¨´¡!.,#?\t\n\r\u0085\u00a0\u2028\u3000\u200b\u00ad\ufe0f\u0301\u0345\u0901\u302e\ufb01\ud83d\udc4d\udb40\udc01',
)
const anyText = fc
  .array(
    fc.oneof(
      telling,
      fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
      fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
    ),
  )
  .map((parts) => parts.join(''))

describe('fold', () => {
  it.each([
    ['SÍ', 'si'],
    ['Não', 'nao'],
    ['ＳＩ', 'si'],
    ['Sİ', 'si'],
    ['s\u200c\u00adí\ufe0f', 'si'],
    ['👍🏽', '👍'],
    ['  go \t\u00a0\u3000ahead\n', 'go ahead'],
    ['ﬁn', 'fin'],
    ['\u180e\u2066ok\u2069', 'ok'],
    ['ΣΑΣ', 'σας'],
  ])('makes %j read %j', (text, folded) => {
    expect(fold(text)).toBe(folded)
  })

  it('keeps white space that holds a line break as it is', () => {
    expect(fold('dale \n  no')).toBe('dale \n  no')
  })

  it('keeps letters of other scripts apart from the Latin ones they look like', () => {
    expect(fold('ѕі')).not.toBe(fold('si'))
    expect(fold('οκ')).not.toBe(fold('ok'))
  })

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(fold(fold(text))).toBe(fold(text))
      }),
      { numRuns: 3000 },
    )
  })

  it('changes nothing the second time for marks that kept others from being put in order', () => {
    const text = 'a\u302e\u0901\u{1d165}'
    expect(fold(fold(text))).toBe(fold(text))
  })

  it('never lets two halves of a pair grow together around something invisible', () => {
    expect(fold('\ud83d\u200b\udc4d')).not.toContain('👍')
  })

  it('reads a text of Latin letters like the same text beside another script', () => {
    const latin = fc.array(fc.nat(0x17f).map((unit) => String.fromCharCode(unit))).map((parts) => parts.join(''))
    fc.assert(
      fc.property(latin, (text) => {
        // The Hebrew letter sends the whole text down the road that normalises; the bars keep the ends from being trimmed.
        expect(fold(`|${text}|א`)).toBe(`${fold(`|${text}|`)}א`)
      }),
      { numRuns: 2000 },
    )
  })

  it('gives the same in a Turkish process, where a capital I is lowered otherwise', () => {
    const script = `import { fold } from './src/core/fold.ts'; console.log(Intl.Collator().resolvedOptions().locale, fold('LISTO'))`
    const said = execFileSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'tr_TR.UTF-8', NODE_OPTIONS: '' },
    })
    expect(said).toBe('tr-TR listo\n')
  })

  it('takes time in proportion to the text, white space included', () => {
    const folded = fold(`a${'\n'.repeat(200_000)}b${' '.repeat(200_000)}c`)
    expect(folded.length).toBe(200_004)
  })
})
