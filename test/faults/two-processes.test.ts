import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Proposal, ProposalIn } from '../../src/core/proposal.ts'
import { aDatabase, type TestDatabase } from '../support/database.ts'
import { describeOn } from '../support/describe-on.ts'
import { postgresStage, type Stage } from '../support/house.ts'
import { type RaceEnd, raceEnds, racers, seeded, waitingProposals } from '../support/house-races.ts'
import { minutes } from '../support/proposals.ts'
import { RacerProcess, type Task } from '../support/racer-processes.ts'

/** How often each race is run; more of them with `DALE_RACES`. */
const races = Number(process.env.DALE_RACES ?? 48)
/** Raced for at the same time. */
const atOnce = 8
const timeout = 20_000 + races * 300

const received = 'Recibido, ya me ocupo.'
const approved = 'Ya está confirmado y se hace enseguida.'
const rejected = 'Cancelado. No se hizo nada.'
const halted = 'Se frenó a tiempo: no se hizo nada.'
const expired = 'Venció sin respuesta: no se hizo nada.'
const edited = 'Una copia editada reemplazó a esta.'
const superseded = 'Una tarjeta más nueva reemplazó a esta.'

/** One proposal's race: how it ended, and what each process came to that is no person. */
interface Raced extends RaceEnd {
  readonly answers: readonly [string, string]
  readonly calls: number
}

describeOn('postgres', 'two processes on one database', () => {
  let database: TestDatabase
  let stage: Stage
  let one: RacerProcess
  let other: RacerProcess

  beforeAll(async () => {
    database = await aDatabase()
  }, 60_000)
  afterAll(async () => await database[Symbol.asyncDispose]())

  beforeEach(async () => {
    stage = await postgresStage(database)
    await stage.store.seedPeople(racers, [{ role: 'supervisor', conversation: { account: 'demo', chat: 'turno' } }])
    ;[one, other] = await Promise.all([RacerProcess.started(database.url), RacerProcess.started(database.url)])
    return async () => {
      await one[Symbol.asyncDispose]()
      await other[Symbol.asyncDispose]()
      await stage[Symbol.asyncDispose]()
    }
  }, 60_000)

  /** Both processes at once for some proposals, and then for the next ones; `before` sets the clock. */
  const race = async (
    state: 'pending' | 'approved',
    [left, right]: readonly [Task['todo'], Task['todo']],
    before: (proposals: readonly Proposal[], random: () => number) => Promise<unknown> = async () => undefined,
    after: () => Promise<unknown> = async () => undefined,
  ): Promise<readonly Raced[]> => {
    const random = seeded(20_261_130)
    const ends: Raced[] = []
    for (let done = 0; done < races; done += atOnce) {
      const proposals = await waitingProposals(stage, state, Math.min(atOnce, races - done))
      await before(proposals, random)
      // The one that is told first is now the one, now the other.
      const tasks = [() => one.does({ todo: left, proposals }), () => other.does({ todo: right, proposals })] as const
      const isTurned = random() < 0.5
      const [a, b] = isTurned ? [tasks[1](), tasks[0]()] : [tasks[0](), tasks[1]()]
      const [first, second] = await Promise.all(isTurned ? [b, a] : [a, b])
      const told = await raceEnds(stage, proposals)
      await after()
      ends.push(
        ...told.map((end, place) => ({
          ...end,
          answers: [first.answers[place] ?? '', second.answers[place] ?? ''] as const,
          calls: [...first.calls, ...second.calls].filter((id) => id === end.proposal.id).length,
        })),
      )
    }
    expect(ends).toHaveLength(races)
    return ends
  }
  const statesOf = (ends: readonly Raced[]) => [...new Set(ends.map(({ state }) => state))].sort()

  it('approve and approve: one wins, and the other is told that it is approved', { timeout }, async () => {
    const ends = await race('pending', ['carla approves', 'dario approves'])
    for (const { state, finals, told } of ends) {
      expect(state).toBe('approved')
      const first = finals[0] === 'carla approve'
      expect(finals).toEqual([first ? 'carla approve' : 'dario approve'])
      expect(told).toEqual(first ? { carla: [received], dario: [approved] } : { carla: [approved], dario: [received] })
    }
  })

  it('approve and reject: what somebody refused is never run, and who approved hears of it', { timeout }, async () => {
    const ends = await race('pending', ['carla approves', 'dario rejects'])
    for (const { state, finals, told } of ends) {
      expect(finals).toEqual([state === 'rejected' ? 'dario reject' : 'carla approve'])
      if (state === 'rejected') expect(new Set(told.carla)).toEqual(new Set([rejected]))
      else expect([state, told]).toEqual(['halted', { carla: [received, halted], dario: [halted] }])
    }
  })

  it('approve and expire: the deadline of one clock decides', { timeout }, async () => {
    const ends = await race('pending', ['carla approves', 'expire'], async (proposals, random) => {
      const { state } = proposals[0] as ProposalIn<'pending'>
      // So that the deadline passes while they decide.
      await stage.moveClock(state.expiresAtMs - Math.floor(random() * 150) - (await stage.store.now()))
    })
    for (const { state, finals, told, answers } of ends) {
      expect(finals).toEqual(state === 'approved' ? ['carla approve'] : [])
      // Who decides too late ends it too, if they are faster than the sweep.
      expect(['lost', ...(state === 'approved' ? [] : ['applied'])]).toContain(answers[1])
      expect(new Set(told.carla)).toEqual(new Set([state === 'approved' ? received : expired]))
    }
    expect(statesOf(ends)).toEqual(['approved', 'expired'])
    expect(
      await stage.run(`select h.proposal from dale.history h join dale.proposal p on p.id = h.proposal
        where h.event = 'approve' and h.at >= (p.frozen ->> 'createdAtMs')::bigint + 20000 + ${minutes(30)}`),
    ).toEqual([])
  })

  it.each([
    ['edit', 'edited', edited],
    ['supersede', 'superseded', superseded],
  ] as const)(
    'approve and %s: one wins, and who approved in vain is told what it is now',
    { timeout },
    async (todo, end, text) => {
      const ends = await race('pending', ['carla approves', todo])
      for (const { state, finals, told, answers } of ends) {
        expect(finals).toEqual(state === 'approved' ? ['carla approve'] : [])
        expect(answers[1]).toBe(state === 'approved' ? 'lost' : 'applied')
        expect([state, told.carla]).toEqual(state === 'approved' ? ['approved', [received]] : [end, [text]])
      }
    },
  )

  it('claim and halt: what is halted is called nowhere, and what is called is called once', { timeout }, async () => {
    const ends = await race(
      'approved',
      ['execute', 'halt'],
      async () => undefined,
      () => stage.store.resume({ kind: 'action', name: 'registrar' }),
    )
    // One that a halt met between its claim and its send marker is free again, and nothing was called.
    for (const { state, calls } of ends)
      expect([state, calls]).toEqual(state === 'succeeded' ? ['succeeded', 1] : [expect.stringMatching(/halted|approved/), 0])
    const attempts = await stage.run(`select h.proposal from dale.history h where h.event = 'send'`)
    expect(attempts).toHaveLength(ends.filter(({ state }) => state === 'succeeded').length)
  })

  it('once a halt is written, nothing is called by any process, whatever it had looked at; once resumed, it is', {
    timeout,
  }, async () => {
    const scope = { kind: 'action', name: 'registrar' } as const
    const proposals = await waitingProposals(stage, 'approved', atOnce)
    await stage.store.halt({ scope, by: 'ops' })
    const did = await Promise.all([one, other].map((side) => side.does({ todo: 'execute', proposals })))
    expect(did.flatMap(({ calls }) => calls)).toEqual([])
    expect(await stage.run(`select 1 from dale.history where event in ('claim', 'send')`)).toEqual([])
    expect(new Set((await raceEnds(stage, proposals)).map(({ state }) => state))).toEqual(new Set(['halted']))
    await stage.store.resume(scope)
    const again = await waitingProposals(stage, 'approved', atOnce)
    const then = await Promise.all([one, other].map((side) => side.does({ todo: 'execute', proposals: again })))
    expect(then.flatMap(({ calls }) => calls).sort()).toEqual(again.map(({ id }) => id).sort())
  })
})
