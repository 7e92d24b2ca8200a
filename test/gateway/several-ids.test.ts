import { describe, expect, it } from 'vitest'
import type { PersonConfig } from '../../src/config/config.ts'
import type { InboundReaddressed } from '../../src/core/inbound.ts'
import { takeIn } from '../../src/gateway/take-in.ts'
import { embeddedStage, type HouseSettings } from '../support/house.ts'
import { aPhonesHouse, type PhonesHouse } from '../support/house-phones.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'
import { bsuid, givenUp, lid, phone } from '../support/parties.ts'

type Ids = Record<string, readonly [string, ...string[]]>

const asks = 'registrá 3 cajas'
const number = phone('0001')

/** A house whose provider calls people as `ids` says; what is changed there is how it calls them from then on. */
const houseOf = (ids: Ids, settings: HouseSettings = {}): Promise<PhonesHouse> =>
  aPhonesHouse({ ...settings, simulated: { groups: ['turno'], ids } })

const states = async (test: PhonesHouse) => (await test.proposals()).map(({ state }) => state.name)
const tells = async (test: PhonesHouse, event: InboundReaddressed) => {
  const conversation = { account: 'demo', chat: event.conversation.chat }
  await takeIn(test.house, 'demo', [{ ...event, conversation, moment: { atMs: await test.stage.store.now() } }])
  await test.quiet()
}
const alarms = ({ counted }: PhonesHouse) =>
  counted.map(({ what }) => what).filter((what) => what === 'phone_changed_hands' || what === 'readdressed')

describe('one person with several ids', () => {
  it('decides by a word what they asked for under another of them', async () => {
    const ids: Ids = { ana: [lid('1'), number] }
    await using test = await houseOf(ids)
    await test.phone('ana').says(asks)
    ids.ana = [number]
    await test.phone('ana').says('sí')
    expect(await states(test)).toEqual(['succeeded'])
    expect(test.turns.map(({ person }) => person)).toEqual([lid('1')])
  })

  it('finds a proposal that was open when the account moved to another transport, and hears its end there', async () => {
    await using stage = await embeddedStage()
    const ledger = new Ledger()
    {
      await using before = await houseOf({ ana: [lid('1'), number] }, { stage, ledger })
      await before.phone('ana').says(asks)
      expect(await states(before)).toEqual(['pending'])
    }
    await using after = await houseOf({ ana: [bsuid('A'), number] }, { stage, ledger })
    await after.phone('ana').says('sí')
    expect(await states(after)).toEqual(['succeeded'])
    expect(ledger.effects).toHaveLength(1)
    expect(after.phone('ana').sees().at(-1)?.text).toMatch(/^Hecho: /)
  })

  it('decides by a button that was shown in a chat of their own before both were known to be theirs', async () => {
    const ids: Ids = { ana: [lid('1')] }
    await using test = await houseOf(ids)
    await test.phone('ana').says('hola')
    ids.ana = [number]
    await test.phone('ana').says(asks)
    const card = test.phone('ana').card()
    ids.ana = [lid('1'), number]
    await test.phone('ana').says('cuánto sale')
    expect(await test.phone('ana').presses('Confirmar', { on: card.id })).not.toBe('')
    expect(await states(test)).toEqual(['succeeded'])
    const [proposal] = await test.proposals()
    expect(proposal).toMatchObject({ requester: number, conversation: { chat: '18446700001@lid' } })
    expect(await test.stage.store.decisions(proposal?.id ?? '')).toMatchObject([
      { person: lid('1'), formerly: [number], identity: lid('1') },
    ])
  })

  it('has the slots of one person, and is shown the same card for the same wish', async () => {
    const ids: Ids = { ana: [lid('1')] }
    await using test = await houseOf(ids)
    await test.phone('ana').says('registrá 1 cajas')
    ids.ana = [number]
    await test.phone('ana').says('registrá 2 cajas')
    ids.ana = [lid('1'), number]
    for (const wish of ['registrá 3 cajas', 'registrá 4 cajas', 'registrá 1 cajas']) await test.phone('ana').says(wish)
    expect(await states(test)).toEqual(['pending', 'pending', 'pending'])
    expect(test.counted.filter(({ what }) => what === 'proposal_refused').map(({ labels }) => labels.code)).toEqual(['slot_busy'])
  })
})

describe('a number that changed hands', () => {
  it('decides nothing of whoever had it, by word, code or reply, and is an alarm', async () => {
    const ids: Ids = { ana: [lid('1'), number], beto: [lid('2')] }
    await using test = await houseOf(ids)
    await test.phone('ana').says(asks)
    const [proposal] = await test.proposals()
    ids.beto = [lid('2'), number]
    ids.ana = [lid('1')]
    for (const text of ['sí', `sí #${proposal?.code}`, 'no', `no #${proposal?.code}`]) await test.phone('beto').says(text)
    expect(await states(test)).toEqual(['pending'])
    expect(alarms(test)).toEqual(['phone_changed_hands'])
    expect(
      test
        .phone('beto')
        .sees()
        .map(({ text }) => text)
        .join(),
    ).not.toContain('Cajas')
    await test.phone('ana').says(`sí #${proposal?.code}`)
    expect(await states(test)).toEqual(['succeeded'])
  })

  it('takes along the yes that was given with it alone, when nothing has begun', async () => {
    const ids: Ids = { ana: [number] }
    await using test = await houseOf(ids, { limits: { holdMs: 60_000 } })
    await test.phone('ana').says(asks)
    await test.phone('ana').says('sí')
    expect(await states(test)).toEqual(['approved'])
    await tells(test, givenUp(number, 0))
    await test.later(61_000)
    await test.quiet()
    expect((await test.proposals()).map(({ state }) => state)).toEqual([{ name: 'failed', reason: 'authorization_revoked' }])
    expect(test.ledger.calls).toEqual([])
  })

  it('takes nothing along that was decided with a lasting id', async () => {
    const ids: Ids = { ana: [lid('1'), number] }
    await using test = await houseOf(ids, { limits: { holdMs: 60_000 } })
    await test.phone('ana').says(asks)
    await test.phone('ana').says('sí')
    await tells(test, givenUp(number, 0))
    await test.later(61_000)
    await test.quiet()
    expect(await states(test)).toEqual(['succeeded'])
  })
})

describe('an id that was given up', () => {
  it('decides nothing any more, and neither does what the provider calls the person now; and that is an alarm', async () => {
    const ids: Ids = { ana: [bsuid('A'), number] }
    await using test = await houseOf(ids)
    await test.phone('ana').says(asks)
    const [proposal] = await test.proposals()
    await tells(test, givenUp(bsuid('A'), 0, bsuid('B')))
    for (const form of [[bsuid('B'), number], [bsuid('A')], [number]] as const) {
      ids.ana = form
      for (const text of ['sí', `sí #${proposal?.code}`]) await test.phone('ana').says(text)
      await test.channel.presses('ana', 'ana', test.phone('ana').card().id, 'Confirmar')
    }
    expect(await states(test)).toEqual(['pending'])
    expect(alarms(test)).toEqual(['readdressed'])
    await test.later(31 * 60_000)
    await test.quiet()
    expect(await states(test)).toEqual(['expired'])
    // Whoever has these ids now does not hear of it.
    expect(
      test
        .phone('ana')
        .sees()
        .map(({ text }) => text)
        .join(),
    ).not.toContain('Venció')
  })
})

describe('two approvals', () => {
  const person = (id: string, ...identities: readonly string[]): PersonConfig => ({
    id,
    name: id,
    roles: ['supervisor'],
    identities,
  })

  it.each([
    ['a LID and a number', [lid('1'), number], [number]],
    ['a business-scoped id and a number', [bsuid('A'), number], [number]],
    ['WhatsApp and another channel', [lid('1'), number], ['sim:carla']],
  ] as const)('are not one person’s with %s', async (_which, first, second) => {
    const ledger = new Ledger()
    const ids: Ids = { carla: first, dario: [lid('2'), phone('0002')] }
    await using test = await houseOf(ids, {
      ledger,
      actions: [
        bookingAction(ledger, {
          reversibility: 'irreversible',
          approvers: { kind: 'role', role: 'supervisor', second: true },
        }),
      ],
      people: [person('carla', number, 'sim:carla'), person('dario', phone('0002'))],
      roleChats: { supervisor: { account: 'demo', chat: 'turno' } },
    })
    await test.phone('ana').says(asks)
    await test.phone('carla', 'turno').presses('Confirmar')
    ids.carla = second
    expect(await test.phone('carla', 'turno').presses('Confirmar')).toBe('Tiene que confirmarlo una segunda persona, distinta.')
    expect(await states(test)).toEqual(['awaiting_second'])
    await test.phone('dario', 'turno').presses('Confirmar')
    expect(await states(test)).toEqual(['succeeded'])
    expect(ledger.effects).toHaveLength(1)
  })

  it('do not count once the first of them came from a number that was given up', async () => {
    const ledger = new Ledger()
    const ids: Ids = { carla: [number], dario: [lid('2'), phone('0002')] }
    await using test = await houseOf(ids, {
      ledger,
      actions: [
        bookingAction(ledger, {
          reversibility: 'irreversible',
          approvers: { kind: 'role', role: 'supervisor', second: true },
        }),
      ],
      people: [person('carla', number), person('dario', phone('0002'))],
      roleChats: { supervisor: { account: 'demo', chat: 'turno' } },
    })
    await test.phone('ana').says(asks)
    await test.phone('carla', 'turno').presses('Confirmar')
    await tells(test, givenUp(number, 0))
    await test.phone('dario', 'turno').presses('Confirmar')
    expect(await states(test)).toEqual(['awaiting_second'])
    expect(ledger.calls).toEqual([])
  })
})
