import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Decision, decisionUnder } from '../../src/core/decision.ts'
import type { Grant } from '../../src/core/grant.ts'
import { type EventName, type LifecycleEvent, lifecycle, transition } from '../../src/core/lifecycle.ts'
import { isSettled, type Proposal, type StateName } from '../../src/core/proposal.ts'
import { aDecision, aGrant, alwaysAllowed, aProposal, minutes, moved, someTimeMs } from '../support/proposals.ts'

const names = Object.keys(lifecycle) as StateName[]
const decidedBy = (person: string, ...formerly: readonly string[]): Decision => aDecision({ person, formerly }) as Decision
const later = someTimeMs + minutes(2)
const supervisors = { kind: 'role', role: 'supervisor', second: true } as const

/** Each event at its best: whatever the table asks of it holds for `proposal`, time aside. */
const atItsBest = (proposal: Proposal): { readonly [E in EventName]: Extract<LifecycleEvent, { name: E }> } => {
  const fence = 'fence' in proposal.state ? proposal.state.fence : 0
  const { cardRevision, fingerprint, previewDigest } = proposal
  return {
    show: { name: 'show' },
    undeliverable: { name: 'undeliverable' },
    withhold: { name: 'withhold' },
    approve: {
      name: 'approve',
      decision: decidedBy('beto'),
      permitted: true,
      firstPermitted: true,
      cardRevision,
      fingerprint,
      previewDigest,
      executeWithinMs: minutes(30),
      holdMs: 0,
    },
    grant: { name: 'grant', decision: decisionUnder(aGrant(), later), grant: aGrant(), executeWithinMs: minutes(30) },
    reject: { name: 'reject', decision: decidedBy('beto'), permitted: true },
    discard: { name: 'discard', reason: 'withdrawn' },
    expire: { name: 'expire' },
    supersede: { name: 'supersede', by: 'newer' },
    edit: { name: 'edit', by: 'copy' },
    change: { name: 'change', reason: 'preview', fence },
    stop: { name: 'stop', by: 'switch' },
    go_stale: { name: 'go_stale' },
    claim: { name: 'claim', leaseMs: minutes(1), halted: false },
    release: { name: 'release', fence },
    send: { name: 'send', fence, fingerprint, halted: false },
    succeed: { name: 'succeed', fence, proof: 'call', verification: 'none' },
    fail: { name: 'fail', fence, proof: 'call', reason: 'refused' },
    doubt: { name: 'doubt', fence, quarantineMs: minutes(1), retryInMs: 5_000 },
    retry: { name: 'retry', leaseMs: minutes(1), keyValidForMs: minutes(60), fingerprint, halted: false },
    postpone: { name: 'postpone', retryInMs: 5_000 },
  }
}

const all = (proposal: Proposal): readonly LifecycleEvent[] => Object.values(atItsBest(proposal))
const possible = (proposal: Proposal, nowMs: number): readonly string[] =>
  all(proposal)
    .filter((event) => transition(proposal, event, nowMs).kind === 'moved')
    .map(({ name }) => name)
    .sort()
const told = (proposal: Proposal, event: LifecycleEvent, nowMs = later): string => {
  const result = transition(proposal, event, nowMs)
  return result.kind === 'moved' ? result.proposal.state.name : result.because
}

const executing = aProposal({ state: 'executing' })
const sent = aProposal({ state: { ...executing.state, sent: { atMs: later, fence: 1 }, firstSentAtMs: later } })
const again = aProposal({ state: { ...sent.state, doubted: true } })

describe('law 1: nothing runs without a person', () => {
  test('without an approval no event, in any order, leads to a call', () => {
    const reached = new Set<StateName>(['draft'])
    for (const from of reached) {
      for (const [event, { to }] of Object.entries(lifecycle[from]))
        if (event !== 'approve' && event !== 'grant') for (const target of to) reached.add(target)
    }
    expect([...reached].sort()).toEqual([
      'changed',
      'discarded',
      'draft',
      'edited',
      'expired',
      'pending',
      'rejected',
      'superseded',
    ])
  })

  test('without an answer to a card there is only a person’s own yes from before, for this, that holds still', () => {
    const draft = aProposal({ state: 'draft', ...alwaysAllowed })
    const { grant: event } = atItsBest(draft)
    const under = (over: Partial<Grant>): string => told(draft, { ...event, grant: aGrant(over) })
    expect(told(draft, event)).toBe('approved')
    expect(under({ decision: aDecision({ person: 'eva', always: true }) })).toBe('for what the grant was given')
    expect(under({ conversation: { account: 'tienda', chat: '-100' } })).toBe('for what the grant was given')
    expect(under({ actionVersion: '0' })).toBe('for what the grant was given')
    expect(under({ reversibility: 'reversible' })).toBe('for what the grant was given')
    expect([{ uses: 2 }, { endsAtMs: later }, { ended: { atMs: later, by: 'ana' } }].map(under)).toEqual(
      Array(3).fill('while the grant lasts'),
    )
    expect(told(draft, { ...event, decision: decidedBy('ana') })).toBe('for what the grant was given')
    const asked: readonly Partial<Proposal>[] = [
      { reasons: [{ code: 'HIGH_COST' }] },
      { reversibility: 'irreversible' },
      { approvers: { kind: 'role', role: 'supervisor', second: false } },
      { changedFrom: 'another' },
      { preview: { ...draft.preview, fields: draft.preview.fields.map((field) => ({ ...field, unusual: 'far' })) } },
    ]
    expect(asked.map((more) => told({ ...draft, ...more }, event))).toEqual(
      asked.map(() => 'where its requester’s own yes is all that is asked'),
    )
  })

  test('only a claim of an approved one, and a repeated call in doubt, begin to execute', () => {
    const begins = names.flatMap((from) =>
      Object.entries(lifecycle[from]).flatMap(([event, { to }]) =>
        to.includes('executing') && from !== 'executing' ? [`${from} ${event}`] : [],
      ),
    )
    expect(begins).toEqual(['approved claim', 'in_doubt retry'])
  })

  test('a timer only closes, or gives back what was approved', () => {
    const timers = ['expire', 'go_stale', 'release', 'doubt'] as const
    const leadTo = names.flatMap((from) =>
      timers.flatMap((event) => (lifecycle[from][event]?.to ?? []).map((to) => `${from} ${event} ${to}`)),
    )
    expect(leadTo).toEqual([
      'draft expire expired',
      'pending expire expired',
      'awaiting_second expire expired',
      'approved go_stale expired',
      'executing release approved',
      'executing doubt in_doubt',
    ])
  })

  test('a draft, which nobody saw, cannot be decided', () => {
    const draft = aProposal({ state: 'draft' })
    expect([told(draft, atItsBest(draft).approve), told(draft, atItsBest(draft).reject)]).toEqual([
      'no such move',
      'no such move',
    ])
  })
})

describe('law 2: at its deadline a proposal only expires', () => {
  test.each(['pending', 'awaiting_second'] as const)(
    '%s: a millisecond before everything is open but expiry, from then on nothing else is',
    (state) => {
      const proposal = aProposal({ state })
      const { expiresAtMs } = proposal.state
      const before = possible(proposal, expiresAtMs - 1)
      expect(before).toEqual(expect.arrayContaining(['approve', 'change', 'edit', 'reject']))
      expect(before).not.toContain('expire')
      const undone = ['expire']
      expect(possible(proposal, expiresAtMs)).toEqual(undone)
      expect(possible(proposal, expiresAtMs + minutes(1_000))).toEqual(undone)
    },
  )

  test('the time runs from the showing that was accepted', () => {
    const draft = aProposal({ state: 'draft', ttlMs: minutes(30) })
    expect(transition(draft, { name: 'show' }, later)).toEqual({
      kind: 'moved',
      proposal: moved(draft, { name: 'pending', shownAtMs: later, expiresAtMs: later + minutes(30), refusals: 0 }),
    })
  })

  test('a card that was taken back and shown again keeps the time of its first showing', () => {
    const pending = aProposal({ state: 'pending' })
    const { expiresAtMs } = pending.state
    const withheld = transition(pending, { name: 'withhold' }, expiresAtMs - minutes(20))
    expect(withheld).toMatchObject({ kind: 'moved', proposal: { state: { name: 'draft', expiresAtMs } } })
    if (withheld.kind !== 'moved') return
    expect(transition(withheld.proposal, { name: 'show' }, expiresAtMs - minutes(10))).toMatchObject({
      proposal: { state: { name: 'pending', expiresAtMs } },
    })
    expect(told(withheld.proposal, { name: 'expire' }, expiresAtMs)).toBe('expired')
  })

  test('a draft that no channel took is given up after a day', () => {
    const draft = aProposal({ state: 'draft' })
    expect(told(draft, { name: 'expire' }, someTimeMs + minutes(24 * 60) - 1)).toBe('past the deadline')
    expect(told(draft, { name: 'expire' }, someTimeMs + minutes(24 * 60))).toBe('expired')
    expect(told(draft, { name: 'show' }, someTimeMs + minutes(24 * 60))).toBe('before the deadline')
  })
})

describe('law 3: the first decision wins', () => {
  test.each(names.filter((name) => name !== 'pending' && name !== 'awaiting_second'))(
    'an approval of one that is %s changes nothing',
    (state) => {
      const proposal = aProposal({ state })
      expect(transition(proposal, atItsBest(proposal).approve, later)).toEqual({ kind: 'refused', because: 'no such move' })
    },
  )

  test('a refusal halts what is approved, and comes too late from the claim on', () => {
    const refuse = (proposal: Proposal): string => told(proposal, atItsBest(proposal).reject)
    expect(refuse(aProposal({ state: 'approved' }))).toBe('halted')
    expect([executing, sent, aProposal({ state: 'in_doubt' }), aProposal({ state: 'succeeded' })].map(refuse)).toEqual(
      Array(4).fill('no such move'),
    )
  })

  test('a hold keeps the claim back, and a claim does not bring it again', () => {
    const pending = aProposal()
    const approved = transition(pending, { ...atItsBest(pending).approve, holdMs: 5_000 }, later)
    if (approved.kind === 'refused') throw new Error(approved.because)
    const { claim } = atItsBest(approved.proposal)
    expect(told(approved.proposal, claim, later + 4_999)).toBe('off hold')
    expect(told(approved.proposal, claim, later + 5_000)).toBe('executing')
  })
})

describe('law 4: after the marker nothing is undone without proof', () => {
  test('a call that was marked ends as succeeded, failed or in doubt, and never goes back', () => {
    const ways = all(sent)
      .filter(({ name }) => name !== 'send')
      .flatMap((event) => {
        const result = transition(sent, event, later)
        return result.kind === 'moved' ? [`${event.name} ${result.proposal.state.name}`] : []
      })
    expect(ways.sort()).toEqual(['doubt in_doubt', 'fail failed', 'succeed succeeded'])
  })

  test('a marker is written once', () => {
    expect(told(executing, atItsBest(executing).send)).toBe('executing')
    expect(told(sent, atItsBest(sent).send)).toBe('never sent')
  })

  test('nothing without a marker is in doubt, or succeeded', () => {
    expect(told(executing, atItsBest(executing).doubt)).toBe('once it was sent')
    expect(told(executing, atItsBest(executing).succeed)).toBe('once it was sent')
  })
})

describe('law 5: what is in doubt runs again only where that cannot do harm', () => {
  const doubted = (over: Partial<Proposal> = {}): Proposal =>
    aProposal({
      ...over,
      state: {
        ...aProposal({ state: 'in_doubt' }).state,
        firstSentAtMs: later,
        retryAtMs: later + 5_000,
        quarantineUntilMs: later + minutes(1),
      },
    })
  const retry = atItsBest(doubted()).retry

  test('with a key, at its time, within four fifths of the key’s life', () => {
    expect(told(doubted(), retry, later + 4_999)).toBe('when the retry is due')
    expect(told(doubted(), retry, later + 5_000)).toBe('executing')
    expect(told(doubted(), retry, later + minutes(48) - 1)).toBe('executing')
    expect(told(doubted(), retry, later + minutes(48))).toBe('while the key is valid')
  })

  test('never without one, never with other arguments, never while halted', () => {
    expect(told(doubted({ idempotency: 'none' }), retry, later + 5_000)).toBe('where the same call may run again')
    expect(told(doubted(), { ...retry, fingerprint: 'other' }, later + 5_000)).toBe('on what was shown')
    expect(told(doubted(), { ...retry, halted: true }, later + 5_000)).toBe('not halted')
  })

  test('the repeated call is marked from its first moment', () => {
    const result = transition(doubted(), retry, later + 5_000)
    expect(result.kind === 'moved' && result.proposal.state).toMatchObject({
      name: 'executing',
      doubted: true,
      firstSentAtMs: later,
      sent: { atMs: later + 5_000, fence: 2 },
      fence: 2,
    })
  })

  test('a refusal of a repeated call proves nothing about the first', () => {
    expect(told(sent, atItsBest(sent).fail)).toBe('failed')
    expect(told(again, atItsBest(again).fail)).toBe('with a proof for this attempt')
    expect(told(again, atItsBest(again).succeed)).toBe('succeeded')
  })

  test('a person or a look-up settles it, "not done" only once no call can still arrive', () => {
    const proposal = doubted({ idempotency: 'none' })
    expect(told(proposal, { name: 'succeed', proof: 'attested', verification: 'none' })).toBe('succeeded')
    expect(told(proposal, { name: 'fail', proof: 'look_up', reason: 'not_found' })).toBe('once the quarantine is over')
    expect(told(proposal, { name: 'fail', proof: 'look_up', reason: 'not_found' }, later + minutes(1))).toBe('failed')
  })
})

describe('law 6: a worker that lost its lease settles nothing', () => {
  test.each(['release', 'change', 'send', 'succeed', 'fail', 'doubt'] as const)(
    '%s with another fence is refused while the lease lives',
    (name) => {
      for (const proposal of [executing, sent]) {
        for (const fence of [0, 2])
          expect(transition(proposal, { ...atItsBest(proposal)[name], fence }, later).kind).toBe('refused')
      }
    },
  )

  test('when the lease is over anyone may release or doubt it, and its worker may no longer send', () => {
    const over = executing.state.leaseUntilMs
    expect(told(executing, { name: 'release' }, over - 1)).toBe('under its own fence or once the lease is over')
    expect(told(executing, { name: 'release' }, over)).toBe('approved')
    expect(told(sent, { name: 'doubt', quarantineMs: 1 }, over)).toBe('in_doubt')
    expect(told(executing, atItsBest(executing).send, over)).toBe('while the lease lives')
  })

  test('in doubt, a late answer of a call settles nothing', () => {
    const proposal = aProposal({ state: 'in_doubt' })
    const { succeed, fail } = atItsBest(proposal)
    expect([told(proposal, succeed), told(proposal, fail)]).toEqual(Array(2).fill('with evidence from outside'))
  })

  test('each claim raises the fence, and the third that sends nothing is the last', () => {
    const third = aProposal({ state: { ...executing.state, attempts: 3, fence: 3 } })
    expect(told(third, { name: 'release', fence: 3 })).toBe('with attempts left')
    expect(told(third, { name: 'fail', proof: 'call', reason: 'poison' }, executing.state.leaseUntilMs)).toBe('failed')
    const approved = aProposal({ state: 'approved' })
    const claimed = transition(approved, atItsBest(approved).claim, later)
    expect(claimed.kind === 'moved' && claimed.proposal.state).toMatchObject({ name: 'executing', fence: 1, attempts: 1 })
  })
})

describe('law 7: an approval goes stale', () => {
  test('until then it may be claimed, from then on it only ends', () => {
    const approved = aProposal({ state: 'approved' })
    const { executeByMs } = approved.state
    expect(possible(approved, executeByMs - 1)).toEqual(['claim', 'reject', 'stop'])
    expect(possible(approved, executeByMs)).toEqual(['go_stale', 'reject', 'stop'])
  })
})

describe('law 8: authority counts at the decision and again at the claim', () => {
  test('who is not permitted neither approves nor refuses', () => {
    for (const state of ['pending', 'awaiting_second'] as const) {
      const proposal = aProposal({ state })
      const { approve, reject } = atItsBest(proposal)
      expect([told(proposal, { ...approve, permitted: false }), told(proposal, { ...reject, permitted: false })]).toEqual(
        Array(2).fill('by a permitted person'),
      )
    }
    const approved = aProposal({ state: 'approved' })
    expect(told(approved, { ...atItsBest(approved).reject, permitted: false })).toBe('by a permitted person')
  })

  test('what was claimed without authority fails before anything is sent', () => {
    const result = transition(executing, { name: 'fail', fence: 1, proof: 'call', reason: 'authorization_revoked' }, later)
    expect(result.kind === 'moved' && result.proposal.state).toEqual({ name: 'failed', reason: 'authorization_revoked' })
  })
})

describe('law 9: two approvals are two persons', () => {
  const pending = aProposal({ approvers: supervisors })
  const waiting = aProposal({
    approvers: supervisors,
    state: { ...aProposal({ state: 'awaiting_second' }).state, first: decidedBy('beto') },
  })
  const { approve } = atItsBest(waiting)

  test('the first waits for a second, who is another person and still beside a permitted first', () => {
    expect(told(pending, { ...approve, decision: decidedBy('beto') })).toBe('awaiting_second')
    expect(told(waiting, { ...approve, decision: decidedBy('beto') })).toBe('by another person than the first')
    expect(told(waiting, { ...approve, decision: decidedBy('carla'), firstPermitted: false })).toBe(
      'the first is still permitted',
    )
    expect(told(waiting, { ...approve, decision: decidedBy('carla') })).toBe('approved')
  })

  test('never one under two names', () => {
    expect(told(waiting, { ...approve, decision: decidedBy('carla', 'beto') })).toBe('by another person than the first')
    expect(told(waiting, { ...approve, decision: decidedBy('carla', 'ana') })).toBe(
      'not by the requester where a second is asked',
    )
    expect(told(waiting, { ...approve, decision: decidedBy('carla', 'dora') })).toBe('approved')
  })

  test('never the requester', () => {
    for (const proposal of [pending, waiting])
      expect(told(proposal, { ...approve, decision: decidedBy('ana') })).toBe('not by the requester where a second is asked')
  })
})

describe('a decision is on what was shown', () => {
  test.each([
    ['on the current card', { cardRevision: 2 }],
    ['on what was shown', { fingerprint: 'tampered' }],
    ['while the world stands as shown', { previewDigest: 'moved' }],
  ] as const)('else it is refused: %s', (because, flaw) => {
    const pending = aProposal()
    expect(told(pending, { ...atItsBest(pending).approve, ...flaw })).toBe(because)
  })
})

describe('the end is the end', () => {
  test.each(names.filter((name) => isSettled(aProposal({ state: name }).state)))('nothing moves one that is %s', (state) => {
    fc.assert(
      fc.property(fc.integer({ min: -minutes(10_000), max: minutes(10_000) }), (ms) => {
        expect(possible(aProposal({ state }), someTimeMs + ms)).toEqual([])
      }),
    )
  })

  test('a move raises the revision by one and leaves the frozen part alone', () => {
    for (const state of names) {
      const proposal = aProposal({ state })
      for (const event of all(proposal)) {
        const result = transition(proposal, event, later)
        if (result.kind === 'moved') expect(result.proposal).toEqual({ ...moved(proposal, result.proposal.state) })
      }
    }
  })
})
