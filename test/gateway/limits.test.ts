import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction } from '../../src/actions/define-action.ts'
import { scriptedAgent } from '../../src/agents/scripted.ts'
import { over } from '../../src/core/over.ts'
import type { Policy } from '../../src/core/policy.ts'
import { farFromUsual, neverSeen } from '../../src/core/unusual.ts'
import { converse } from '../../src/gateway/converse.ts'
import { execute } from '../../src/gateway/execute.ts'
import { aDatabase } from '../support/database.ts'
import { describeOn } from '../support/describe-on.ts'
import { aHouse, postgresStage } from '../support/house.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { racers, waitingProposals } from '../support/house-races.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'
import { aDecision, moved } from '../support/proposals.ts'

const agent = scriptedAgent(
  [
    { when: 'pagá {monto:number}', propose: { action: 'pagar', args: { monto: '{monto}' } } },
    { when: 'corregí a {monto:number}', propose: { action: 'corregir', args: { monto: '{monto}' } } },
  ],
  { otherwise: 'Entendido.' },
)

const paying = (ledger: Ledger, name = 'pagar', replaces = false) =>
  defineAction({
    name,
    version: '1',
    description: 'Pays.',
    input: z.object({ monto: z.int() }),
    reversibility: 'reversible',
    idempotency: 'key',
    ...(replaces ? { replacementKey: () => 'una' } : {}),
    preview: ({ monto }) => ({
      summary: `Pagar ${monto}`,
      fields: [{ key: 'monto', label: 'Monto', value: { kind: 'number', number: monto } }],
    }),
    execute: async (args, context) => await ledger.call('idempotent', args, context),
  })

const hundred = {
  action: 'pagar',
  when: over({ field: 'monto', perRole: { ventas: '100' }, withinMs: 86_400_000 }),
  then: 'confirm',
  approvers: { kind: 'role', role: 'jefe', second: false },
  reason: { code: 'OVER_LIMIT' },
} satisfies Policy
const people = [
  { id: 'ana', name: 'Ana', roles: ['ventas'], identities: ['sim:ana', 'sim:ana2'] },
  { id: 'eva', name: 'Eva', roles: ['jefe'], identities: ['sim:eva'] },
]
const settings = (ledger: Ledger, policies: readonly Policy[] = [hundred]) => ({
  ledger,
  agent,
  actions: [paying(ledger), paying(ledger, 'corregir', true)],
  policies,
  people,
  roleChats: { jefe: { account: 'demo', chat: 'eva' } },
})

describe('a limit', () => {
  it('counts what a person asks for from another of their accounts, and in another chat', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse(settings(ledger))
    await test.phone('ana').says('pagá 60')
    await test.phone('ana2').says('pagá 60')
    expect((await test.proposals()).map(({ requester, approvers, reasons }) => [requester, approvers.kind, reasons])).toEqual([
      ['ana', 'requester', []],
      ['ana', 'role', [{ code: 'OVER_LIMIT' }]],
    ])
  })

  it('does not count beside a card the one that it replaces, nor the same card shown again', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse(settings(ledger, [{ ...hundred, action: ['pagar', 'corregir'] }]))
    await test.phone('ana').says('corregí a 60')
    await test.phone('ana').says('corregí a 70')
    await test.phone('ana').says('corregí a 70')
    expect((await test.proposals()).map(({ state, approvers }) => [state.name, approvers.kind])).toEqual([
      ['superseded', 'requester'],
      ['pending', 'requester'],
    ])
  })

  it('is passed by nobody who comes without a person', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse(settings(ledger, [{ ...hundred, then: 'deny', approvers: undefined }]))
    await test.phone('nadie').says('pagá 1')
    expect(await test.proposals()).toEqual([])
  })
})

describeOn('postgres', 'on two processes', () => {
  it('lets one of several through that one person asks for at once, in as many chats', async () => {
    await using database = await aDatabase()
    const stage = await postgresStage(database)
    const ledger = new Ledger()
    const chats = Array.from({ length: 6 }, (_, at) => `ana${at}`)
    const one = { id: 'ana', name: 'Ana', roles: ['ventas'], identities: chats.map((chat) => `sim:${chat}`) }
    const both = { ...settings(ledger), people: [one, ...people.slice(1)], stage, start: { gateway: false, workers: false } }
    await using first = await aHouse(both)
    await using second = await aHouse(both)
    const events = chats.map((chat, at) => ({
      kind: 'message' as const,
      conversation: { account: 'demo', chat },
      providerId: `e${at}`,
      messageId: `m${at}`,
      sender: { id: `sim:${chat}` },
      moment: { atMs: 1_700_000_000_000 },
      group: false,
      addressed: true,
      reply: { kind: 'none' as const },
      body: { kind: 'text' as const, text: 'pagá 60' },
    }))
    for (const row of await stage.store.keep('default', events))
      await stage.store.commit({ handled: { inboxId: row.id, road: 'converse', toAgent: true, by: 'test' } })
    await Promise.all(events.map(({ conversation }, at) => converse((at % 2 === 0 ? first : second).house, conversation)))
    // Whoever was overtaken more often than there are draws leaves the turn, which comes again.
    for (const { conversation } of events) {
      await stage.moveClock(60_000)
      await converse(first.house, conversation)
    }
    const kinds = (await first.proposals()).map(({ approvers }) => approvers.kind).sort()
    expect(kinds).toEqual(['requester', 'role', 'role', 'role', 'role', 'role'])
  })
})

describe('an unusual value', () => {
  it('is marked beside what the action marked itself, and every reason makes one question', async () => {
    const ledger = new Ledger()
    const rules: readonly Policy[] = [
      { action: 'pagar', when: farFromUsual({ field: 'monto', least: 1 }), then: 'confirm', reason: { code: 'UNUSUAL_VALUE' } },
      { action: 'pagar', when: neverSeen({ field: 'monto' }), then: 'confirm', reason: { code: 'UNUSUAL_VALUE' } },
    ]
    await using test = await aPhonesHouse(settings(ledger, rules))
    const ana = test.phone('ana')
    await ana.says('pagá 10')
    await ana.says('dale')
    await ana.says('pagá 31')
    const card = ana.card().text
    expect(card).toContain('31 ⚠ fuera de lo habitual: lo habitual es 10; no apareció antes')
    expect(card.split('Pregunto porque hay algo que no es lo habitual.')).toHaveLength(2)
    const [, proposal] = await test.proposals()
    expect(proposal?.policyVersion).toBe(test.house.policies.version)
  })
})

describe('between the yes and the call', () => {
  const approvedBy = { person: 'carla', identity: 'sim:carla' }

  it.each([
    ['a role that is taken', { what: 'take', id: 'carla', role: 'supervisor', by: 'leo' }],
    ['an account that is unlinked', { what: 'unlink', id: 'carla', identity: 'sim:carla', by: 'leo' }],
    ['a person who is forgotten', { what: 'forget', id: 'carla', by: 'leo' }],
  ] as const)('%s means that it is not done', async (_, change) => {
    const ledger = new Ledger()
    await using test = await aHouse({
      ledger,
      actions: [bookingAction(ledger, { approvers: { kind: 'role', role: 'supervisor', second: false } })],
      people: racers,
      roleChats: { supervisor: { account: 'demo', chat: 'turno' } },
      start: { gateway: true, workers: false },
    })
    const { store } = test.stage
    const [pending] = await waitingProposals(test.stage, 'pending', 1)
    if (pending === undefined) throw new Error('nothing waits')
    const nowMs = await store.now()
    const decision = aDecision({ ...approvedBy, atMs: nowMs })
    const state = { name: 'approved', decision, executeByMs: nowMs + 60_000, fence: 0, attempts: 0 } as const
    await store.commit({ moves: [{ before: pending, after: moved(pending, state), event: 'approve', by: 'carla', decision }] })
    expect(await store.changePeople(change)).toMatchObject({ kind: 'changed' })
    await execute(test.house, pending.id)
    expect((await test.proposals())[0]?.state).toEqual({ name: 'failed', reason: 'authorization_revoked' })
    expect(ledger.calls).toEqual([])
  })

  it('a requester’s yes from an account that is unlinked meanwhile is not carried out, and that is told', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ...settings(ledger, []), limits: { holdMs: 60_000 } })
    const ana = test.phone('ana2')
    await ana.says('pagá 1')
    await ana.says('dale')
    await test.stage.store.changePeople({ what: 'unlink', id: 'ana', identity: 'sim:ana2', by: 'leo' })
    await test.later(61_000)
    await test.quiet()
    expect((await test.proposals())[0]?.state).toEqual({ name: 'failed', reason: 'authorization_revoked' })
    expect(ana.sees().at(-1)?.text).toContain('ya no tiene permiso')
    expect(ledger.calls).toEqual([])
  })
})
