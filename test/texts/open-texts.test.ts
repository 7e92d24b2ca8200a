import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConfigError, type Problem } from '../../src/core/errors.ts'
import { matchDecision } from '../../src/core/match.ts'
import type { ChatKey } from '../../src/ports/texts.ts'
import { openTexts, type TextsOptions } from '../../src/texts/open-texts.ts'

const localesDir = fileURLToPath(new URL('../../locales', import.meta.url))
const shipped: TextsOptions = { localesDir, fallback: 'en' }
const key: ChatKey = 'card.deadline'

let root: string
let folders = 0
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'dale-texts-'))
})
afterAll(() => rm(root, { recursive: true }))

/** A folder of locales of one's own, from paths and contents; strings are written as they are. */
async function aFolder(files: Readonly<Record<string, unknown>>): Promise<string> {
  folders += 1
  const folder = join(root, String(folders))
  await mkdir(folder)
  for (const [path, content] of Object.entries(files)) await write(join(folder, path), content)
  return folder
}

async function write(file: string, content: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
}

async function problemsOf(options: TextsOptions): Promise<readonly Problem[]> {
  try {
    await openTexts(options)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

describe('what ships', () => {
  it('opens every locale as the fallback of the others', async () => {
    for (const fallback of ['en', 'es', 'pt-BR']) {
      expect((await openTexts({ ...shipped, fallback })).locales).toEqual(['en', 'es', 'pt-BR'])
    }
  })

  it('prints words that decide when they are typed', async () => {
    const texts = await openTexts(shipped)
    expect(['es', 'pt-BR', 'en'].map((locale) => texts.words(locale))).toEqual([
      { confirm: 'Confirmar', cancel: 'Cancelar', edit: 'Editar', approve: 'dale', reject: 'no', reason: 'Cancelar con motivo' },
      { confirm: 'Confirmar', cancel: 'Cancelar', edit: 'Editar', approve: 'sim', reject: 'não', reason: 'Cancelar com motivo' },
      { confirm: 'Confirm', cancel: 'Cancel', edit: 'Edit', approve: 'yes', reject: 'no', reason: 'Cancel with reason' },
    ])
  })

  it('lets the locale and the fallback decide, and no other locale', async () => {
    const { vocabulary } = await openTexts(shipped)
    expect(matchDecision('yes', vocabulary('pt-BR'))).toMatchObject({ verdict: 'approve' })
    expect(matchDecision('sim', vocabulary('pt-BR'))).toMatchObject({ verdict: 'approve' })
    expect(matchDecision('sim', vocabulary('es'))).toBeUndefined()
    expect(matchDecision('dale', vocabulary('en'))).toBeUndefined()
  })

  it('serves a locale that is not open by the fallback, words and texts alike', async () => {
    const texts = await openTexts({ ...shipped, locales: ['es'] })
    expect(texts.locales).toEqual(['es', 'en'])
    expect(texts.vocabulary('pt-BR')).toBe(texts.vocabulary('en'))
    expect(texts.words('pt-BR')).toBe(texts.words('en'))
    expect(texts.say('pt-BR', key, { minutes: 5 })).toBe(texts.say('en', key, { minutes: 5 }))
  })

  it('gives the same version to the same words in every process', async () => {
    const [one, other] = [await openTexts(shipped), await openTexts(shipped)]
    expect(one.vocabulary('es').version).toBe(other.vocabulary('es').version)
    expect(one.vocabulary('es').version).not.toBe(one.vocabulary('en').version)
  })
})

describe('saying', () => {
  it('puts values into a text letter by letter, whatever they hold', async () => {
    const { say } = await openTexts(shipped)
    const frame = say('es', key, { minutes: '\u0001' }).split('\u0001')
    const tricky = fc.constantFrom('{{minutes}}', '{{- minutes}}', '$t(card.also)', '$&', '$1', '<b>', '&amp;', '"', '{{', '}}')
    fc.assert(
      fc.property(fc.array(fc.oneof(tricky, fc.string({ unit: 'binary' })), { maxLength: 4 }), (parts) => {
        expect(say('es', key, { minutes: parts.join('') })).toBe(frame.join(parts.join('')))
      }),
    )
  })

  it('takes no value for an option of its own', async () => {
    const { say } = await openTexts(shipped)
    const values = { minutes: 5, lng: 'en', context: 'x', defaultValue: 'y', ns: 'z', postProcess: 'p' }
    expect(say('es', key, values)).toBe(say('es', key, { minutes: 5 }))
  })

  it('says a text that looks like i18next’s own nesting as it is written', async () => {
    const folder = await aFolder({ 'es/chat.json': { [key]: '$t(card.also) {{minutes}}' } })
    expect((await openTexts({ ...shipped, folder })).say('es', key, { minutes: 5 })).toBe('$t(card.also) 5')
  })

  it('refuses a text that is not there and a value that nobody gave', async () => {
    const { say } = await openTexts(shipped)
    expect(() => say('es', 'no.such.text' as ChatKey)).toThrow('there is no text no.such.text in es or en')
    expect(() => say('es', key)).toThrow('nobody gave the value minutes')
  })
})

describe('a folder of one’s own', () => {
  it('stands over the shipped locales, text by text and word by word', async () => {
    const folder = await aFolder({
      'es/chat.json': { [key]: 'Tenés {{minutes}} minutos.' },
      'es/decision.json': {
        approve: [{ text: 'de una' }, { text: 'va', weight: 'ack' }, { text: 'listo', on: false }],
        card: { approve: 'confirmo' },
      },
    })
    const texts = await openTexts({ ...shipped, folder })
    expect(texts.say('es', key, { minutes: 5 })).toBe('Tenés 5 minutos.')
    expect(texts.words('es')).toMatchObject({ approve: 'confirmo', reject: 'no' })
    const read = (text: string) => matchDecision(text, texts.vocabulary('es'))
    expect(['de una', 'va', 'dale', 'listo'].map(read)).toMatchObject([
      { weight: 'full' },
      { weight: 'ack' },
      { weight: 'full' },
      undefined,
    ])
  })

  it('brings a locale of its own, whose missing texts the fallback says and the warnings name', async () => {
    const entry = (text: string) => [{ text }]
    const folder = await aFolder({
      'fr/chat.json': { [key]: 'Encore {{minutes}} min.' },
      'fr/decision.json': {
        approve: [{ text: 'oui' }, { text: 'confirmer' }],
        reject: [{ text: 'non' }, { text: 'annuler' }],
        always: entry('toujours ici'),
        edit: entry('modifier'),
        leave: entry('retour'),
        card: { confirm: 'Confirmer', cancel: 'Annuler', edit: 'Modifier', approve: 'oui', reject: 'non' },
      },
      '.git/config': '',
      'readme.md': '',
    })
    const texts = await openTexts({ ...shipped, folder })
    expect(texts.locales).toContain('fr')
    expect(texts.say('fr', key, { minutes: 5 })).toBe('Encore 5 min.')
    expect(texts.say('fr', 'card.also')).toBe(texts.say('en', 'card.also'))
    expect(texts.warnings).toContainEqual({
      path: `${join(folder, 'fr/chat.json')} card.also`,
      message: 'is missing: the fallback says it instead',
    })
    expect(matchDecision('oui', texts.vocabulary('fr'))).toMatchObject({ verdict: 'approve' })
  })
})

describe('wrong files', () => {
  it('are listed all at once, each with its path and how to mend it', async () => {
    const folder = await aFolder({
      'es/chat.json': '{ "card.also": ',
      'en/chat.json': { [key]: 'Soon.', 'no.such': 'text', 'card.also': '' },
      'pt-BR/decision.json': { approve: [{ text: 'oi' }, { texto: 'x' }], extra: 1 },
      'es/decision.json': { approve: [{ text: 'no' }] },
      'xx-bad-/chat.json': {},
    })
    const problems = await problemsOf({ ...shipped, folder })
    const told = problems.map(({ path, message }) => `${path}: ${message}`.replaceAll(folder, '~'))
    expect(told).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^~\/es\/chat\.json:1:16: is not JSON: /),
        expect.stringMatching(/^~\/en\/chat\.json:1:\d+ card\.also: is empty: write the words$/),
        '~/pt-BR/decision.json:1:36 approve[1].texto: is not known here: mend the name, or take it out',
        '~/pt-BR/decision.json:1:50 extra: is not known here: mend the name, or take it out',
        `${join(localesDir, 'es/decision.json')}:28:5 reject[0]: "no" reads like "no" of ~/es/decision.json:1:13 approve[0], which means something else: keep one of them`,
        `${join(localesDir, 'xx-bad-')}: is no language tag: write one like es or pt-BR`,
      ]),
    )
  })

  it('include texts with other values, texts that nothing says, and locales that are not there', async () => {
    const folder = await aFolder({ 'en/chat.json': { [key]: 'In {{hours}}.', 'no.such': 'text' } })
    expect(await problemsOf({ ...shipped, folder, locales: ['de', 'pt-br', '../es'] })).toEqual([
      { path: join(localesDir, 'de/chat.json'), message: 'is not there: a locale needs both its files' },
      { path: join(localesDir, 'de/decision.json'), message: 'is not there: a locale needs both its files' },
      { path: join(localesDir, 'pt-br'), message: 'is spelled pt-BR' },
      { path: join(localesDir, '../es'), message: 'is no language tag: write one like es or pt-BR' },
      { path: `${join(folder, 'en/chat.json')} ${key}`, message: 'has {{hours}} where {{minutes}} belongs' },
      { path: `${join(folder, 'en/chat.json')} no.such`, message: 'is a text that nothing says: take it out, or mend the key' },
    ])
  })

  it('include a folder that is not there', async () => {
    const problems = await problemsOf({ ...shipped, folder: join(root, 'nowhere') })
    expect(problems).toMatchObject([
      { path: join(root, 'nowhere'), message: expect.stringContaining('cannot be read as a folder of locales') },
    ])
  })

  it('never get past opening, whatever JSON they hold', async () => {
    const folder = await aFolder({})
    const entry = fc.oneof(
      fc.record({
        text: fc.oneof(fc.constantFrom('no', 'sí', 'hola', 'stop', 'x', ''), fc.string({ unit: 'binary' })),
        on: fc.boolean(),
      }),
      fc.jsonValue(),
    )
    const decision = fc.oneof(
      fc.jsonValue(),
      fc.record(
        { approve: fc.array(entry, { maxLength: 3 }), reject: fc.array(entry, { maxLength: 3 }), card: fc.jsonValue() },
        { requiredKeys: [] },
      ),
    )
    await fc.assert(
      fc.asyncProperty(
        decision,
        fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(key, '__proto__', 'constructor', 'x'), fc.jsonValue())),
        async (words, chat) => {
          await write(join(folder, 'es/decision.json'), JSON.stringify(words))
          await write(join(folder, 'es/chat.json'), JSON.stringify(chat))
          const problems = await problemsOf({ ...shipped, folder, locales: ['es'] })
          if (problems.length > 0) return
          const texts = await openTexts({ ...shipped, folder, locales: ['es'] })
          expect(matchDecision(texts.words('es').reject, texts.vocabulary('es'))).toMatchObject({ verdict: 'reject' })
        },
      ),
      { numRuns: 100 },
    )
  })
})

describe('a reload', () => {
  it('puts new words and texts in use at once, under a new version', async () => {
    const folder = await aFolder({ 'es/decision.json': {} })
    const texts = await openTexts({ ...shipped, folder })
    const before = texts.vocabulary('es')
    await write(join(folder, 'es/decision.json'), { approve: [{ text: 'de una' }] })
    expect(await texts.reload()).toMatchObject({ ok: true })
    expect(texts.vocabulary('es').version).not.toBe(before.version)
    expect(matchDecision('de una', texts.vocabulary('es'))).toMatchObject({ verdict: 'approve' })
    expect(matchDecision('de una', before)).toBeUndefined()
  })

  it('keeps the last good edition when a file is wrong, and says what is wrong', async () => {
    const folder = await aFolder({ 'es/decision.json': {} })
    const texts = await openTexts({ ...shipped, folder })
    const before = texts.vocabulary('es')
    await write(join(folder, 'es/decision.json'), { approve: [{ text: 'hola' }], reject: [{ text: 'stop' }] })
    const bad = await texts.reload()
    expect(bad.ok ? [] : bad.problems.map(({ path }) => path.replace(folder, ''))).toEqual([
      '/es/decision.json:1:13 approve[0]',
      '/es/decision.json:1:40 reject[0]',
    ])
    expect(texts.vocabulary('es')).toBe(before)
    await write(join(folder, 'es/decision.json'), {})
    expect(await texts.reload()).toMatchObject({ ok: true })
    expect(texts.vocabulary('es').version).toBe(before.version)
  })
})
