import { describe, expect, it } from 'vitest'
import { converse } from '../../src/gateway/converse.ts'
import { deliver } from '../../src/gateway/deliver.ts'
import { aPhonesHouse, type PhonesHouse } from '../support/house-phones.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'

const refusal = { kind: 'refuse', code: 'blocked', permanent: true } as const
const [ana, north, south] = ['ana', 'north', 'south'].map((chat) => ({ account: 'demo', chat })) as [Chat, Chat, Chat]
type Chat = { readonly account: string; readonly chat: string }

/** A supervisor's card is asked for, and stands in the outbox for both of their chats. */
async function aCardForTwoChats(): Promise<PhonesHouse> {
  const ledger = new Ledger()
  const test = await aPhonesHouse({
    ledger,
    trouble: true,
    actions: [bookingAction(ledger, { approvers: { kind: 'role', role: 'supervisor', second: false } })],
    people: [{ id: 'beto', name: 'Beto', roles: ['supervisor'], identities: ['sim:beto'] }],
    roleChats: { supervisor: [north, south] },
    start: { gateway: true, workers: false },
  })
  await test.channel.says('ana', 'ana', 'registrá 3 cajas')
  await expect.poll(async () => (await test.stage.store.backlog()).inbound).toBe(0)
  await converse(test.house, ana)
  await deliver(test.house, ana)
  return test
}

const stateOf = async (test: PhonesHouse) => (await test.proposals()).map(({ state }) => state)

describe('a card that a chat will never take', () => {
  it('waits on for the other chat that is still to get it', async () => {
    await using test = await aCardForTwoChats()
    test.fails(refusal)
    await deliver(test.house, north)
    expect(await stateOf(test)).toMatchObject([{ name: 'draft' }])
    await deliver(test.house, south)
    expect(await stateOf(test)).toMatchObject([{ name: 'pending' }])
  })

  it('ends with the last chat that refuses it, and whoever asked is told', async () => {
    await using test = await aCardForTwoChats()
    for (const chat of [north, south]) {
      test.fails(refusal)
      await deliver(test.house, chat)
    }
    expect(await stateOf(test)).toEqual([{ name: 'expired', reason: 'card_undeliverable' }])
    await deliver(test.house, ana)
    expect(test.phone('ana').sees().at(-1)?.text).toMatch(/^No se pudo mostrar la tarjeta: no se hizo nada\./)
  })
})
