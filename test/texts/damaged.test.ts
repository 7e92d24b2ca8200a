// Files of words, damaged in every way that editors, copies and people damage files: each is refused with its place, and nothing changes.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenedTexts, openTexts } from '../../src/texts/open-texts.ts'
import { largestFileBytes } from '../../src/texts/read-json.ts'

/** The full number is 500. */
const files = Number(process.env.DALE_TEST_DAMAGED_FILES ?? 120)

const folder = mkdtempSync(join(tmpdir(), 'dale-damaged-'))
const file = join(folder, 'es', 'decision.json')
const sound = {
  approve: [
    { text: 'de una', on: true, region: 'Andes', comment: 'Right away.' },
    { text: 'vamos', weight: 'ack', comment: 'Also begins sentences.' },
    { text: 'claro que sí', on: true },
  ],
  reject: [{ text: 'ni loco' }, { text: 'para nada' }],
  card: { approve: 'sí' },
}
const good = JSON.stringify(sound, undefined, 2)

const invisible: readonly [string, ...string[]] = [
  '\u200b',
  '\u200d',
  '\u2060',
  '\u202e',
  '\u00ad',
  '\ufe0f',
  '\u{e0041}',
  '\ufeff',
  '\u0007',
  '\u2028',
  '\ue000',
]
const unpaired: readonly [string, ...string[]] = ['"de una\\ud800"', '"\\udc00de una"']

type Damage = (pick: fc.GeneratorValue) => Buffer | string
const one = <T>(pick: fc.GeneratorValue, from: readonly [T, ...T[]]): T => pick(() => fc.constantFrom(...from))
const number = (pick: fc.GeneratorValue, max: number): number => pick(() => fc.nat({ max }))
const withPhrase = (list: 'approve' | 'reject', text: string): string =>
  JSON.stringify({ ...sound, [list]: [...sound[list], { text }] }, undefined, 1)

const damages: Readonly<Record<string, Damage>> = {
  'a byte order mark': () => `\ufeff${good}`,
  'UTF-16': (pick) => Buffer.from(`\ufeff${good}`, one(pick, ['utf16le'] as const)),
  'Latin-1': () => Buffer.from(good, 'latin1'),
  'a stray byte': (pick) => {
    const at = 1 + number(pick, good.length - 2)
    return Buffer.concat([
      Buffer.from(good.slice(0, at)),
      Buffer.from([one(pick, [0x80, 0xc3, 0xff, 0xf8])]),
      Buffer.from(good.slice(at)),
    ])
  },
  'a cut': (pick) => good.slice(0, number(pick, good.length - 2)),
  'a key twice': (pick) => good.replace(`"${one(pick, ['text', 'on', 'comment'])}"`, (key) => `${key}: true, ${key}`),
  'a list twice': () => good.replace('"reject"', '"approve": [], "reject"'),
  'a huge file': (pick) => JSON.stringify({ ...sound, always: [{ text: 'x'.repeat(largestFileBytes + number(pick, 100_000)) }] }),
  'a wrong type': (pick) =>
    one(pick, [
      good.replace('"de una"', '7'),
      good.replace('"on": true', '"on": "yes"'),
      good.replace('"ack"', '"strong"'),
      good.replace('"Andes"', 'null'),
      JSON.stringify({ ...sound, approve: { text: 'de una' } }),
      JSON.stringify({ ...sound, card: ['sí'] }),
      '[]',
      'null',
      '"dale"',
      '7',
    ]),
  'an unknown key': (pick) => good.replace(one(pick, ['"text"', '"reject"', '"card"']), '"texto"'),
  'an invisible character': (pick) => {
    const hidden = one(pick, invisible)
    return good.replace('de una', `de${one(pick, [hidden, JSON.stringify(hidden).slice(1, -1)])} una`)
  },
  'an unpaired surrogate': (pick) => good.replace('"de una"', one(pick, unpaired)),
  'a comment': (pick) => good.replace('"reject"', `${one(pick, ['// old', '/* old */'])}\n"reject"`),
  'a comma too many': (pick) => one(pick, [good.replace('},\n    {', '},,\n    {'), good.replace(/\}\s*$/, ',}')]),
  'a quotation mark too few': () => good.replace('"vamos"', '"vamos'),
  'nothing in it': (pick) => one(pick, ['', ' ', '\n\n', '\0']),
  'NUL bytes': (pick) => good + '\0'.repeat(1 + number(pick, 50)),
  'much nesting': (pick) => `${'['.repeat(20 + number(pick, 200_000))}`,
  'a phrase of both verdicts': (pick) =>
    one(pick, [
      withPhrase('approve', 'no'),
      withPhrase('approve', 'NÓ'),
      withPhrase('reject', 'Dale'),
      withPhrase('reject', 'yes'),
    ]),
  'a phrase twice': (pick) => withPhrase('approve', one(pick, ['DE  UNA', 'Vamos', 'claro que si'])),
  'a greeting that approves': (pick) => withPhrase('approve', one(pick, ['hola', 'Buen día', 'gracias', 'thanks'])),
  'an opt-out word': (pick) =>
    withPhrase(one(pick, ['approve', 'reject'] as const), one(pick, ['stop', 'BAJA', 'salir', 'sair'])),
  'a phrase that no message can be': (pick) =>
    withPhrase('reject', one(pick, ['x', '7', '#K7Q2', '¿dale?', 'no va!', 'ni, loco', 'no\nva', 'x'.repeat(65), ' ', '¡ya'])),
  'a printed word that decides nothing': (pick) =>
    JSON.stringify({ ...sound, card: { approve: one(pick, ['quizás', 'no', 'ok', 'sí siempre en esta conversación']) } }),
}

let texts: OpenedTexts
beforeAll(async () => {
  mkdirSync(join(folder, 'es'))
  writeFileSync(file, good)
  texts = await openTexts({ localesDir: fileURLToPath(new URL('../../locales', import.meta.url)), folder, fallback: 'en' })
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('a damaged file of words', { timeout: 300_000 }, () => {
  it('is refused with line, column and reason, however it is damaged, and the words before it stay', async () => {
    const before = texts.vocabulary('es')
    const kinds = Object.entries(damages)
    const damaged = fc.sample(
      fc.gen().map((pick) => kinds.map(([kind, damage]) => ({ kind, content: damage(pick) }))),
      { numRuns: Math.ceil(files / kinds.length), seed: 20_261_130 },
    )
    const passed: string[] = []
    const unplaced: string[] = []
    for (const { kind, content } of damaged.flat()) {
      writeFileSync(file, content)
      const reloaded = await texts.reload()
      if (reloaded.ok) passed.push(`${kind}: ${String(content).slice(0, 200)}`)
      else
        unplaced.push(
          ...reloaded.problems
            .filter(({ path, message }) => !/decision\.json:\d+:\d+/.test(path) || message === '')
            .map(({ path, message }) => `${kind}: ${path}: ${message}`),
        )
      if (texts.vocabulary('es') !== before) passed.push(`${kind} changed the words`)
    }
    expect({ passed, unplaced }).toEqual({ passed: [], unplaced: [] })
    writeFileSync(file, good)
    expect(await texts.reload()).toMatchObject({ ok: true })
    expect(texts.vocabulary('es').version).toBe(before.version)
  })

  it.each([
    [good.replace('"on": true', '"on": "yes"'), '5:13 approve[0].on', 'expected boolean'],
    [good.replace('"weight"', '"wight"'), '11:16 approve[1].wight', 'is not known here'].map((part) => part),
    [good.replace('"vamos"', '"va\\u200bmos"'), '10:15', 'holds U+200B'],
    [`{\n  "approve": [],\n  "approve": []\n}`, '3:3', 'has the key "approve" twice'],
    [good.slice(0, 60), '', 'is not JSON'],
  ])('says where it is', async (content, place, reason) => {
    writeFileSync(file, content ?? '')
    const reloaded = await texts.reload()
    expect(
      reloaded.ok ? [] : reloaded.problems.map(({ path, message }) => `${path.replace(`${file}:`, '')}: ${message}`),
    ).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          new RegExp(`^${(place ?? '').replaceAll(/[.[\]]/g, '\\$&')}.*: .*${(reason ?? '').replace('+', '\\+')}`),
        ),
      ]),
    )
  })
})
