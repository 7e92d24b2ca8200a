import { describe, expect, it } from 'vitest'
import { scriptedAgent } from '../../src/agents/scripted.ts'
import { nowhereOf } from '../../src/core/conversation.ts'
import { outcomeInFull } from '../../src/gateway/outcome-of.ts'
import { type AskedOutside, proposeOutside } from '../../src/gateway/propose-outside.ts'
import { waitForOutcome } from '../../src/gateway/wait-for-outcome.ts'
import { withdrawOutside } from '../../src/gateway/withdraw-outside.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'

const ana: AskedOutside = {
  conversation: { account: 'demo', chat: 'ana' },
  requester: 'sim:ana',
  origin: 'api',
  proposedBy: 'key:one',
  action: 'registrar',
  args: { cajas: 3 },
}

describe('a program proposes', () => {
  it('gets a receipt, and the person named is shown the card and decides', async () => {
    await using test = await aPhonesHouse()
    const receipt = await proposeOutside(test.house, ana)
    await test.quiet()
    const phone = test.phone('ana')
    const { code } = phone.card()
    const [proposal] = await test.proposals()
    expect(receipt).toEqual({
      kind: 'proposed',
      proposalId: proposal?.id,
      code,
      status: 'pending',
      executed: false,
      repeated: false,
    })
    await test.read()
    const waiting = waitForOutcome(test.house, proposal?.id ?? '', AbortSignal.timeout(20_000))
    await phone.says('dale')
    expect(await waiting).toMatchObject({
      id: proposal?.id,
      state: 'succeeded',
      final: true,
      executed: true,
      origin: 'api',
      decisions: [{ person: 'sim:ana', verdict: 'approve', via: 'phrase' }],
    })
    expect(test.ledger.effects).toHaveLength(1)
    expect(test.turns).toEqual([])
  })

  it('gets one proposal for the same call asked for many times at once, and no more than the quota of others', async () => {
    await using test = await aPhonesHouse()
    const same = await Promise.all(Array.from({ length: 4 }, () => proposeOutside(test.house, ana)))
    expect(new Set(same.map((one) => (one.kind === 'proposed' ? one.proposalId : one.code))).size).toBe(1)
    await Promise.all([4, 5, 6, 7].map((cajas) => proposeOutside(test.house, { ...ana, args: { cajas } })))
    expect(await test.proposals()).toHaveLength(3)
  })

  it('cannot name who approved: fields that the action does not know are refused', async () => {
    await using test = await aPhonesHouse()
    expect(await proposeOutside(test.house, { ...ana, args: { cajas: 3, confirmed: true, approvedBy: 'ana' } })).toMatchObject({
      kind: 'refused',
      code: 'invalid_args',
    })
  })

  it('withdraws what it proposed itself while it waits, and nothing else', async () => {
    await using test = await aPhonesHouse()
    const phone = test.phone('ana')
    await phone.says('registrá 9 cajas')
    const receipt = await proposeOutside(test.house, ana)
    await test.quiet()
    const [asked, own] = (await test.proposals()).map(({ id }) => id)
    expect(receipt).toMatchObject({ proposalId: own })
    expect(await withdrawOutside(test.house, asked ?? '', 'key:one')).toEqual({ kind: 'not_own' })
    expect(await withdrawOutside(test.house, own ?? '', 'key:two')).toEqual({ kind: 'not_own' })
    expect(await withdrawOutside(test.house, 'none', 'key:one')).toEqual({ kind: 'unknown' })
    expect(await withdrawOutside(test.house, own ?? '', 'key:one')).toMatchObject({ kind: 'withdrawn' })
    expect(await withdrawOutside(test.house, own ?? '', 'key:one')).toEqual({ kind: 'too_late', state: 'discarded' })
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['pending', 'discarded'])
  })

  it('asks for what the agent of that chat cannot take back', async () => {
    await using test = await aPhonesHouse({
      agent: scriptedAgent([{ when: 'olvidá {codigo}', withdraw: '{codigo}' }], { otherwise: 'Hola.' }),
    })
    const receipt = await proposeOutside(test.house, ana)
    await test.quiet()
    await test.phone('ana').says(`olvidá ${receipt.code}`)
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['pending'])
    expect(test.logged.filter(({ event }) => event === 'withdrawal_refused')).toHaveLength(1)
  })

  it('may ask in no chat: whoever has the role is shown the card, and its end is told to nobody else', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({
      ledger,
      people: [{ id: 'eva', name: 'Eva', identities: ['sim:eva'], roles: ['supervisor'] }],
      roleChats: { supervisor: { account: 'demo', chat: 'eva' } },
      actions: [bookingAction(ledger, { approvers: { kind: 'role', role: 'supervisor', second: false } })],
    })
    const { requester: _, ...nobody } = ana
    const receipt = await proposeOutside(test.house, { ...nobody, conversation: nowhereOf('demo') })
    await test.quiet()
    const eva = test.phone('eva')
    await test.read()
    await eva.says(`dale #${eva.card().code}`)
    expect(await outcomeInFull(test.house, receipt.kind === 'proposed' ? receipt.proposalId : '')).toMatchObject({
      state: 'succeeded',
      decisions: [{ person: 'eva' }],
    })
    expect(await test.stage.run(`select distinct conversation from dale.outbox`)).toEqual([{ conversation: 'demo/eva' }])
  })

  it('gets no card where nobody could ever decide', async () => {
    await using test = await aPhonesHouse()
    const { requester: _, ...nobody } = ana
    expect(await proposeOutside(test.house, { ...nobody, conversation: nowhereOf('demo') })).toMatchObject({
      kind: 'refused',
      code: 'nobody_can_decide',
    })
  })

  it('gets no card in a chat where who it is for could never answer, by the channel or because they never wrote there', async () => {
    await using test = await aPhonesHouse({
      people: [{ id: 'beto', name: 'Beto', roles: [], identities: ['sim:beto', 'tg:1'] }],
    })
    await test.phone('ana').says('hola')
    for (const requester of ['tg:ana', 'sim:bob', 'beto'])
      expect(await proposeOutside(test.house, { ...ana, requester })).toMatchObject({
        kind: 'refused',
        code: 'nobody_can_decide',
      })
    const beto = { ...ana, conversation: { account: 'demo', chat: 'beto' }, requester: 'beto' }
    expect(await proposeOutside(test.house, beto)).toMatchObject({ kind: 'proposed' })
    expect(await proposeOutside(test.house, ana)).toMatchObject({ kind: 'proposed' })
  })
})
