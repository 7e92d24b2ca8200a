import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Proposal } from '../../src/core/proposal.ts'
import { execute } from '../../src/gateway/execute.ts'
import { expire } from '../../src/gateway/expire.ts'
import { sweep } from '../../src/gateway/sweep.ts'
import { takeIn } from '../../src/gateway/take-in.ts'
import { aDatabase, type TestDatabase } from '../support/database.ts'
import { describeOn } from '../support/describe-on.ts'
import { aHouse, postgresStage, type Stage, type TestHouse } from '../support/house.ts'
import { judged, raceEnds, racers, seeded, shuffled, waitingProposals, words } from '../support/house-races.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'
import { minutes } from '../support/proposals.ts'

const rounds = 100
const lanes = 8
const timeout = 60_000

const said = {
  received: 'Recibido, ya me ocupo.',
  approved: 'Ya está confirmado y se hace enseguida.',
  executing: 'Se está haciendo ahora mismo.',
  rejected: 'Cancelado. No se hizo nada.',
  halted: 'Se frenó a tiempo: no se hizo nada.',
  switched: 'Operaciones frenó esto por ahora: no se hizo nada.',
  expired: 'Venció sin respuesta: no se hizo nada.',
} as const

describeOn('postgres', 'two gateways on one database', () => {
  let database: TestDatabase
  let stage: Stage
  let ledger: Ledger
  let one: TestHouse
  let other: TestHouse

  beforeAll(async () => {
    database = await aDatabase()
  }, 60_000)
  afterAll(async () => await database[Symbol.asyncDispose]())

  /** Both houses receive and decide; nobody works unless the test does. */
  beforeEach(async () => {
    stage = await postgresStage(database)
    ledger = new Ledger()
    const settings = {
      stage,
      ledger,
      actions: [bookingAction(ledger, { mode: 'naive' })],
      people: racers,
      start: { gateway: true, workers: false },
    }
    ;[one, other] = [await aHouse(settings), await aHouse(settings)]
    return async () => {
      await one[Symbol.asyncDispose]()
      await other[Symbol.asyncDispose]()
      await stage[Symbol.asyncDispose]()
    }
  })

  /** In eight lanes, one round after the other: a round's sides start together, but for a few steps of the database, as the seed says. */
  const race = async (
    proposals: readonly Proposal[],
    sides: (proposal: Proposal) => readonly (() => Promise<unknown>)[],
  ): Promise<void> => {
    const random = seeded(20_261_129)
    const left = shuffled(proposals, random)
    const late = async (side: () => Promise<unknown>) => {
      for (let steps = Math.floor(random() * 12); steps > 0; steps -= 1) await stage.store.now()
      await side()
    }
    const lane = async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) await Promise.all(sides(next).map(late))
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    await judged(stage)
  }

  it('AP-011 B70: let one of two approvals win, and tell the other the state', { timeout }, async () => {
    const proposals = await waitingProposals(stage, 'pending', rounds)
    const nowMs = await stage.store.now()
    await race(proposals, (proposal) => [
      () => takeIn(one.house, 'demo', [words('carla', proposal, 'sí', nowMs)]),
      () => takeIn(other.house, 'demo', [words('dario', proposal, 'sí', nowMs)]),
    ])
    const ends = await raceEnds(stage, proposals)
    for (const { state, finals, told } of ends) {
      expect(state).toBe('approved')
      const first = finals[0] === 'carla approve'
      expect(finals).toEqual([first ? 'carla approve' : 'dario approve'])
      expect(told).toEqual(
        first ? { carla: [said.received], dario: [said.approved] } : { carla: [said.approved], dario: [said.received] },
      )
    }
    expect(new Set(ends.flatMap(({ finals }) => finals)).size).toBe(2)
  })

  it('B05: let an approval or a refusal win, and never run what somebody refused', { timeout }, async () => {
    const proposals = await waitingProposals(stage, 'pending', rounds)
    const nowMs = await stage.store.now()
    await race(proposals, (proposal) => [
      () => takeIn(one.house, 'demo', [words('carla', proposal, 'sí', nowMs)]),
      () => takeIn(other.house, 'demo', [words('dario', proposal, 'no', nowMs)]),
    ])
    const ends = await raceEnds(stage, proposals)
    for (const { state, finals, told } of ends) {
      expect(finals).toEqual([state === 'rejected' ? 'dario reject' : 'carla approve'])
      // Who approves in vain hears of the refusal by its telling, by the answer to the approval, or by both.
      if (state === 'rejected') expect(new Set(told.carla)).toEqual(new Set([said.rejected]))
      else expect(told).toEqual({ carla: [said.received, said.halted], dario: [said.halted] })
    }
    expect(new Set(ends.map(({ state }) => state))).toEqual(new Set(['rejected', 'halted']))
    for (const { id } of proposals) await execute(one.house, id)
    expect(ledger.calls).toEqual([])
  })

  it('B69: let an approval or the deadline win, by one clock', { timeout }, async () => {
    const proposals = await waitingProposals(stage, 'pending', rounds)
    // To the deadline but for a moment, so that it passes while they decide.
    const deadlineMs = proposals[0]?.state.expiresAtMs ?? 0
    await stage.moveClock(deadlineMs - 500 - (await stage.store.now()))
    await race(proposals, (proposal) => [
      async () => await takeIn(one.house, 'demo', [words('carla', proposal, 'sí', await stage.store.now())]),
      async () => {
        const read = await other.house.store.proposal(proposal.id)
        if (read !== undefined) await expire(other.house, read.proposal, read.nowMs, 'sweep')
      },
    ])
    await stage.moveClock(minutes(1))
    await sweep(other.house)
    const ends = await raceEnds(stage, proposals)
    for (const { state, finals, told } of ends) {
      expect(finals).toEqual(state === 'approved' ? ['carla approve'] : [])
      expect(new Set(told.carla)).toEqual(new Set([state === 'approved' ? said.received : said.expired]))
    }
    expect(new Set(ends.map(({ state }) => state))).toEqual(new Set(['approved', 'expired']))
    expect(await stage.run(`select 1 from dale.history where event = 'approve' and at >= $1`, [deadlineMs])).toEqual([])
  })

  it('B104: let a claim or a refusal win: what was refused in time is not called, and what was begun is told so', {
    timeout,
  }, async () => {
    const proposals = await waitingProposals(stage, 'approved', rounds)
    const nowMs = await stage.store.now()
    await race(proposals, (proposal) => [
      () => execute(one.house, proposal.id),
      () => takeIn(other.house, 'demo', [words('dario', proposal, 'no', nowMs)]),
    ])
    const ends = await raceEnds(stage, proposals)
    for (const { proposal, state, told } of ends) {
      expect(ledger.calls.filter((call) => call.proposal === proposal.id)).toHaveLength(state === 'halted' ? 0 : 1)
      if (state === 'halted') expect(told.dario).toEqual([said.halted])
      else expect(told.dario.some((text) => text === said.executing || text.startsWith('Hecho:'))).toBe(true)
    }
    expect(new Set(ends.map(({ state }) => state))).toEqual(new Set(['succeeded', 'halted']))
  })

  it('B104: call nothing once operations has stopped it, and go on when it may', { timeout }, async () => {
    const proposals = await waitingProposals(stage, 'approved', rounds)
    let round = 0
    let callsAtStop = 0
    const stop = async () => {
      await stage.store.halt({ scope: { kind: 'action', name: 'registrar' }, by: 'ops' })
      callsAtStop = ledger.calls.length + lanes
    }
    await race(proposals, ({ id }) => [() => execute(one.house, id), ...(round++ === rounds / 2 ? [stop] : [])])
    // What had looked at the switch before it was thrown may still call: one in each lane at most.
    expect(ledger.calls.length).toBeLessThanOrEqual(callsAtStop)
    for (const { id } of proposals) await execute(other.house, id)
    const ends = await raceEnds(stage, proposals)
    for (const { proposal, state, told } of ends) {
      expect(ledger.calls.filter((call) => call.proposal === proposal.id)).toHaveLength(state === 'halted' ? 0 : 1)
      if (state === 'halted') expect(told.carla).toEqual([said.switched])
    }
    expect(new Set(ends.map(({ state }) => state))).toEqual(new Set(['succeeded', 'halted']))
    expect(await stage.store.resume({ kind: 'action', name: 'registrar' })).toBe(true)
    const again = await waitingProposals(stage, 'approved', 1)
    for (const { id } of again) await execute(other.house, id)
    expect(await raceEnds(stage, again)).toMatchObject([{ state: 'succeeded' }])
  })

  it('B70: call an action once, however many claim it', { timeout }, async () => {
    const proposals = await waitingProposals(stage, 'approved', rounds)
    await race(proposals, ({ id }) =>
      [one, other, one, other].map(
        ({ house }) =>
          () =>
            execute(house, id),
      ),
    )
    for (const { state } of await raceEnds(stage, proposals)) expect(state).toBe('succeeded')
    expect(new Set(ledger.calls.map(({ proposal }) => proposal)).size).toBe(rounds)
    expect(ledger.calls).toHaveLength(rounds)
  })

  it('B03: take one event delivered twenty times to both for one event', { timeout }, async () => {
    const proposals = await waitingProposals(stage, 'pending', 20)
    const nowMs = await stage.store.now()
    await race(proposals, (proposal) =>
      Array.from(
        { length: 20 },
        (_, n) => () => takeIn((n % 2 === 0 ? one : other).house, 'demo', [words('carla', proposal, 'sí', nowMs)]),
      ),
    )
    for (const { finals, told } of await raceEnds(stage, proposals)) {
      expect(finals).toEqual(['carla approve'])
      expect(told.carla).toEqual([said.received])
    }
    expect(await stage.run('select count(*)::int as rows from dale.inbox')).toEqual([{ rows: 20 }])
  })
})
