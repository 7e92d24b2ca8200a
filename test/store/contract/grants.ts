import { describe, expect, it } from 'vitest'
import { type DecisionRecord, decisionUnder } from '../../../src/core/decision.ts'
import type { Grant } from '../../../src/core/grant.ts'
import type { Proposal } from '../../../src/core/proposal.ts'
import type { Committed, Store } from '../../../src/ports/store.ts'
import { aDecision, alwaysAllowed, aProposal, minutes, moved, placed } from '../../support/proposals.ts'
import type { UnderTest } from './under-test.ts'

const week = 7 * 24 * 60

/** A grant that comes of a success, as `dale.commit` makes it. */
export async function grantedIn(store: Store, over: Partial<Proposal> = {}, lastsMs = minutes(week)): Promise<Grant> {
  const { state: _any, ...plain } = over
  const decision = aDecision({ person: over.requester ?? 'ana', always: true })
  const executing = aProposal<'executing'>({ ...alwaysAllowed, ...plain, state: { ...sent, decision } })
  const before = await placed(store, executing)
  const committed = await store.commit({
    moves: [
      {
        before,
        after: moved(before, { name: 'succeeded', verification: 'none' }),
        event: 'succeed',
        by: 'worker',
        born: { times: 3, lastsMs, decision },
      },
    ],
  })
  expect(committed).toEqual({ kind: 'committed' })
  const grant = await store.grant(before.id)
  if (grant === undefined) throw new Error('No grant came of it')
  return grant
}

const { state: sent } = aProposal({ state: 'executing' })

/** Proposes something and approves it under a grant, in one change. */
async function uses(store: Store, grant: Grant, under: Grant | undefined = grant): Promise<Committed> {
  const draft = aProposal({
    state: 'draft',
    ...alwaysAllowed,
    conversation: grant.conversation,
    requester: grant.person,
    ...(under === undefined ? {} : { under: under.id }),
  })
  const decision = decisionUnder(under ?? grant, await store.now())
  const approved: Proposal = moved(draft, { name: 'approved', decision, executeByMs: 9e12, fence: 0, attempts: 0 })
  return await store.commit({
    create: [draft],
    moves: [
      {
        before: draft,
        after: approved,
        event: 'grant',
        by: grant.person,
        decision,
        ...(under === undefined ? {} : { under: under.id }),
      },
    ],
  })
}

export function grantsContract(under: UnderTest): void {
  it('is born with a success, and is found by whom, where and for what it is', async () => {
    const { store } = under()
    const grant = await grantedIn(store)
    const { conversation, person, action } = grant
    expect(grant).toEqual({
      id: expect.any(String),
      code: expect.any(String),
      person: 'ana',
      conversation: { account: 'tienda', chat: 'tg:42000001' },
      action: 'crear_acuerdo',
      actionVersion: '1',
      reversibility: 'observed',
      times: 3,
      uses: 0,
      bornAtMs: expect.any(Number),
      endsAtMs: grant.bornAtMs + minutes(week),
      decision: aDecision({ always: true }),
    })
    expect(await store.grantFor({ conversation, person, action })).toEqual(grant)
    expect(await store.grantFor({ conversation, person: 'eva', action })).toBeUndefined()
    expect(await store.grantFor({ conversation, person, action: 'otra' })).toBeUndefined()
    expect(await store.grantFor({ conversation: { account: 'tienda', chat: '-1' }, person, action })).toBeUndefined()
  })

  it('counts each use, and of ten at once as many pass as it has left', async () => {
    const { store } = under()
    const grant = await grantedIn(store)
    const all = await Promise.all(Array.from({ length: 10 }, () => uses(store, grant)))
    expect(all.filter(({ kind }) => kind === 'committed')).toHaveLength(3)
    expect(all.filter((one) => one.kind === 'lost').map(({ what }) => what)).toEqual(Array(7).fill('grant'))
    expect(await store.grant(grant.id)).toMatchObject({ uses: 3, times: 3 })
    expect(await store.grantUses(grant.id)).toHaveLength(3)
    expect((await store.list({ limit: 99 })).filter(({ state }) => state.name === 'draft')).toEqual([])
    expect(await store.grants({ holding: true, limit: 9 })).toEqual([])
    expect(await store.grants({ holding: false, limit: 9 })).toHaveLength(1)
  })

  it('stands for nothing once it is revoked or over, and is revoked once', async () => {
    const { store, moveClock } = under()
    const [revoked, short] = [await grantedIn(store), await grantedIn(store, { requester: 'eva' }, minutes(60))]
    expect([await store.revokeGrant(revoked.id, 'operator:beto'), await store.revokeGrant(revoked.id, 'x')]).toEqual([
      true,
      false,
    ])
    expect(await uses(store, revoked)).toEqual({ kind: 'lost', what: 'grant' })
    expect((await store.grant(revoked.id))?.ended).toEqual({ atMs: expect.any(Number), by: 'operator:beto' })
    await moveClock(minutes(60))
    expect(await uses(store, short)).toEqual({ kind: 'lost', what: 'grant' })
    expect(await store.grants({ holding: true, limit: 9 })).toEqual([])
  })

  it('ends with whatever is committed together with its end', async () => {
    const { store } = under()
    const { id, conversation, person, action } = await grantedIn(store)
    await store.commit({ endGrants: { conversation, person: 'eva', action, by: 'eva' } })
    expect((await store.grant(id))?.ended).toBeUndefined()
    await store.commit({ endGrants: { conversation, person, action, by: 'ana' } })
    expect((await store.grant(id))?.ended?.by).toBe('ana')
  })

  it('moves along when its chat gets another name', async () => {
    const { store } = under()
    const grant = await grantedIn(store, { conversation: { account: 'tienda', chat: '-10' } })
    await store.moveChat('tienda', '-10', '-1000')
    expect((await store.grant(grant.id))?.conversation).toEqual({ account: 'tienda', chat: '-1000' })
  })

  describe('the database', () => {
    it('lets no draft become approved without a grant of this action, here', async () => {
      const { store } = under()
      const grant = await grantedIn(store)
      const nobodys = { ...grant, id: '01KKN000000000000000000000' }
      await expect(uses(store, grant, nobodys)).resolves.toEqual({ kind: 'lost', what: 'grant' })
      const draft = aProposal({ state: 'draft' })
      const approve = (decision: DecisionRecord) =>
        store.commit({
          create: [draft],
          moves: [
            {
              before: draft,
              after: moved(draft, { name: 'approved', decision, executeByMs: 9e12, fence: 0, attempts: 0 }),
              event: 'approve',
              by: 'ana',
              decision,
            },
          ],
        })
      await expect(approve(aDecision())).rejects.toThrow()
      await expect(approve(decisionUnder(nobodys, 1))).rejects.toThrow()
      const elsewhere = await grantedIn(store, { conversation: { account: 'tienda', chat: '-7' } })
      await expect(approve(decisionUnder(elsewhere, 1))).rejects.toThrow()
      expect(await store.proposal(draft.id)).toBeUndefined()
    })
  })
}
