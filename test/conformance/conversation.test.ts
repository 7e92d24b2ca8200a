import { beforeAll, describe, expect, test } from 'vitest'
import { execute } from '../../src/gateway/execute.ts'
import type { Agent, AgentEvent } from '../../src/ports/agent.ts'
import { workersEmbedded } from '../support/embedded.ts'
import { embeddedStage } from '../support/house.ts'
import { aPhonesHouse, type PhonesHouse } from '../support/house-phones.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'

beforeAll(workersEmbedded, 60_000)

const asks = 'registrá 3 cajas'
const statesOf = async ({ proposals }: Pick<PhonesHouse, 'proposals'>) => (await proposals()).map(({ state }) => state.name)
const proposes = (args: unknown, more?: true): AgentEvent => ({
  kind: 'propose',
  action: 'registrar',
  args,
  ...(more === undefined ? {} : { more }),
})

/** An agent that answers its first turn with these events, and every later one with what `then` says. */
function answers(events: readonly AgentEvent[], then: readonly AgentEvent[] = [{ kind: 'text', text: 'Entendido.' }]): Agent {
  let turns = 0
  return {
    async *run() {
      turns += 1
      yield* turns === 1 ? events : then
    },
  }
}

describe('a card', () => {
  test('as-038: a card alone runs nothing', async () => {
    await using house = await aPhonesHouse()
    await house.phone('ana').says(asks)
    await house.later(10 * 60_000)
    await house.quiet()
    expect(await statesOf(house)).toEqual(['pending'])
    expect(house.ledger.calls).toEqual([])
  })

  test('as-047: looking at what waits changes nothing', async () => {
    await using house = await aPhonesHouse()
    const ana = house.phone('ana')
    await ana.says(asks)
    const [before] = await house.proposals()
    await house.house.store.proposal(before?.id ?? '')
    await house.house.store.showings(before?.id ?? '')
    expect(await house.proposals()).toEqual([before])
    await ana.says('sí')
    expect(await statesOf(house)).toEqual(['succeeded'])
  })

  test('av-198: a card is known for as long as its proposal waits', async () => {
    const ledger = new Ledger()
    const days = 24 * 60 * 60_000
    await using house = await aPhonesHouse({ ledger, actions: [bookingAction(ledger, { ttlMs: 2 * days })] })
    const ana = house.phone('ana')
    await ana.says(asks)
    await house.later(days + 60 * 60_000)
    await ana.says('sí')
    expect(await statesOf(house)).toEqual(['succeeded'])
  })

  test('as-055: the same thing proposed twice in one turn is one card', async () => {
    await using house = await aPhonesHouse({ agent: answers([proposes({ cajas: 3 }, true), proposes({ cajas: 3 })]) })
    const ana = house.phone('ana')
    await ana.says(asks)
    expect(await statesOf(house)).toEqual(['pending'])
    expect(ana.sees().filter(({ kind }) => kind === 'card')).toHaveLength(1)
    expect(house.ledger.calls).toEqual([])
  })

  test('as-071: what a failing turn proposed has its card', async () => {
    await using house = await aPhonesHouse({
      trouble: true,
      agent: {
        async *run() {
          yield proposes({ cajas: 3 }, true)
          throw new Error('The model is away.')
        },
      },
    })
    const ana = house.phone('ana')
    await ana.says(asks)
    expect(ana.sees().filter(({ kind }) => kind === 'card')).toHaveLength((await house.proposals()).length)
    expect(house.ledger.calls).toEqual([])
  })
})

describe('a yes', () => {
  test('as-041: a yes is for the arguments that were shown', async () => {
    await using house = await aPhonesHouse()
    const ana = house.phone('ana')
    await ana.says(asks)
    await ana.says('sí')
    await ana.says('registrá 5 cajas')
    expect(await statesOf(house)).toEqual(['succeeded', 'pending'])
    expect(house.ledger.effects.map(({ args }) => args)).toEqual([{ cajas: 3 }])
  })

  test('as-042: a yes is for the action that was shown', async () => {
    const ledger = new Ledger()
    const actions = [bookingAction(ledger), bookingAction(ledger, { name: 'anotar' })]
    await using house = await aPhonesHouse({ ledger, actions })
    const ana = house.phone('ana')
    await ana.says(asks)
    await ana.says('sí')
    await ana.says('anotá 3 cajas')
    expect((await house.proposals()).map(({ action, state }) => `${action} ${state.name}`)).toEqual([
      'registrar succeeded',
      'anotar pending',
    ])
    expect(ledger.calls).toHaveLength(1)
  })

  test('as-056: a yes is used up by what it approved', async () => {
    await using house = await aPhonesHouse()
    const ana = house.phone('ana')
    await ana.says(asks)
    await ana.says('sí')
    await ana.says(asks)
    expect(await statesOf(house)).toEqual(['succeeded', 'pending'])
    expect(house.ledger.calls).toHaveLength(1)
  })

  test('as-058: one yes to what was proposed three times runs once', async () => {
    const thrice = [proposes({ cajas: 3 }, true), proposes({ cajas: 3 }, true), proposes({ cajas: 3 })]
    await using house = await aPhonesHouse({ agent: answers(thrice, thrice) })
    const ana = house.phone('ana')
    await ana.says(asks)
    await ana.says('sí')
    expect(await statesOf(house)).toEqual(['succeeded'])
    expect(house.ledger.calls).toHaveLength(1)
    expect(house.turns).toHaveLength(1)
  })

  test('as-059: a yes that a model writes is no yes', async () => {
    const yes: readonly AgentEvent[] = [{ kind: 'text', text: 'si' }]
    await using house = await aPhonesHouse({ agent: answers([proposes({ cajas: 3 })], yes) })
    const ana = house.phone('ana')
    await ana.says(asks)
    const [proposal] = await house.proposals()
    await ana.says('contestá que sí')
    await ana.says(`decí "sí #${proposal?.code}"`)
    expect(await statesOf(house)).toEqual(['pending'])
    expect(house.ledger.calls).toEqual([])
    expect(await house.stage.run('select * from dale.decision')).toEqual([])
  })

  test('ga-445: a decision keeps where it came from', async () => {
    await using house = await aPhonesHouse()
    const ana = house.phone('ana')
    await ana.says(asks)
    await ana.says('Dale!')
    const [proposal] = await house.proposals()
    const [row] = await house.stage.run('select record from dale.decision')
    expect(row?.record).toMatchObject({
      person: 'sim:ana',
      verdict: 'approve',
      via: 'phrase',
      phrase: 'dale',
      vocabularyVersion: house.house.words.of('demo').vocabulary.version,
      moment: { atMs: expect.any(Number), order: expect.any(Number) },
    })
    const kept = ['atMs', 'moment', 'person', 'phrase', 'verdict', 'via', 'vocabularyVersion']
    expect(Object.keys(row?.record as object).sort()).toEqual(kept)
    expect(await house.stage.store.history(proposal?.id ?? '')).toContainEqual(
      expect.objectContaining({ event: 'approve', by: 'sim:ana' }),
    )
  })
})

describe('the agent', () => {
  test('at-404: the agent hears of a refusal as a fact', async () => {
    await using house = await aPhonesHouse()
    const ana = house.phone('ana')
    await ana.says(asks)
    await ana.says('no')
    await ana.says('cuánto sale')
    expect(house.turns.at(-1)?.facts).toMatchObject([
      { action: 'registrar', args: { cajas: 3 }, state: 'rejected', executed: false },
    ])
    expect(house.ledger.calls).toEqual([])
  })

  test('av-356: what was proposed is pending and not executed, and no agent is asked again', async () => {
    await using house = await aPhonesHouse()
    const ana = house.phone('ana')
    await ana.says(asks)
    expect(house.turns).toHaveLength(1)
    await ana.says('cuánto sale')
    expect(house.turns.at(-1)?.facts).toMatchObject([{ state: 'pending', executed: false }])
    expect(house.ledger.calls).toEqual([])
  })

  test.each([
    ['NaN', { cajas: Number.NaN }],
    ['a function', { cajas: 3, then: () => undefined }],
    ['itself', Object.assign<Record<string, unknown>, object>({ cajas: 3 }, {})],
  ])('av-342, av-344, av-346: arguments that JSON cannot say make no proposal', async (what, args) => {
    if (what === 'itself') Object.assign(args, { self: args })
    await using house = await aPhonesHouse({ agent: answers([proposes(args)]) })
    await house.phone('ana').says(asks)
    expect(house.turns).toHaveLength(1)
    expect(await house.proposals()).toEqual([])
    expect(house.counted).toContainEqual({ what: 'proposal_refused', labels: { code: 'invalid_args' } })
  })
})

test('av-334, av-335, av-337: another person, another topic and another key replace nothing', async () => {
  const ledger = new Ledger()
  const replacementKey = ({ cajas }: { readonly cajas: number }) => (cajas < 10 ? 'few' : 'many')
  await using house = await aPhonesHouse({
    ledger,
    actions: [bookingAction(ledger, { replacementKey })],
    simulated: { groups: ['obra'] },
  })
  const where = async () =>
    (await house.proposals()).map(({ requester, conversation: { topic }, canonicalArgs, state }) =>
      [requester, topic ?? '-', canonicalArgs, state.name].join(' '),
    )
  await house.phone('ana', 'obra').says('@dale registrá 3 cajas')
  await house.phone('beto', 'obra').says('@dale registrá 4 cajas')
  await house.phone('ana', { chat: 'obra', topic: 'sur' }).says('@dale registrá 5 cajas')
  await house.phone('ana', 'obra').says('@dale registrá 60 cajas')
  expect(await where()).toEqual([
    'sim:ana - {"cajas":3} pending',
    'sim:beto - {"cajas":4} pending',
    'sim:ana sur {"cajas":5} pending',
    'sim:ana - {"cajas":60} pending',
  ])
  await house.phone('ana', 'obra').says('@dale registrá 6 cajas')
  expect((await where())[0]).toBe('sim:ana - {"cajas":3} superseded')
})

test('av-322: what is not there any more is not run, and that is told', async () => {
  const stage = await embeddedStage()
  const ledger = new Ledger()
  {
    await using before = await aPhonesHouse({
      stage,
      ledger,
      start: { gateway: true, workers: true },
      limits: { holdMs: 60_000 },
    })
    const ana = before.phone('ana')
    await ana.says(asks)
    await ana.says('sí')
    expect(await statesOf(before)).toEqual(['approved'])
  }
  await using after = await aPhonesHouse({ stage, ledger, actions: [bookingAction(ledger, { name: 'anotar' })] })
  await after.later(61_000)
  await after.quiet()
  const [proposal] = await after.proposals()
  await execute(after.house, proposal?.id ?? '')
  await after.quiet()
  expect((await after.proposals())[0]?.state).toEqual({ name: 'changed', reason: 'version' })
  expect(ledger.calls).toEqual([])
  expect(await stage.run(`select body -> 'message' ->> 'kind' as kind from dale.outbox where lane = 'outcome'`)).toEqual([
    { kind: 'notice' },
  ])
})
