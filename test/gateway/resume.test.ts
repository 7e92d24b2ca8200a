import { describe, expect, it } from 'vitest'
import { scriptedAgent } from '../../src/agents/scripted.ts'
import type { Agent, AgentEvent } from '../../src/ports/agent.ts'
import { type HouseSettings, script } from '../support/house.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'

/** Answers messages by the book, and outcomes with what the test says. */
const goingOn = (answer: readonly AgentEvent[] | Error): Agent => ({
  async *run(turn, signal) {
    if (turn.resumed === undefined) return yield* script.run(turn, signal)
    if (answer instanceof Error) throw answer
    yield* answer
  },
})

const resuming = (agent: Agent, differs: HouseSettings = {}) => {
  const ledger = new Ledger()
  return aPhonesHouse({ ledger, agent, limits: { onOutcome: 'resume' }, actions: [bookingAction(ledger)], ...differs })
}

describe('a turn that an outcome starts', () => {
  it('has the outcome as its fact, no message, and is no run of a person', async () => {
    await using test = await resuming(goingOn([{ kind: 'text', text: 'Sigo.' }]))
    const ana = test.phone('ana')
    await ana.says('registrá 3 cajas')
    await ana.says('dale')
    const [asked, resumed] = test.turns
    expect([asked?.origin, asked?.resumed]).toEqual(['human', undefined])
    expect(resumed).toMatchObject({
      origin: 'agent',
      messages: [],
      resumed: { action: 'registrar', args: { cajas: 3 }, state: 'succeeded', executed: true, origin: 'human' },
    })
    expect(resumed?.facts).toContainEqual(resumed?.resumed)
    expect(ana.sees().map(({ text }) => text)).toEqual([
      'Preparé el registro.',
      expect.stringContaining('Cajas'),
      expect.stringContaining('Recibido'),
      expect.stringContaining('Hecho'),
      'Sigo.',
    ])
    expect(test.turns).toHaveLength(2)
  })

  it('comes once for an outcome, under the same id when it is tried again', async () => {
    await using test = await resuming(goingOn([{ kind: 'text', text: 'Sigo.' }]))
    const ana = test.phone('ana')
    await ana.says('registrá 3 cajas')
    await ana.says('no')
    // As it stands where a process died in it: begun, not ended, its lease over.
    await test.stage.run('update dale.turn set ended_at = null, taken_until = dale.now_ms() where resumed is not null')
    await test.quiet()
    const ids = test.turns.filter(({ resumed }) => resumed !== undefined).map(({ id }) => id)
    expect(ids).toEqual([ids[0], ids[0]])
    await test.later(3_600_000)
    await test.quiet()
    expect(test.turns).toHaveLength(3)
  })

  it('replaces nothing and withdraws nothing, whatever it says', async () => {
    const ledger = new Ledger()
    const withKey = bookingAction(ledger, { name: 'anotar', mode: 'naive' })
    let code = ''
    const agent: Agent = {
      async *run(turn, signal) {
        if (turn.resumed === undefined) return yield* script.run(turn, signal)
        yield { kind: 'withdraw', code }
        yield { kind: 'propose', action: 'anotar', args: { cajas: 9 } }
      },
    }
    await using test = await resuming(agent, {
      ledger,
      actions: [bookingAction(ledger), { ...withKey, replacementKey: () => 'the only one' }],
    })
    const ana = test.phone('ana')
    await ana.says('anotá 5 cajas')
    code = ana.card().code ?? ''
    await ana.says('registrá 3 cajas')
    await ana.says(`no #${ana.card().code}`)
    expect((await test.proposals()).map(({ action, state }) => [action, state.name])).toEqual([
      ['anotar', 'pending'],
      ['registrar', 'rejected'],
    ])
    expect(test.counted).toContainEqual({ what: 'proposal_refused', labels: { code: 'slot_busy' } })
  })

  it('is silent where the agent cannot answer, for nobody asked', async () => {
    await using test = await resuming(goingOn(new Error('down')), { trouble: true })
    const ana = test.phone('ana')
    await ana.says('registrá 3 cajas')
    await ana.says('no')
    expect(ana.sees().at(-1)?.text).toContain('Cancelado')
    expect(test.logged.filter(({ event }) => event === 'agent_failed')).toHaveLength(1)
  })

  it('is asked for by an action of its own, and not where the action says tell', async () => {
    const ledger = new Ledger()
    const agent = scriptedAgent(
      [
        { when: 'registrá', propose: { action: 'registrar', args: { cajas: 1 } } },
        { when: 'anotá', propose: { action: 'anotar', args: { cajas: 2 } } },
      ],
      {
        match: 'start',
        outcomes: [
          { of: 'registrar', say: 'Registradas {cajas}.' },
          { of: 'anotar', say: 'Anotadas {cajas}.' },
        ],
      },
    )
    const actions = [
      { ...bookingAction(ledger), onOutcome: 'resume' as const },
      { ...bookingAction(ledger, { name: 'anotar' }), onOutcome: 'tell' as const },
    ]
    await using test = await aPhonesHouse({ ledger, agent, actions })
    const ana = test.phone('ana')
    await ana.says('registrá')
    await ana.says('dale')
    await ana.says('anotá')
    await ana.says('dale')
    expect(
      ana
        .sees()
        .filter(({ kind }) => kind === 'text')
        .map(({ text }) => text),
    ).toEqual(['Registradas 1.'])
  })

  it('waits for an outcome only: what took another place, or waits, starts none', async () => {
    await using test = await resuming(goingOn([{ kind: 'text', text: 'Sigo.' }]))
    const ana = test.phone('ana')
    await ana.says('registrá 3 cajas')
    await ana.says(`olvidate de ${ana.card().code}`)
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['discarded'])
    expect(test.turns.every(({ resumed }) => resumed === undefined)).toBe(true)
  })
})
