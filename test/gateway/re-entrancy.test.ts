import { describe, expect, it } from 'vitest'
import { proposeOutside } from '../../src/gateway/propose-outside.ts'
import { takePush } from '../../src/gateway/take-push.ts'
import type { Agent, AgentEvent } from '../../src/ports/agent.ts'
import { type HouseSettings, script } from '../support/house.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'
import { shippedLocales, shippedSource } from '../support/vocabularies.ts'

/** Every word of a locale that means anything to Dale, switched on or not. */
const wordsOf = (locale: string): readonly string[] =>
  Object.values(shippedSource(locale).decision)
    .flat()
    .flatMap((entry) => (typeof entry === 'object' && entry !== null && 'text' in entry ? [String(entry.text)] : []))

/** Each as it is, shouted, with the code of the card, and as a whole receipt. */
const waysOf = (words: readonly string[], code: string): readonly string[] =>
  words.flatMap((word) => [word, `¡${word.toUpperCase()}!`, `${word} #${code}`, `${word}\n#${code}`])

const texts = (said: readonly string[]): readonly AgentEvent[] => said.map((text) => ({ kind: 'text', text }))

/** A house in one language with a card of Ana's that waits, and the ways to say every word of that language about it. */
async function aWaitingCard(
  locale: string,
  answer: (ways: readonly string[]) => readonly AgentEvent[] = () => [],
  differs: HouseSettings = {},
) {
  const ledger = new Ledger()
  let ways: readonly string[] = []
  const agent: Agent = {
    async *run(turn, signal) {
      const [message] = turn.messages
      if (turn.resumed === undefined && message?.text !== 'hola') return yield* script.run(turn, signal)
      yield* answer(ways)
    },
  }
  const test = await aPhonesHouse({
    ledger,
    agent,
    locales: { default: locale },
    actions: [bookingAction(ledger), bookingAction(ledger, { name: 'anotar', mode: 'naive' })],
    ...differs,
  })
  const ana = test.phone('ana')
  await ana.says('registrá 3 cajas')
  const [card] = await test.proposals()
  if (card === undefined) throw new Error('There is no card')
  ways = waysOf(wordsOf(locale), card.code)
  const untouched = async () => {
    const now = await test.stage.store.proposal(card.id)
    const history = await test.stage.store.history(card.id)
    expect([now?.proposal.state.name, history.map(({ event }) => event)]).toEqual(['pending', ['propose', 'show']])
    expect(await test.stage.store.decisions(card.id)).toEqual([])
    expect(ledger.effects.filter(({ proposal }) => proposal === card.id)).toEqual([])
  }
  return Object.assign(test, { ana, card, ways: () => ways, untouched })
}

const yes: Readonly<Record<string, string>> = { es: 'dale', 'pt-BR': 'sim', en: 'yes' }

describe.each(shippedLocales)('in %s, every word that decides, from every place that is no person', (locale) => {
  it('as what an agent says: it decides nothing, discards nothing, and disarms as any text does', async () => {
    await using test = await aWaitingCard(locale, texts)
    expect(test.ways().length).toBeGreaterThan(100)
    await test.ana.says('hola')
    await test.untouched()
    // What was said last is the agent's: the card follows, and only that makes a bare word good again.
    await test.ana.says(yes[locale] ?? '')
    expect(test.ledger.effects).toHaveLength(1)
  })

  it('as what an agent says of an outcome, in a turn that nobody wrote for', async () => {
    await using test = await aWaitingCard(locale, texts, { limits: { onOutcome: 'resume', maxOpenPerConversation: 5 } })
    await test.ana.says('anotá 2 cajas')
    await test.ana.says(`no #${test.ana.card().code}`)
    expect(test.turns.filter(({ resumed }) => resumed !== undefined)).toHaveLength(1)
    await test.untouched()
  })

  it('as a code that an agent withdraws in such a turn', async () => {
    const withdrawing = (ways: readonly string[]): readonly AgentEvent[] => ways.map((code) => ({ kind: 'withdraw', code }))
    await using test = await aWaitingCard(
      locale,
      (ways) => [...withdrawing(ways), { kind: 'withdraw', code: ways.find((way) => way.includes('#'))?.split('#')[1] ?? '' }],
      { limits: { onOutcome: 'resume', maxOpenPerConversation: 5 } },
    )
    await test.ana.says('anotá 2 cajas')
    await test.ana.says(`no #${test.ana.card().code}`)
    await test.untouched()
  })

  it('as what an action answers: a fact, which leaves the card armed', async () => {
    const ledger = new Ledger()
    let answer = ''
    const action = bookingAction(ledger, { name: 'anotar', mode: 'naive' })
    await using test = await aWaitingCard(locale, () => [], {
      ledger,
      limits: { maxOpenPerConversation: 5 },
      actions: [
        bookingAction(ledger),
        {
          ...action,
          execute: async (args, context) => ({ ...(await action.execute(args, context)), result: answer, message: answer }),
        },
      ],
    })
    answer = test.ways().join('\n')
    await test.ana.says('anotá 2 cajas')
    await test.ana.presses(test.ana.card().labels[0] ?? '')
    await test.untouched()
    await test.ana.says('hola')
    expect(test.turns.at(-1)?.facts.find(({ state }) => state === 'succeeded')?.result?.length).toBeGreaterThan(500)
    await test.untouched()
  })

  it('as what a program proposes', async () => {
    await using test = await aWaitingCard(locale)
    for (const word of wordsOf(locale)) {
      for (const args of [
        { cajas: word },
        { cajas: 3, confirmed: word },
        { cajas: 3, verdict: 'approve', code: test.card.code },
      ]) {
        const { conversation, requester } = test.card
        const asked = {
          conversation,
          ...(requester === undefined ? {} : { requester }),
          requesterName: word,
          action: 'registrar',
          args,
        }
        expect((await proposeOutside(test.house, { ...asked, origin: 'api', proposedBy: word })).kind).toBe('refused')
      }
    }
    await test.quiet()
    await test.untouched()
    await test.ana.says(yes[locale] ?? '')
    expect(test.ledger.effects).toHaveLength(1)
  })

  it('as what an agent pushes after its turn', async () => {
    await using test = await aWaitingCard(locale)
    await test.ana.says('hola')
    const events = texts(test.ways()) as Parameters<typeof takePush>[1]['events']
    expect(await takePush(test.house, { turn: test.turns.at(-1)?.id ?? '', id: 'd1', events }, 60_000)).toBe('taken')
    await test.quiet()
    await test.untouched()
  })

  it('as what a hook says and throws, which leaves the card armed', async () => {
    const said: string[] = []
    const hook = (): void => {
      said.push(...wordsOf(locale))
      throw new Error(said.join(' '))
    }
    await using test = await aWaitingCard(locale, () => [], { hooks: { onProposed: hook } })
    expect(said.length).toBeGreaterThan(0)
    await test.untouched()
    await test.ana.says(yes[locale] ?? '')
    expect(test.ledger.effects).toHaveLength(1)
  })
})
