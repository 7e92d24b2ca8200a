import { expect, it } from 'vitest'
import { BrokenInvariantError } from '../../../src/core/errors.ts'
import { lifecycle } from '../../../src/core/lifecycle.ts'
import type { Proposal, StateName } from '../../../src/core/proposal.ts'
import type { Change, Committed, Move } from '../../../src/ports/store.ts'
import { aConversation, aDecision, anId, aProposal, minutes, moved, placed, someTimeMs } from '../../support/proposals.ts'
import { aMessage, aShowing, chatter, receipt, type UnderTest } from './under-test.ts'

const committed: Committed = { kind: 'committed' }
const lostProposal: Committed = { kind: 'lost', what: 'proposal' }

const states = Object.keys(lifecycle) as readonly StateName[]

const approvedNow = aProposal({ state: 'approved' }).state

const approvalOf = (before: Proposal, over: Partial<Move> = {}): Move => ({
  before,
  after: moved(before, approvedNow),
  event: 'approve',
  by: 'ana',
  decision: approvedNow.decision,
  ...over,
})
const rejectionOf = (before: Proposal): Move => {
  const { state } = aProposal({ state: 'rejected' })
  return { before, after: moved(before, state), event: 'reject', by: 'ana', decision: state.decision }
}
const expiryOf = (before: Proposal, over: Partial<Move> = {}): Move => ({
  before,
  after: moved(before, aProposal({ state: 'expired' }).state),
  event: 'expire',
  by: 'sweep',
  ...over,
})

/** Tries every move of the one proposal that is there, each from its own start and undone, and answers those that the laws let pass. */
const triedMoves = `create function dale.tried_moves(states text[]) returns setof text language plpgsql as $$
  declare from_state text; to_state text;
  begin
    foreach from_state in array states loop
      foreach to_state in array states loop
        begin
          set local session_replication_role = replica;
          update dale.proposal set state = from_state, expires_at = 1, execute_by = 1, fence = 0,
            lease_until = case when from_state = 'executing' then 1 end,
            ended_at = case when from_state not in ('draft', 'pending', 'awaiting_second', 'approved', 'executing', 'in_doubt') then 1 end;
          set local session_replication_role = origin;
          update dale.proposal set state = to_state, revision = revision + 1,
            lease_until = case when to_state = 'executing' then 1 end,
            ended_at = case when to_state not in ('draft', 'pending', 'awaiting_second', 'approved', 'executing', 'in_doubt') then 1 end;
          raise exception using errcode = 'UNDO1';
        exception
          when sqlstate 'UNDO1' then return next from_state || ' to ' || to_state;
          when sqlstate 'DL001' then null;
        end;
      end loop;
    end loop;
  end $$`

export function proposalsContract(under: UnderTest): void {
  it.each(states)('gives a proposal that is %s back exactly', async (state) => {
    const { store } = under()
    const stored = await placed(store, aProposal({ state }))
    expect((await store.proposal(stored.id))?.proposal).toEqual(stored)
  })

  it('keeps what an action or a model wrote, with a mark for a NUL or half a pair, which would keep SQL from reading the row', async () => {
    const { store } = under()
    const { preview } = aProposal()
    const written = (text: string) => ({
      preview: { ...preview, summary: text },
      state: { name: 'failed', reason: 'refused', detail: text } as const,
    })
    const stored = await placed(store, aProposal(written('a\0 \ud83d \\u0000 🤝')))
    expect((await store.proposal(stored.id))?.proposal).toEqual({ ...stored, ...written('a\ufffd \ufffd \\u0000 🤝') })
  })

  it('knows nothing of a proposal that is not there', async () => {
    expect(await under().store.proposal(anId())).toBeUndefined()
  })

  it('takes a proposal in as a draft alone', async () => {
    const { store } = under()
    for (const state of states.filter((name) => name !== 'draft'))
      await expect(store.commit({ create: [aProposal({ state })] }), state).rejects.toThrow(BrokenInvariantError)
  })

  it('moves a proposal only where the lifecycle leads', async () => {
    const { store, run } = under()
    await placed(store, aProposal())
    await run(triedMoves)
    const moves = await run('select dale.tried_moves($1) as move', [states])
    await run('drop function dale.tried_moves')
    const legal = states.flatMap((from) =>
      [...new Set(Object.values(lifecycle[from]).flatMap((cell) => cell.to))].map((to) => `${from} to ${to}`),
    )
    expect(moves.map(({ move }) => String(move)).toSorted()).toEqual(legal.toSorted())
  })

  it('approves nothing that nobody decided', async () => {
    const { store } = under()
    const before = await placed(store, aProposal())
    const { decision: _nobody, ...move } = approvalOf(before)
    await expect(store.commit({ moves: [move] })).rejects.toThrow(BrokenInvariantError)
    expect((await store.proposal(before.id))?.proposal).toEqual(before)
  })

  it('takes nothing back that was sent', async () => {
    const { store } = under()
    const executing = aProposal({ state: 'executing' })
    const before = await placed(store, {
      ...executing,
      state: { ...executing.state, sent: { atMs: someTimeMs, fence: 1 }, firstSentAtMs: someTimeMs },
    })
    await expect(
      store.commit({ moves: [{ before, after: moved(before, approvedNow), event: 'release', by: 'worker' }] }),
    ).rejects.toThrow(BrokenInvariantError)
  })

  it('lets no two claims have one fence', async () => {
    const { store } = under()
    const claimed = await placed(store, aProposal({ state: 'executing' }))
    const released = moved(claimed, { ...approvedNow, fence: 1, attempts: 1 })
    expect(await store.commit({ moves: [{ before: claimed, after: released, event: 'release', by: 'worker' }] })).toEqual(
      committed,
    )
    await expect(
      store.commit({ moves: [{ before: released, after: moved(released, claimed.state), event: 'claim', by: 'worker' }] }),
    ).rejects.toThrow(BrokenInvariantError)
  })

  it('counts one final decision, and one approval of a person', async () => {
    const { store } = under()
    const twice = await placed(store, aProposal({ state: 'awaiting_second' }))
    await expect(store.commit({ moves: [approvalOf(twice)] })).rejects.toThrow(BrokenInvariantError)
    const second = { ...approvedNow, decision: aDecision({ person: 'bea' }) }
    expect(
      await store.commit({ moves: [approvalOf(twice, { after: moved(twice, second), decision: second.decision })] }),
    ).toEqual(committed)
  })

  it('takes a refusal of what was approved as a second decision, not as the final one', async () => {
    const { store, run } = under()
    const before = await placed(store, aProposal({ state: 'approved' }))
    const after = moved(before, aProposal({ state: 'halted' }).state)
    expect(
      await store.commit({ moves: [{ before, after, event: 'reject', by: 'ana', decision: aDecision({ verdict: 'reject' }) }] }),
    ).toEqual(committed)
    expect(await run('select verdict, final from dale.decision where proposal = $1 order by id', [before.id])).toEqual([
      { verdict: 'approve', final: true },
      { verdict: 'reject', final: false },
    ])
  })

  it.each([
    `update dale.proposal set canonical_args = '{}'`,
    `update dale.proposal set fingerprint = 'x'`,
    `update dale.proposal set frozen = '{}'`,
    `update dale.proposal set requester = 'bea'`,
    `update dale.proposal set state = 'approved'`,
    `update dale.proposal set state = 'approved', execute_by = 1, fence = 0, revision = revision + 1`,
    `update dale.proposal set revision = revision + 2`,
    `delete from dale.proposal`,
    `update dale.history set note = null`,
    `delete from dale.history`,
    `update dale.decision set person = 'bea'`,
    `delete from dale.decision`,
    `update dale.attempt set fence = 9`,
  ])('is guarded below the code: %s', async (statement) => {
    const { store, run } = under()
    await placed(store, aProposal({ state: 'executing' }))
    await placed(store, aProposal())
    await expect(run(statement)).rejects.toThrow()
  })

  it('writes the history of every move', async () => {
    const { store } = under()
    const before = await placed(store, aProposal())
    await store.commit({ moves: [approvalOf(before, { note: { phrase: 'dale' } })] })
    await store.commit({ note: { proposalId: before.id, event: 'late_refusal', by: 'ana', about: { via: 'button' } } })
    const atMs = expect.any(Number)
    expect(await store.history(before.id)).toEqual([
      { proposalId: before.id, revision: 1, event: 'propose', to: 'draft', by: 'ana', atMs },
      { proposalId: before.id, revision: 2, event: 'place', from: 'draft', to: 'pending', by: 'test', atMs },
      {
        proposalId: before.id,
        revision: 3,
        event: 'approve',
        from: 'pending',
        to: 'approved',
        by: 'ana',
        atMs,
        note: { phrase: 'dale' },
      },
      {
        proposalId: before.id,
        revision: 3,
        event: 'late_refusal',
        from: 'approved',
        to: 'approved',
        by: 'ana',
        atMs,
        note: { via: 'button' },
      },
    ])
  })

  it('writes nothing of a change whose move is lost', async () => {
    const { store, run } = under()
    const before = await placed(store, aProposal())
    const [row] = await store.keep('main', [aMessage('dale')])
    await store.commit({ moves: [rejectionOf(before)] })
    const change: Change = {
      moves: [approvalOf(before)],
      create: [aProposal({ state: 'draft' })],
      say: [receipt('Listo')],
      handled: { inboxId: row!.id, road: 'decide', toAgent: false, by: 'here' },
      counts: [{ proposalId: before.id, what: 'hinted' }],
      showing: aShowing(before),
    }
    const count = () =>
      run(`select (select count(*) from dale.proposal)::int, (select count(*) from dale.history)::int as history, (select count(*) from dale.outbox)::int as outbox,
        (select count(*) from dale.decision)::int as decisions, (select count(*) from dale.showing)::int as showings, (select count(*) from dale.tally)::int as tallies`)
    const there = await count()
    expect(await store.commit(change)).toEqual(lostProposal)
    expect(await count()).toEqual(there)
    expect((await store.nextInbound(aConversation, 'here', 1000))?.id).toBe(row!.id)
  })

  it('writes nothing of a change whose fence is lost, though its move would hold', async () => {
    const { store } = under()
    const before = await placed(store, aProposal())
    expect(await store.commit({ moves: [approvalOf(before)], turn: { id: anId(), fence: 1 }, say: [chatter('Listo')] })).toEqual({
      kind: 'lost',
      what: 'fence',
    })
    expect((await store.proposal(before.id))?.proposal).toEqual(before)
    expect(await store.nextOutgoing(aConversation, 1000)).toBeUndefined()
  })

  it('makes all moves of a change or none', async () => {
    const { store } = under()
    const one = await placed(store, aProposal())
    const other = await placed(store, aProposal())
    await store.commit({ moves: [rejectionOf(other)] })
    expect(await store.commit({ moves: [expiryOf(one), expiryOf(other)] })).toEqual(lostProposal)
    expect((await store.proposal(one.id))?.proposal).toEqual(one)
    const third = await placed(store, aProposal())
    expect(await store.commit({ moves: [expiryOf(third), expiryOf(one)] })).toEqual(committed)
  })

  it('commits a change that holds nothing', async () => {
    expect(await under().store.commit({})).toEqual(committed)
  })

  it('approves until the deadline and expires from it on, by its own clock', async () => {
    const { store, moveClock } = under()
    const pending = async (): Promise<Proposal> => {
      const expiresAtMs = (await store.now()) + minutes(30)
      return placed(
        store,
        aProposal({ state: { name: 'pending', shownAtMs: expiresAtMs - minutes(30), expiresAtMs, refusals: 0 } }),
      )
    }
    const deadline = ({ state }: Proposal): number => ('expiresAtMs' in state ? state.expiresAtMs : 0)
    const [early, late] = [await pending(), await pending()]
    expect(await store.commit({ moves: [expiryOf(early, { notBeforeMs: deadline(early) })] })).toEqual(lostProposal)
    await moveClock(minutes(29))
    expect(await store.commit({ moves: [approvalOf(early, { beforeMs: deadline(early) })] })).toEqual(committed)
    await moveClock(minutes(1))
    expect(await store.commit({ moves: [approvalOf(late, { beforeMs: deadline(late) })] })).toEqual(lostProposal)
    expect(await store.commit({ moves: [expiryOf(late, { notBeforeMs: deadline(late) })] })).toEqual(committed)
  })

  it('has one winner when two processes decide one proposal', async () => {
    const { store, another } = under()
    const others = [await another(), await another()]
    for (let round = 0; round < 20; round += 1) {
      const before = await placed(store, aProposal())
      const results = await Promise.all(
        [...others, ...others].map((one, place) =>
          one.commit({ moves: [place % 2 === 0 ? approvalOf(before) : rejectionOf(before)], say: [receipt(`${round}`)] }),
        ),
      )
      expect(results.toSorted((a, b) => a.kind.localeCompare(b.kind))).toEqual([
        committed,
        lostProposal,
        lostProposal,
        lostProposal,
      ])
    }
    const said = []
    for (
      let row = await store.nextOutgoing(aConversation, 10_000);
      row !== undefined;
      row = await store.nextOutgoing(aConversation, 10_000)
    ) {
      said.push(row.id)
      await store.commit({ delivered: { id: row.id, fence: row.fence, delivery: { kind: 'accepted', messageIds: [] } } })
    }
    expect(said).toHaveLength(20)
  })

  it('has one winner when a decision meets the expiry at the deadline', async () => {
    const { store, another } = under()
    const [one, other] = [await another(), await another()]
    for (let round = 0; round < 20; round += 1) {
      const expiresAtMs = (await store.now()) + 15
      const before = await placed(
        store,
        aProposal({ state: { name: 'pending', shownAtMs: someTimeMs, expiresAtMs, refusals: 0 } }),
      )
      let ends: readonly Committed[] = []
      do
        ends = await Promise.all([
          one.commit({ moves: [approvalOf(before, { beforeMs: expiresAtMs })] }),
          other.commit({ moves: [expiryOf(before, { notBeforeMs: expiresAtMs })] }),
        ])
      while (ends.every(({ kind }) => kind === 'lost') && (await store.proposal(before.id))?.proposal.state.name === 'pending')
      expect(ends.map(({ kind }) => kind).toSorted()).toEqual(['committed', 'lost'])
    }
  })

  it('gives a code to one proposal, and to the next a week after that one ended', async () => {
    const { store, moveClock } = under()
    const first = await placed(store, aProposal({ code: 'K7Q2' }))
    const next = (): Proposal => aProposal({ code: 'K7Q2', state: 'draft' })
    const taken: Committed = { kind: 'lost', what: 'code' }
    expect(await store.commit({ create: [next()], say: [chatter('x')] })).toEqual(taken)
    expect(await store.commit({ create: [{ ...next(), conversation: { account: 'otra', chat: 'tg:1' } }] })).toEqual(committed)
    await store.commit({ moves: [rejectionOf(first)] })
    await moveClock(minutes(7 * 24 * 60) - 1000)
    expect(await store.commit({ create: [next()] })).toEqual(taken)
    await moveClock(1000)
    expect(await store.commit({ create: [next()] })).toEqual(committed)
    expect(await store.nextOutgoing(aConversation, 1000)).toBeUndefined()
  })

  it('gives a code to one of two that ask at once', async () => {
    const { another } = under()
    const [one, other] = [await another(), await another()]
    for (const code of ['A2A2', 'B2B2', 'C2C2', 'D2D2']) {
      const results = await Promise.all(
        [one, other].map((store) => store.commit({ create: [aProposal({ state: 'draft', code })] })),
      )
      expect(results.map(({ kind }) => kind).toSorted()).toEqual(['committed', 'lost'])
    }
  })

  it('finds what stands beside a new proposal of the same requester', async () => {
    const { store } = under()
    const pending = await placed(store, aProposal({ fingerprint: 'a'.repeat(64) }))
    const approved = await placed(store, aProposal({ state: 'approved' }))
    await placed(store, aProposal({ state: 'succeeded', fingerprint: 'a'.repeat(64) }))
    await placed(store, aProposal({ requester: 'bea' }))
    await placed(store, aProposal({ conversation: { account: 'tienda', chat: 'tg:9' } }))
    const otherAction = await placed(store, aProposal({ state: 'approved', action: 'enviar_aviso' }))
    expect(await store.beside(aConversation, 'ana', 'crear_acuerdo', 'a'.repeat(64))).toEqual({
      nowMs: expect.any(Number),
      waiting: [pending],
      siblings: [approved],
      same: pending,
    })
    expect(await store.beside(aConversation, 'ana', 'enviar_aviso', 'b'.repeat(64))).toEqual({
      nowMs: expect.any(Number),
      waiting: [pending],
      siblings: [otherAction],
    })
    expect(await store.beside(aConversation, undefined, 'crear_acuerdo', 'a'.repeat(64))).toEqual({
      nowMs: expect.any(Number),
      waiting: [],
      siblings: [],
    })
  })

  it('lists proposals newest first, a page at a time, by state', async () => {
    const { store } = under()
    const all: Proposal[] = []
    for (const state of ['draft', 'pending', 'approved', 'pending'] as const)
      all.unshift(await placed(store, aProposal({ state })))
    expect(await store.list({ limit: 10 })).toEqual(all)
    expect(await store.list({ limit: 2, before: all[0]!.id })).toEqual(all.slice(1, 3))
    expect(await store.list({ states: ['pending'], limit: 10 })).toEqual([all[0], all[2]])
    expect(await store.list({ states: [], limit: 10 })).toEqual([])
  })

  it('finds proposals by their code', async () => {
    const { store } = under()
    const here = await placed(store, aProposal({ code: 'K7Q2' }))
    const there = await placed(store, aProposal({ code: 'K7Q2', conversation: { account: 'otra', chat: 'tg:1' } }))
    expect(await store.byCode('tienda', 'K7Q2')).toEqual([here])
    expect(await store.byCode(undefined, 'K7Q2')).toEqual([there, here])
    expect(await store.byCode('tienda', 'ZZZ9')).toEqual([])
  })
}
