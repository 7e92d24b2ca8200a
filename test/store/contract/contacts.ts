import { expect, it } from 'vitest'
import type { Conversation } from '../../../src/core/conversation.ts'
import type { Inbound } from '../../../src/core/inbound.ts'
import type { Store } from '../../../src/ports/store.ts'
import { bsuid, givenUp, lid, phone, writesAs } from '../../support/parties.ts'
import { aConversation, anId, aProposal, placed, someTimeMs } from '../../support/proposals.ts'
import { aMessage, aPress, aShowing, chatter, sendNext, toAgent, type UnderTest } from './under-test.ts'

const chat = (name: string, account = 'tienda'): Conversation => ({ account, chat: name })

/** Keeps one event and tells the chat where it stands. */
async function keptIn(store: Store, event: Inbound): Promise<string | undefined> {
  return (await store.keep('main', [event]))[0]?.event.conversation.chat
}

const asked = async (store: Store, conversation: Conversation, identity: string) =>
  await store.situation({ conversation, identity, before: { atMs: someTimeMs + 3_600_000 }, inboxId: 0 })

/** Ana's card in her chat, as her first message made it. */
async function cardOfAna(store: Store, ids: readonly [string, ...string[]]) {
  const name = await keptIn(store, writesAs(ids))
  const conversation = chat(name ?? '')
  const { id } = await store.person(ids[0])
  const proposal = await placed(store, aProposal({ conversation, requester: id }))
  await store.commit({ showing: aShowing(proposal, { moment: { atMs: someTimeMs + 1000, order: 7 } }) })
  return { proposal, conversation }
}

export function contactsContract(under: UnderTest): void {
  it('names a person by the first id it saw, and knows them by every one that came with it', async () => {
    const { store } = under()
    expect(await keptIn(store, writesAs([lid('1'), phone('0001')]))).toBe('18446700001@lid')
    expect(await store.person(phone('0001'))).toEqual({ id: lid('1'), roles: [], formerly: [] })
    expect(await keptIn(store, writesAs([phone('0001')]))).toBe('18446700001@lid')
    expect(await keptIn(store, writesAs([bsuid('A'), phone('0001')]))).toBe('18446700001@lid')
    expect(await store.person(bsuid('A'))).toEqual(await store.person(lid('1')))
  })

  it('leaves the event as the provider said it, and a person with one id alone', async () => {
    const { store, run } = under()
    const event = writesAs([phone('0001'), lid('1')])
    await store.keep('main', [writesAs([lid('1')]), event, aMessage('hola')])
    const row = await store.nextInbound(chat('18446700001@lid'), 'here', 1000)
    expect(row?.event.conversation.chat).toBe('18446700001@lid')
    expect(await run(`select event ->> 'sender' as sender from dale.inbox where provider_id = '${event.providerId}'`)).toEqual([
      { sender: JSON.stringify(event.sender) },
    ])
    expect((await store.nextInbound(aConversation, 'here', 1000))?.event.conversation).toEqual(aConversation)
    expect(await run('select name from dale.contact')).toHaveLength(1)
  })

  it('finds the open card of somebody whose account moved to another transport', async () => {
    const { store } = under()
    const { proposal, conversation } = await cardOfAna(store, [lid('1'), phone('0001')])
    const next = writesAs([bsuid('A'), phone('0001')], 'sí', 60)
    expect(await keptIn(store, next)).toBe(conversation.chat)
    const situation = await asked(store, conversation, next.sender.id)
    expect(situation.open.map((shown) => shown.proposal.id)).toEqual([proposal.id])
    expect(situation.person.id).toBe(proposal.requester)
  })

  it('gives the number to the newcomer when it changed hands, and everything else stays with whom it was', async () => {
    const { store, run } = under()
    const { proposal, conversation } = await cardOfAna(store, [lid('1'), phone('0001')])
    const [row] = await store.keep('main', [writesAs([lid('2'), phone('0001')], 'sí', 60)])
    expect(row).toMatchObject({ phoneMoved: true, event: { conversation: chat('18446700002@lid') } })
    expect(await store.person(phone('0001'))).toEqual({ id: lid('2'), roles: [], formerly: [] })
    expect(await store.person(lid('1'))).toEqual({ id: proposal.requester, roles: [], formerly: [] })
    expect((await asked(store, chat('18446700002@lid'), lid('2'))).open).toEqual([])
    expect((await asked(store, conversation, lid('1'))).open).toHaveLength(1)
    expect(await run('select identity, contact, why, now_of from dale.alias_moved')).toEqual([
      { identity: phone('0001'), contact: lid('1'), why: 'changed_hands', now_of: lid('2') },
    ])
  })

  it('keeps a name from being given twice, also where it is a number that came back', async () => {
    const { store } = under()
    const { proposal } = await cardOfAna(store, [phone('0001')])
    await keptIn(store, writesAs([lid('1'), phone('0001')], 'hola', 10))
    await keptIn(store, givenUp(phone('0001'), 20))
    expect(await keptIn(store, writesAs([phone('0001')], 'sí', 30))).toBe('5491155550001~2')
    expect(await store.person(phone('0001'))).toEqual({ id: `${phone('0001')}~2`, roles: [], formerly: [] })
    expect(await store.person(lid('1'))).toEqual({ id: proposal.requester, roles: [], formerly: [] })
  })

  it('makes one of two people who turn out to be one: the newer’s chat, cards and turns are the older’s', async () => {
    const { store } = under()
    const older = await cardOfAna(store, [lid('1')])
    const newer = await cardOfAna(store, [phone('0001')])
    await toAgent(store, writesAs([phone('0001')], 'uno'))
    await store.keep('main', [writesAs([phone('0001')], 'dos')])
    await store.commit({ say: [chatter('dicho', newer.conversation), chatter('espera', newer.conversation)] })
    await sendNext(store, ['dicho'], newer.conversation)
    expect(await keptIn(store, writesAs([lid('1'), phone('0001')], 'tres', 60))).toBe(older.conversation.chat)
    const situation = await asked(store, older.conversation, phone('0001'))
    expect(situation.person).toEqual({ id: lid('1'), roles: [], formerly: [phone('0001')] })
    expect(situation.open.map((shown) => shown.proposal.id)).toEqual([older.proposal.id, newer.proposal.id])
    // The messages are the same ones under either name.
    expect(situation.open[1]?.showings).toEqual([
      aShowing(newer.proposal, { conversation: older.conversation, moment: { atMs: someTimeMs + 1000, order: 7 } }),
    ])
    expect(situation.said).toHaveLength(1)
    expect(await store.formerChats('tienda', older.conversation.chat)).toEqual([newer.conversation.chat])
    expect((await store.nextOutgoing(older.conversation, 1000))?.conversation).toEqual(older.conversation)
    const named = await store.situation({
      conversation: older.conversation,
      identity: lid('1'),
      before: { atMs: someTimeMs },
      inboxId: 0,
      naming: { by: 'message', messageId: `card-${newer.proposal.id}` },
    })
    expect(named.named?.proposal.id).toBe(newer.proposal.id)
    const turn = await store.nextTurn(older.conversation, 1000, anId())
    expect(turn).toMatchObject({
      person: lid('1'),
      formerly: [phone('0001')],
      messages: [{ message: { body: { text: 'uno' } } }],
    })
    expect(await store.beside(older.conversation, lid('1'), 'crear_acuerdo', 'x')).toMatchObject({
      waiting: [{ id: older.proposal.id }, { id: newer.proposal.id }],
    })
  })

  it('writes what was under way in the newer’s chat into the older’s', async () => {
    const { store } = under()
    const [first] = await store.keep('main', [writesAs([lid('1')])])
    const [second] = await store.keep('main', [writesAs([phone('0001')])])
    await keptIn(store, writesAs([lid('1'), phone('0001')], 'hola', 60))
    const conversation = first!.event.conversation
    const proposal = await placed(store, aProposal({ conversation: second!.event.conversation, requester: phone('0001') }))
    await store.commit({ showing: aShowing(proposal), say: [chatter('dicho', second!.event.conversation)] })
    expect((await store.nextOutgoing(conversation, 1000))?.conversation).toEqual(conversation)
    expect((await asked(store, second!.event.conversation, phone('0001'))).open.map((shown) => shown.proposal.id)).toEqual([
      proposal.id,
    ])
  })

  it('never makes one of two people with a lasting id each, though a number joins them', async () => {
    const { store } = under()
    await store.keep('main', [writesAs([lid('1'), phone('0001')]), writesAs([bsuid('B'), phone('0002')])])
    await keptIn(store, writesAs([lid('1'), phone('0002')], 'hola', 60))
    expect((await store.person(phone('0002'))).id).toBe(lid('1'))
    expect((await store.person(bsuid('B'))).id).toBe(bsuid('B'))
  })

  it('takes the old number from who has a new one: whoever writes from it is somebody else', async () => {
    const { store } = under()
    await store.keep('main', [writesAs([lid('1'), phone('0001')]), writesAs([lid('1'), phone('0002')], 'hola', 60)])
    expect(await keptIn(store, writesAs([bsuid('B'), phone('0001')], 'sí', 120))).toBe('AR.13500022B')
    expect((await store.person(phone('0002'))).id).toBe(lid('1'))
  })

  it('learns nothing from an event that was there already, nor from one that was written before the last word', async () => {
    const { store } = under()
    const old = writesAs([lid('1'), phone('0001')], 'hola', 10)
    await store.keep('main', [old, writesAs([lid('2'), phone('0001')], 'hola', 60)])
    await store.keep('main', [old, writesAs([lid('1'), phone('0001')], 'tarde', 30)])
    expect((await store.person(phone('0001'))).id).toBe(lid('2'))
    const { peer } = old
    const press = aPress({ conversation: old.conversation, sender: old.sender, ...(peer === undefined ? {} : { peer }) })
    await store.keep('main', [press])
    expect((await store.person(phone('0001'))).id).toBe(lid('1'))
    await store.keep('main', [writesAs([lid('2'), phone('0001')], 'hola', 1_000_000_000), press])
    expect((await store.person(phone('0001'))).id).toBe(lid('2'))
    expect(await keptIn(store, givenUp(phone('0001'), 40))).toBe('18446700002@lid')
    expect((await store.person(phone('0001'))).id).toBe(lid('2'))
  })

  it('binds nobody to an id that was given up, nor to the numbers known through it, until a lasting id proves the new one', async () => {
    const { store } = under()
    const { proposal, conversation } = await cardOfAna(store, [bsuid('A'), phone('0001')])
    expect(await keptIn(store, givenUp(bsuid('A'), 60, bsuid('B')))).toBe(conversation.chat)
    for (const ids of [[bsuid('B'), phone('0001')], [bsuid('A')], [phone('0001')]] as const) {
      const name = await keptIn(store, writesAs(ids, 'sí', 90))
      expect(name).not.toBe(conversation.chat)
      expect((await store.person(ids[0])).id).not.toBe(proposal.requester)
      expect((await asked(store, chat(name ?? ''), ids[0])).open).toEqual([])
    }
    expect((await store.proposal(proposal.id))?.proposal.state.name).toBe('pending')
  })

  it('links the new id once a message carries it beside a lasting one that was not given up', async () => {
    const { store } = under()
    const { proposal, conversation } = await cardOfAna(store, [lid('1'), phone('0001')])
    await keptIn(store, writesAs([bsuid('A'), phone('0001')], 'hola', 10))
    await keptIn(store, givenUp(bsuid('A'), 60, bsuid('B')))
    expect(await keptIn(store, writesAs([bsuid('B'), lid('1')], 'sí', 90))).toBe(conversation.chat)
    expect((await store.person(bsuid('B'))).id).toBe(proposal.requester)
  })

  it('knows a configured number as whoever first wrote from it, whatever becomes of the number', async () => {
    const { store } = under()
    const seed = () => store.seedPeople([{ id: 'bea', roles: ['manager'], identities: [phone('0001'), 'tg:1'] }], [])
    await seed()
    await store.keep('main', [writesAs([lid('1'), phone('0001')])])
    const bea = { id: 'bea', roles: ['manager'], formerly: [lid('1')] }
    expect(await store.person(lid('1'))).toEqual(bea)
    expect(await store.person('tg:1')).toEqual(bea)
    await keptIn(store, writesAs([lid('2'), phone('0001')], 'hola', 60))
    await seed()
    expect(await store.person(lid('1'))).toEqual(bea)
    expect(await store.person(phone('0001'))).toEqual({ id: lid('2'), roles: [], formerly: [] })
  })

  it('knows nobody by a configured number that was given up, not even after a restart', async () => {
    const { store } = under()
    const seed = (identity: string) => store.seedPeople([{ id: 'bea', roles: ['manager'], identities: [identity] }], [])
    await seed(phone('0001'))
    await store.keep('main', [writesAs([lid('1'), phone('0001')]), givenUp(phone('0001'), 60)])
    await seed(phone('0001'))
    await keptIn(store, writesAs([lid('2'), phone('0001')], 'hola', 90))
    for (const identity of [lid('1'), lid('2'), phone('0001')]) expect((await store.person(identity)).roles).toEqual([])
    await seed(lid('1'))
    await keptIn(store, writesAs([lid('1')], 'hola', 120))
    expect((await store.person(lid('1'))).id).toBe('bea')
  })

  it('reaches a person by every id they have, the newest first, and by none once all were given up', async () => {
    const { store } = under()
    const { conversation } = await cardOfAna(store, [lid('1'), phone('0001')])
    await keptIn(store, writesAs([bsuid('A'), phone('0001')], 'hola', 60))
    await store.commit({ say: [chatter('uno', conversation), chatter('dos', aConversation)] })
    expect((await sendNext(store, [], conversation))?.addresses).toEqual([bsuid('A'), lid('1'), phone('0001')])
    expect(await store.nextOutgoing(aConversation, 1000)).not.toHaveProperty('addresses')
    await store.keep('main', [givenUp(bsuid('A'), 90), givenUp(lid('1'), 90), givenUp(phone('0001'), 90)])
    await store.commit({ say: [chatter('tres', conversation)] })
    expect((await store.nextOutgoing(conversation, 1000))?.addresses).toEqual([])
  })

  it('learns from the answer to a sending what is nobody’s yet, and takes nothing from anybody', async () => {
    const { store } = under()
    const { proposal, conversation } = await cardOfAna(store, [phone('0001')])
    await keptIn(store, writesAs([lid('2'), phone('0002')]))
    await store.commit({ say: [chatter('uno', conversation)] })
    const row = (await store.nextOutgoing(conversation, 1000))!
    const also = [phone('10001'), bsuid('A'), phone('0002')]
    await store.commit({
      delivered: { id: row.id, fence: row.fence, delivery: { kind: 'accepted', messageIds: ['1'], also } },
    })
    expect((await store.person(bsuid('A'))).id).toBe(proposal.requester)
    expect((await store.person(phone('10001'))).id).toBe(proposal.requester)
    expect((await store.person(phone('0002'))).id).toBe(lid('2'))
    expect(await keptIn(store, writesAs([bsuid('A'), phone('10001')], 'sí', 60))).toBe(conversation.chat)
  })

  it('takes a chat that was begun with a number into the chat of who answers from it', async () => {
    const { store } = under()
    const begun = chat('5491155550001')
    const proposal = await placed(store, aProposal({ conversation: begun, requester: 'bea' }))
    await store.commit({ showing: aShowing(proposal) })
    await store.seedPeople(
      [{ id: 'bea', roles: ['manager'], identities: [phone('0001')] }],
      [{ role: 'manager', conversation: begun }],
    )
    const conversation = chat((await keptIn(store, writesAs([lid('1'), phone('0001')], 'sí', 60))) ?? '')
    expect(conversation.chat).toBe('18446700001@lid')
    expect((await asked(store, conversation, lid('1'))).open.map((shown) => shown.proposal.id)).toEqual([proposal.id])
    expect(await store.formerChats('tienda', conversation.chat)).toEqual([begun.chat])
    expect(await store.roleChats('manager')).toEqual([conversation])
    await store.seedPeople([], [{ role: 'manager', conversation: begun }])
    expect(await store.roleChats('manager')).toEqual([conversation])
  })

  it('knows one person by two ids in one batch, and in two processes at once', async () => {
    const { store, another } = under()
    const batch = await store.keep('main', [writesAs([phone('0001')]), writesAs([lid('1'), phone('0001')], 'hola', 1)])
    expect(new Set(batch.map(({ event }) => event.conversation.chat)).size).toBe(1)
    const processes = [await another(), await another()]
    for (let round = 0; round < 10; round += 1) {
      const number = phone(`1${round}`)
      const forms = [[lid(`1${round}`), number], [number], [bsuid(`C${round}`), number], [lid(`1${round}`)]] as const
      await Promise.all(forms.map((ids, place) => processes[place % 2]!.keep('main', [writesAs(ids, 'hola', place)])))
      // Whatever came first: from now on they are one, and their events wait in one place.
      const kept = await store.keep('main', [writesAs([lid(`1${round}`), number], 'hola', 9)])
      const names = await Promise.all(forms.map(async ([id]) => (await store.person(id)).id))
      expect(new Set(names).size).toBe(1)
      const { inbound } = await store.due(1000)
      const here = kept[0]?.event.conversation
      expect(inbound.filter(({ chat: name }) => [number, lid(`1${round}`), bsuid(`C${round}`)].includes(`wa:${name}`))).toEqual([
        here,
      ])
    }
  })
}
