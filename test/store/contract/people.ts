import { describe, expect, it } from 'vitest'
import type { Conversation } from '../../../src/core/conversation.ts'
import type { KnownPerson, PeopleChange } from '../../../src/ports/people.ts'
import type { Store } from '../../../src/ports/store.ts'
import { grantedIn } from './grants.ts'
import { aMessage, type UnderTest } from './under-test.ts'

const chat: Conversation = { account: 'tienda', chat: '-5' }
const bea = { id: 'bea', name: 'Bea', roles: ['manager'], identities: ['tg:1'] }
const eva: Extract<PeopleChange, { what: 'add' }> = {
  what: 'add',
  id: 'eva',
  name: 'Eva',
  identities: ['tg:7'],
  roles: ['manager'],
  by: 'ana',
}

const seed = (store: Store, ...people: (typeof bea)[]) => store.seedPeople(people, [{ role: 'manager', conversation: chat }])
const shown = (people: readonly KnownPerson[]) =>
  people.map(({ id, source, roles, identities }) => [
    id,
    source,
    ...[...roles, ...identities].map(
      (held) => `${held.value} ${held.taken === undefined ? held.source : `taken by ${held.taken.by}`}`,
    ),
  ])

export function peopleContract(under: UnderTest): void {
  describe('somebody who is managed', () => {
    it('counts from then on, beside the configuration and through every start', async () => {
      const { store } = under()
      await seed(store, bea)
      expect(await store.changePeople(eva)).toMatchObject({
        kind: 'changed',
        person: { id: 'eva', name: 'Eva', source: 'managed' },
      })
      await seed(store, bea)
      expect(await store.person('tg:7')).toEqual({ id: 'eva', roles: ['manager'], formerly: [] })
      expect(await store.peopleWith('manager')).toEqual(['bea', 'eva'])
      expect(shown(await store.people())).toEqual([
        ['bea', 'configuration', 'manager configuration', 'tg:1 configuration'],
        ['eva', 'managed', 'manager managed', 'tg:7 managed'],
      ])
    })

    it('may be linked and unlinked, given roles and have them taken, each once', async () => {
      const { store } = under()
      await store.changePeople(eva)
      const by = { id: 'eva', by: 'ana' }
      const steps: readonly [PeopleChange, string][] = [
        [{ ...by, what: 'link', identity: 'tg:8' }, 'changed'],
        [{ ...by, what: 'link', identity: 'tg:8' }, 'theirs_already'],
        [{ ...by, what: 'unlink', identity: 'tg:7' }, 'changed'],
        [{ ...by, what: 'unlink', identity: 'tg:7' }, 'not_theirs'],
        [{ ...by, what: 'give', role: 'manager' }, 'theirs_already'],
        [{ ...by, what: 'take', role: 'manager' }, 'changed'],
        [{ ...by, what: 'take', role: 'manager' }, 'not_theirs'],
        [{ ...eva }, 'exists'],
        [{ id: 'nadie', by: 'ana', what: 'give', role: 'manager' }, 'unknown'],
      ]
      for (const [step, came] of steps) {
        const changed = await store.changePeople(step)
        expect(changed.kind === 'refused' ? changed.because : changed.kind).toBe(came)
      }
      expect(shown(await store.people())).toEqual([['eva', 'managed', 'tg:8 managed']])
      expect((await store.person('tg:7')).id).toBe('tg:7')
    })

    it('is not given an account that is somebody else’s, and then nothing is written', async () => {
      const { store } = under()
      await seed(store, bea)
      const taken = { kind: 'refused', because: 'taken', identity: 'tg:1', person: 'bea' }
      expect(await store.changePeople({ ...eva, identities: ['tg:9', 'tg:1'] })).toEqual(taken)
      expect((await store.people()).map(({ id }) => id)).toEqual(['bea'])
      await store.changePeople(eva)
      expect(await store.changePeople({ what: 'link', id: 'eva', identity: 'tg:1', by: 'ana' })).toEqual(taken)
    })

    it('is forgotten with everything that was kept of them but that it was done', async () => {
      const { store } = under()
      await store.changePeople(eva)
      expect(await store.changePeople({ what: 'forget', id: 'eva', by: 'ana' })).toEqual({ kind: 'changed' })
      expect(await store.people()).toEqual([])
      expect(await store.peopleChanges('eva')).toEqual([{ person: 'eva', what: 'forget', by: 'ana', atMs: expect.any(Number) }])
    })
  })

  it('a person’s own chats are remembered no more once they are forgotten, nor what they said always to; a group is', async () => {
    const { store } = under()
    await store.changePeople({ ...eva, identities: ['tg:9'] })
    const own = { account: 'tienda', chat: 'tg:9' }
    const group = { account: 'tienda', chat: '-100' }
    const [mine, theirs] = [
      aMessage('mi secreto', { conversation: own, sender: { id: 'tg:9' } }),
      aMessage('hola a todos', { conversation: group, sender: { id: 'tg:9' }, group: true }),
    ]
    await store.keep('main', [mine, theirs, aMessage('hola eva', { conversation: group, sender: { id: 'tg:1' }, group: true })])
    await store.remember(own, 'her secret', 1)
    await store.remember(group, 'greetings', 1)
    await grantedIn(store, { conversation: own, requester: 'eva' })
    expect(await store.grants({ holding: true, limit: 9 })).toHaveLength(1)
    await store.changePeople({ what: 'forget', id: 'eva', by: 'ana' })
    expect(await store.past(own, 'none', 9)).toEqual({ lines: [], overflow: [] })
    expect((await store.past(group, 'none', 9)).summary).toBe('greetings')
    expect(await store.grants({ holding: true, limit: 9 })).toEqual([])
    expect((await store.grants({ holding: false, limit: 9 })).map(({ ended }) => ended?.by)).toEqual(['ana'])
  })

  describe('somebody of the configuration', () => {
    it('has what was taken from them taken through every start, until it is given again', async () => {
      const { store } = under()
      await seed(store, bea)
      await store.changePeople({ what: 'take', id: 'bea', role: 'manager', by: 'ana' })
      await store.changePeople({ what: 'unlink', id: 'bea', identity: 'tg:1', by: 'ana' })
      const without = [['bea', 'configuration', 'manager taken by ana', 'tg:1 taken by ana']]
      expect(shown(await store.people())).toEqual(without)
      await seed(store, bea)
      expect(shown(await store.people())).toEqual(without)
      expect(await store.peopleWith('manager')).toEqual([])
      expect((await store.person('tg:1')).id).toBe('tg:1')

      await store.changePeople({ what: 'give', id: 'bea', role: 'manager', by: 'ana' })
      await store.changePeople({ what: 'link', id: 'bea', identity: 'tg:1', by: 'ana' })
      await seed(store, bea)
      expect(await store.person('tg:1')).toEqual({ id: 'bea', roles: ['manager'], formerly: [] })
      expect((await store.peopleChanges('bea')).map(({ what, value }) => [what, value])).toEqual([
        ['link', 'tg:1'],
        ['give', 'manager'],
        ['unlink', 'tg:1'],
        ['take', 'manager'],
      ])
    })

    it('stays a name with nothing when they are forgotten, so that no start gives it back', async () => {
      const { store } = under()
      await seed(store, bea)
      await store.changePeople({ what: 'forget', id: 'bea', by: 'ana' })
      await seed(store, bea)
      expect(await store.peopleWith('manager')).toEqual([])
      expect((await store.person('tg:1')).roles).toEqual([])
    })

    it('keeps roles that were given beside it, and takes all of them along when they leave it', async () => {
      const { store } = under()
      await seed(store, bea)
      await store.changePeople({ what: 'give', id: 'bea', role: 'auditor', by: 'ana' })
      await seed(store, { ...bea, roles: [] })
      expect(await store.peopleWith('auditor')).toEqual(['bea'])
      expect(await store.peopleWith('manager')).toEqual([])
      await seed(store)
      expect(await store.people()).toEqual([])
      expect(await store.peopleWith('auditor')).toEqual([])
    })

    it('is whose account the configuration says, whatever was linked before', async () => {
      const { store } = under()
      await store.changePeople(eva)
      await seed(store, { ...bea, identities: ['tg:7'] })
      expect((await store.person('tg:7')).id).toBe('bea')
      expect(shown(await store.people())).toEqual([
        ['bea', 'configuration', 'manager configuration', 'tg:7 configuration'],
        ['eva', 'managed', 'manager managed'],
      ])
    })
  })

  it('two changes at once are one after the other', async () => {
    const { store, another } = under()
    const other = await another()
    const came = await Promise.all([store.changePeople(eva), other.changePeople({ ...eva, by: 'leo' })])
    expect(came.map((one) => (one.kind === 'refused' ? one.because : one.kind)).sort()).toEqual(['changed', 'exists'])
  })
}
