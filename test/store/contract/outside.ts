import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/ports/store.ts'
import { aProposal, minutes, moved, placed } from '../../support/proposals.ts'
import type { UnderTest } from './under-test.ts'

const url = 'https://example.com/dale'
const key = { id: 'abcdefghijkl', tenant: 'main', name: 'erp', hash: 'f'.repeat(64), scopes: ['read'] as const, by: 'ana' }

/** What programs have in the store: keys, requests that may be sent again, events and who is told of them. */
export function outsideContract(under: UnderTest): void {
  describe('keys', () => {
    it('hold until they are over or revoked, and are only their tenant’s', async () => {
      const { store, moveClock } = under()
      expect(await store.makeKey({ ...key, lastsMs: minutes(10) })).toMatchObject({ id: key.id, scopes: ['read'], name: 'erp' })
      expect(await store.keyThatHolds(key.id)).toMatchObject({ hash: key.hash, key: { tenant: 'main' } })
      expect([(await store.keys('main')).length, (await store.keys('other')).length]).toEqual([1, 0])
      expect(await store.revokeKey('other', key.id, 'eva')).toBe(false)
      await moveClock(minutes(10))
      expect(await store.keyThatHolds(key.id)).toBe(undefined)
      expect(await store.revokeKey('main', key.id, 'eva')).toBe(true)
      expect(await store.revokeKey('main', key.id, 'eva')).toBe(false)
    })

    it('count their requests in every connection together, window by window', async () => {
      const { store, another, moveClock } = under()
      await store.makeKey(key)
      const other = await another()
      const counted = await Promise.all([store, other, store, other].map((one) => one.countRequest(key.id, 60_000)))
      expect(counted.map(({ count }) => count).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4])
      await moveClock(60_000)
      expect(await store.countRequest(key.id, 60_000)).toEqual({ count: 1, endsInMs: 60_000 })
    })
  })

  describe('requests that may be sent again', () => {
    const request = { key: key.id, name: 'one', fingerprint: 'a', proposalId: 'P1', leaseMs: 60_000, keptMs: 3_600_000 }

    it('are begun by one of many, answered once, and begun anew with the same proposal after a crash', async () => {
      const { store, another, moveClock } = under()
      await store.makeKey(key)
      const other = await another()
      const claims = await Promise.all(
        [store, other, store, other].map((one, index) => one.claimRequest({ ...request, proposalId: `P${index}` })),
      )
      const begun = claims.flatMap((one) => (one.kind === 'new' ? [one.proposalId] : []))
      expect([begun.length, claims.filter(({ kind }) => kind === 'running').length]).toEqual([1, 3])
      expect(await store.claimRequest({ ...request, fingerprint: 'b' })).toEqual({ kind: 'other' })
      await moveClock(60_000)
      expect(await store.claimRequest({ ...request, proposalId: 'P9' })).toEqual({ kind: 'new', proposalId: begun[0] })
      await store.answerRequest(key.id, 'one', { status: 201, body: '{}' })
      await store.answerRequest(key.id, 'one', { status: 500, body: 'late' })
      expect(await store.claimRequest(request)).toEqual({ kind: 'done', status: 201, body: '{}' })
      await moveClock(3_600_000)
      expect(await store.claimRequest({ ...request, fingerprint: 'b', proposalId: 'P10' })).toEqual({
        kind: 'new',
        proposalId: 'P10',
      })
    })

    it('may be begun at once where nothing came of them', async () => {
      const { store } = under()
      await store.makeKey(key)
      await store.claimRequest(request)
      await store.answerRequest(key.id, 'one', undefined)
      expect(await store.claimRequest(request)).toEqual({ kind: 'new', proposalId: 'P1' })
    })
  })

  describe('what opens while it is looked at', () => {
    it('is met by the commit: of many that ask at once for one requester each sees the others', async () => {
      const { store, another } = under()
      const other = await another()
      const ask = async (one: Store) => {
        const create = aProposal({ state: 'draft' })
        const { conversation, requester = '' } = create
        return await one.commit({ create: [create], openUntil: { conversation, requester, waiting: [] } })
      }
      const committed = await Promise.all([store, other, store, other].map(ask))
      expect(committed.filter(({ kind }) => kind === 'committed')).toHaveLength(1)
      expect(await store.list({ limit: 10 })).toHaveLength(1)
    })
  })

  describe('who is told of events', () => {
    const shown = async (store: Store) => await placed(store, aProposal({ state: 'pending', tenant: 'main' }))

    it('hears of what comes after, once, of one proposal in its order, from many that tell at once', async () => {
      const { store, another } = under()
      const other = await another()
      await shown(store)
      await Promise.all([store, other].map((one) => one.noteWebhooks('main', [{ url }])))
      const proposal = await shown(store)
      await shown(store)
      await Promise.all([store, other, store].map((one) => one.noteWebhooks('main', [{ url }])))
      expect((await store.webhooks()).map(({ waiting }) => waiting)).toEqual([4])
      const [first, second, third] = [
        await store.nextWebhook(url, 60_000),
        await other.nextWebhook(url, 60_000),
        await store.nextWebhook(url, 60_000),
      ]
      expect([first, second, third].map((one) => one?.type)).toEqual(['proposal.created', 'proposal.created', undefined])
      expect([first?.proposal.id, first?.row.to, first?.attempts]).toEqual([proposal.id, 'draft', 0])
      if (first === undefined) throw new Error('nothing to tell')
      await store.endWebhook({ ...first, fence: 0 }, { kind: 'told', status: 204 })
      expect(await store.nextWebhook(url, 60_000)).toBe(undefined)
      await store.endWebhook(first, { kind: 'told', status: 204 })
      expect((await store.nextWebhook(url, 60_000))?.type).toBe('proposal.shown')
    })

    it('hears of a proposal in which somebody said a NUL or half a surrogate pair, and the lists have it', async () => {
      const { store } = under()
      await store.noteWebhooks('main', [{ url }])
      const summary = 'nothing \u0000, half \ud800'
      const proposal = await placed(
        store,
        aProposal({ tenant: 'main', preview: { summary, fields: [] }, requesterName: summary }),
      )
      await store.noteWebhooks('main', [{ url }])
      expect((await store.nextWebhook(url, 60_000))?.proposal.preview.summary).toBe('nothing \ufffd, half \ufffd')
      expect((await store.list({ tenant: 'main', limit: 10 })).map(({ id }) => id)).toEqual([proposal.id])
      expect(await store.list({ tenant: 'other', limit: 10 })).toEqual([])
    })

    it('is told again when it is time, and by another when the first one died', async () => {
      const { store, moveClock } = under()
      await store.noteWebhooks('main', [{ url, events: ['proposal.created'] }])
      await shown(store)
      await store.noteWebhooks('main', [{ url, events: ['proposal.created'] }])
      await store.nextWebhook(url, 60_000)
      await moveClock(60_000)
      const taken = await store.nextWebhook(url, 60_000)
      expect(taken?.attempts).toBe(1)
      if (taken === undefined) throw new Error('nothing to tell')
      await store.endWebhook(taken, { kind: 'again', inMs: minutes(5) })
      expect(await store.nextWebhook(url, 60_000)).toBe(undefined)
      await moveClock(minutes(5))
      expect((await store.nextWebhook(url, 60_000))?.attempts).toBe(2)
    })

    it('misses nothing that is written late, nor after the last two minutes were passed over', async () => {
      const { store, moveClock } = under()
      await store.noteWebhooks('main', [{ url }])
      const proposal = await shown(store)
      await moveClock(minutes(10))
      await store.noteWebhooks('main', [{ url }])
      await store.commit({
        moves: [
          { before: proposal, after: moved(proposal, { name: 'discarded', reason: 'withdrawn' }), event: 'discard', by: 'test' },
        ],
      })
      await store.noteWebhooks('main', [{ url }])
      await store.noteWebhooks('main', [{ url }])
      expect((await store.webhooks())[0]?.waiting).toBe(3)
      expect((await store.events({ tenant: 'main', after: 0, limit: 10 })).length).toBeLessThanOrEqual(3)
      await moveClock(minutes(1))
      const events = await store.events({ tenant: 'main', after: 0, limit: 10 })
      expect(events.map(({ type }) => type)).toEqual(['proposal.created', 'proposal.shown', 'proposal.settled'])
      expect((await store.events({ tenant: 'main', after: events[0]?.id ?? 0, limit: 1 })).map(({ id }) => id)).toEqual([
        events[1]?.id,
      ])
      expect(await store.events({ tenant: 'other', after: 0, limit: 10 })).toEqual([])
    })

    it('is erased with what is old, and can be told again until then', async () => {
      const { store, moveClock } = under()
      await store.noteWebhooks('main', [{ url, events: ['proposal.created'] }])
      await shown(store)
      await store.noteWebhooks('main', [{ url, events: ['proposal.created'] }])
      const taken = await store.nextWebhook(url, 60_000)
      if (taken === undefined) throw new Error('nothing to tell')
      await store.endWebhook(taken, { kind: 'given_up', status: 500 })
      expect(await store.webhooks()).toMatchObject([{ url, waiting: 0, givenUp: 1 }])
      expect(await store.replayWebhook(url, { givenUpOnly: true, sinceMs: 0 })).toBe(1)
      const again = await store.nextWebhook(url, 60_000)
      if (again === undefined) throw new Error('nothing to tell')
      await store.endWebhook(again, { kind: 'told', status: 204 })
      await moveClock(91 * 24 * 3_600_000)
      await store.noteWebhooks('main', [{ url, events: ['proposal.created'] }])
      expect(await store.prune(90, 100)).toBe(1)
      await store.noteWebhooks('main', [{ url, events: ['proposal.created'] }])
      expect(await store.webhooks()).toMatchObject([{ url, waiting: 0, givenUp: 0 }])
    })
  })
}
