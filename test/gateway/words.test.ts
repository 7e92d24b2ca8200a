// Which words decide: the row of the account, in every process; and what becomes of what people write instead.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Entry } from '../../src/core/decision-file.ts'
import type { VocabularyContent } from '../../src/core/vocabulary-content.ts'
import type { Activation } from '../../src/ports/words.ts'
import { aHouse, embeddedStage } from '../support/house.ts'
import { aPhonesHouse, type PhonesHouse } from '../support/house-phones.ts'

const root = mkdtempSync(join(tmpdir(), 'dale-words-'))
afterAll(() => rmSync(root, { recursive: true }))

const dayMs = 86_400_000

let folders = 0
/** A folder of words: `es/decision.json` and the like. */
function aFolder(files: Readonly<Record<string, unknown>> = {}): string {
  folders += 1
  const folder = join(root, String(folders))
  mkdirSync(folder)
  for (const [path, content] of Object.entries(files)) write(join(folder, path), content)
  return folder
}

function write(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(content))
}

/** The active words of the account, with more approve phrases. */
async function activation({ house }: PhonesHouse, ...texts: readonly string[]): Promise<Activation> {
  const [row] = await house.store.activeVocabularies()
  if (row === undefined) throw new Error('No words are active')
  const approve = texts.map((text) => ({ text, weight: 'full', locale: 'es' }) as const)
  const content: VocabularyContent = { ...row.content, approve: [...row.content.approve, ...approve] }
  return { account: row.account, locale: row.locale, content, by: 'ana@desk', forced: false }
}

const statesOf = async (test: PhonesHouse): Promise<readonly string[]> => (await test.proposals()).map(({ state }) => state.name)

describe('the active words', () => {
  test('are those of the files at the first start, and are kept with each decision', async () => {
    await using house = await aPhonesHouse()
    const ana = house.phone('ana')
    await ana.says('registrá 3 cajas')
    await ana.says('dale')
    const [proposal] = await house.proposals()
    const [row] = await house.house.store.activeVocabularies()
    expect(row).toMatchObject({ account: 'demo', locale: 'es', reason: 'first start', forced: false, activeSinceMs: {} })
    expect(await house.house.store.decisions(proposal?.id ?? '')).toMatchObject([
      { verdict: 'approve', via: 'phrase', phrase: 'dale', vocabularyVersion: row?.version },
    ])
  })

  test('change for the cards that are shown from then on, and for no card before', async () => {
    await using house = await aPhonesHouse()
    const ana = house.phone('ana')
    const beto = house.phone('beto')
    await ana.says('registrá 3 cajas')
    await house.house.store.activate([await activation(house, 'vamos')])
    await house.later(1)
    await ana.says(`vamos #${ana.card().code}`)
    expect(await statesOf(house)).toEqual(['pending'])
    expect(house.turns.at(-1)?.messages).toMatchObject([{ text: expect.stringContaining('vamos #') }])
    await beto.says('registrá 4 cajas')
    await beto.says('vamos')
    expect(await statesOf(house)).toEqual(['pending', 'succeeded'])
    // Ana's card came again behind the agent's answer: that showing is a new one.
    await ana.says('vamos')
    expect(await statesOf(house)).toEqual(['succeeded', 'succeeded'])
  })

  test('are those of the row at that moment, whichever process made it', async () => {
    const stage = await embeddedStage()
    await using house = await aPhonesHouse({ stage })
    await using other = await aHouse({
      stage: { ...stage, [Symbol.asyncDispose]: async () => {} },
      start: { gateway: false, workers: false },
    })
    await house.phone('ana').says('hola')
    await other.house.words.follow()
    expect(other.house.words.of('demo').row).toBe(house.house.words.of('demo').row)
    await other.house.store.activate([await activation(house, 'vamos')])
    await house.later(1)
    const ana = house.phone('ana')
    await ana.says('registrá 3 cajas')
    await ana.says('vamos')
    const active = (await house.house.store.activeVocabularies())[0]
    const [proposal] = await house.proposals()
    expect(await house.house.store.decisions(proposal?.id ?? '')).toMatchObject([
      { phrase: 'vamos', vocabularyVersion: active?.version },
    ])
  })

  test('are written once by two processes with the same files', async () => {
    await using house = await aPhonesHouse()
    await house.phone('ana').says('hola')
    const next = await activation(house, 'vamos')
    await Promise.all([house.house.store.activate([next]), house.house.store.activate([next])])
    await house.house.store.activate([next])
    expect(await house.house.store.vocabularyHistory(10)).toMatchObject([{ by: 'ana@desk' }, { reason: 'first start' }])
  })

  test('stay when files become wrong, and readiness says why; right ones are active at once', async () => {
    const folder = aFolder({ 'es/decision.json': {} })
    await using house = await aPhonesHouse({ locales: { default: 'es', folder }, trouble: true })
    const wordsPart = async () => (await house.composition.readiness()).parts.words
    await house.phone('ana').says('hola')
    expect(await wordsPart()).toEqual({ state: 'up' })
    write(join(folder, 'es/decision.json'), { approve: [{ text: 'hola' }] })
    await house.composition.reload('files changed')
    expect(await wordsPart()).toMatchObject({ state: 'up', detail: expect.stringContaining('es/decision.json:1:13 approve[0]') })
    expect(await house.house.store.vocabularyHistory(10)).toHaveLength(1)
    expect(house.logged.filter(({ event }) => event === 'words_refused')).toHaveLength(1)
    write(join(folder, 'es/decision.json'), { approve: [{ text: 'vamos' }] })
    await house.composition.reload('files changed')
    expect(await wordsPart()).toEqual({ state: 'up' })
    expect(house.house.words.of('demo').vocabulary.approve.has('vamos')).toBe(true)
    expect(await house.house.store.vocabularyHistory(10)).toMatchObject([{ reason: 'files changed' }, { reason: 'first start' }])
  })

  test('follow the row and not the files at a later start, and readiness says that they differ', async () => {
    const stage = await embeddedStage()
    {
      await using first = await aPhonesHouse({ stage: { ...stage, [Symbol.asyncDispose]: async () => {} } })
      await first.phone('ana').says('hola')
    }
    const folder = aFolder({ 'es/decision.json': { approve: [{ text: 'vamos' }] } })
    await using house = await aPhonesHouse({ stage, locales: { default: 'es', folder } })
    await house.house.words.follow()
    expect(house.house.words.of('demo').vocabulary.approve.has('vamos')).toBe(false)
    expect((await house.composition.readiness()).parts.words?.detail).toContain('other words for demo')
    await house.composition.reload('SIGHUP')
    expect(house.house.words.of('demo').vocabulary.approve.has('vamos')).toBe(true)
  })

  test('of an account stand over all others, and switch them off', async () => {
    const words = aFolder({
      'es/decision.json': {
        approve: [
          { text: 'va', on: true },
          { text: 'dale', on: false },
        ],
        card: { approve: 'confirmo' },
      },
    })
    const folder = aFolder({ 'es/decision.json': { approve: [{ text: 'vamos' }, { text: 'va', on: false }] } })
    await using house = await aPhonesHouse({
      locales: { default: 'es', folder },
      accounts: { demo: { channel: 'simulator', words }, plain: { channel: 'simulator' } },
    })
    await house.house.words.follow()
    const of = (account: string) =>
      ['va', 'dale', 'vamos'].filter((text) => house.house.words.of(account).vocabulary.approve.has(text))
    expect([of('demo'), of('plain')]).toEqual([
      ['va', 'vamos'],
      ['dale', 'vamos'],
    ])
    const ana = house.phone('ana')
    await ana.says('registrá 3 cajas')
    expect(ana.card().text).toContain('«confirmo»')
    await ana.says('va')
    expect(await statesOf(house)).toEqual(['succeeded'])
  })

  test('of a new locale are a folder', async () => {
    const list = (...texts: readonly string[]): readonly Partial<Entry>[] => texts.map((text) => ({ text }))
    const folder = aFolder({
      'fr/chat.json': { 'card.words': 'Répondez « {{approve}} » ou « {{reject}} » ({{code}}, {{approve}}).' },
      'fr/decision.json': {
        approve: list('oui', 'confirmer', "d'accord"),
        reject: list('non', 'annuler'),
        always: list('toujours ici'),
        edit: list('modifier'),
        leave: list('retour'),
        card: { confirm: 'Confirmer', cancel: 'Annuler', edit: 'Modifier', approve: 'oui', reject: 'non' },
      },
    })
    await using house = await aPhonesHouse({ locales: { default: 'fr', folder } })
    const ana = house.phone('ana')
    await ana.says('registrá 3 cajas')
    expect(ana.card()).toMatchObject({ labels: ['Confirmer', 'Annuler'], text: expect.stringContaining('« oui »') })
    await ana.says('dale')
    expect(await statesOf(house)).toEqual(['pending'])
    await ana.says(`#${ana.card().code}`)
    await ana.says("D'ACCORD!")
    expect(await statesOf(house)).toEqual(['succeeded'])
  })
})

describe('a short message that decides nothing', () => {
  const kept = async ({ house }: PhonesHouse) =>
    (await house.store.nearMisses(0)).map(({ folded, kind, person, next }) => [folded, kind, person, next.did])

  test('is kept while a card waits, with what came next', async () => {
    await using house = await aPhonesHouse()
    const ana = house.phone('ana')
    const beto = house.phone('beto')
    await ana.says('vamos')
    await ana.says('registrá 3 cajas')
    await ana.says('Vamos!')
    await ana.says('cuánto sale esto de las cajas, y cuándo')
    await ana.says('mi código es 4512')
    await beto.says('registrá 4 cajas')
    await beto.says('dale nomás')
    expect(await kept(house)).toEqual([
      ['vamos', 'other', 'sim:ana', 'other'],
      ['dale nomas', 'word', 'sim:beto', 'waits'],
    ])
    await beto.presses('Confirmar')
    await ana.says(`dale #${ana.card().code}`)
    expect(await house.house.store.nearMisses(0)).toMatchObject([
      { next: { did: 'typed', verdict: 'approve', phrase: 'dale' } },
      { next: { did: 'pressed', verdict: 'approve' } },
    ])
    expect(await house.house.store.wordDecisions(0)).toMatchObject([
      { phrase: 'dale', via: 'code', reversibility: 'reversible', account: 'demo' },
    ])
  })

  test('that looks like an attempt has the card say the words, once, and never decides', async () => {
    await using house = await aPhonesHouse()
    const ana = house.phone('ana')
    await ana.says('registrá 3 cajas')
    await ana.says('dale nomás')
    const heads = () => ana.sees().filter(({ kind, text }) => kind === 'card' && text.startsWith('Eso no decidió nada'))
    expect(ana.sees().slice(-2)).toMatchObject([{ kind: 'text', text: 'Entendido.' }, { kind: 'card' }])
    expect(heads()).toHaveLength(1)
    await ana.says('dalee')
    await ana.says('👍')
    expect(heads()).toHaveLength(1)
    expect(await statesOf(house)).toEqual(['pending'])
    expect((await kept(house)).map(([, kind]) => kind)).toEqual(['word', 'letter', 'emoji'])
  })

  test('does not bring the card behind a question of the agent, which a word would answer', async () => {
    await using house = await aPhonesHouse()
    const ana = house.phone('ana')
    await ana.says('registrá 3 cajas')
    const cards = ana.sees().filter(({ kind }) => kind === 'card').length
    await ana.says('necesito factura')
    await ana.says('sii')
    expect(ana.sees().filter(({ kind }) => kind === 'card').length).toBe(cards + 1)
    await ana.says('necesito factura')
    expect(ana.sees().at(-1)?.text).toContain('¿')
  })

  test('is kept for as long as it is configured, and erased with its person', async () => {
    await using house = await aPhonesHouse({ limits: { nearMissDays: 1 } })
    for (const person of ['ana', 'beto', 'carla']) {
      await house.phone(person).says('registrá 3 cajas')
      await house.phone(person).says('vamos')
    }
    expect(await house.house.store.forgetNearMisses('sim:beto')).toBe(1)
    expect(await house.house.store.forgetNearMisses('sim:beto')).toBe(0)
    expect((await kept(house)).map(([, , person]) => person)).toEqual(['sim:ana', 'sim:carla'])
    await house.later(dayMs + 1000)
    await house.quiet()
    expect(await kept(house)).toEqual([])
  })

  test('is not kept at all where nothing is to be kept', async () => {
    await using house = await aPhonesHouse({ limits: { nearMissDays: 0 } })
    await house.phone('ana').says('registrá 3 cajas')
    await house.phone('ana').says('vamos')
    expect(await kept(house)).toEqual([])
  })
})
