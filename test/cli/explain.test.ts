import { expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction } from '../../src/actions/define-action.ts'
import { explain, knownByConfiguration } from '../../src/cli/explain.ts'
import { checkConfig } from '../../src/config/check-config.ts'
import { over } from '../../src/core/over.ts'
import type { Policy } from '../../src/core/policy.ts'

const pay = defineAction({
  name: 'pay',
  version: '1',
  description: 'Pays.',
  input: z.object({ amount: z.string() }),
  reversibility: 'reversible',
  escalate: { afterMs: 600_000, to: 'manager' },
  preview: () => ({ summary: 'Pay', fields: [] }),
  execute: async () => {},
})

const explained = (amount: string, ...policies: readonly Policy[]) => {
  const { config } = checkConfig(
    {
      accounts: { front: { channel: 'simulator' } },
      agent: { async *run() {} },
      actions: [pay],
      policies,
      people: [
        { id: 'ana', name: 'Ana', roles: ['sales'], identities: [] },
        { id: 'eva', name: 'Eva', roles: ['supervisor'], identities: [] },
        { id: 'leo', name: 'Leo', roles: ['manager'], identities: [] },
      ],
      roleChats: {
        sales: { account: 'front', chat: 'sales' },
        supervisor: { account: 'front', chat: 'eva' },
        manager: { account: 'front', chat: 'leo' },
      },
    },
    { DALE_SECRET_KEY: 'ab'.repeat(32) },
    '/nowhere',
  )
  const [action] = config.actions
  if (action === undefined || !('parse' in action)) throw new Error('There is no action')
  return explain(config, { action, args: { amount }, as: 'ana', account: 'front' }, knownByConfiguration(config))
}

const limit: Policy = {
  action: 'pay',
  when: over({ field: 'amount', perRole: { sales: '100', supervisor: '1000' }, withinMs: 86_400_000 }),
  then: 'confirm',
  approvers: { kind: 'limit' },
  reason: { code: 'OVER_LIMIT' },
}
const chosen = (choose: () => string): Policy => ({
  action: 'pay',
  then: 'confirm',
  approvers: { kind: 'function', name: 'on_duty', version: '1', choose },
  reason: { code: 'HIGH_COST' },
})

it('tells the step of a limit, who is there, and who comes in later', async () => {
  expect(await explained('101', limit)).toMatchObject({
    answer: {
      kind: 'confirm',
      approvers: { kind: 'role', role: 'supervisor', second: false },
      escalate: { afterMs: 600_000, to: 'manager' },
    },
    holders: ['eva'],
    shownIn: [{ account: 'front', chat: 'eva' }],
  })
})

it('tells that it is above what anybody may approve', async () => {
  expect(await explained('1001', limit)).toMatchObject({ answer: { kind: 'nobody' }, holders: [], shownIn: [] })
})

it('asks a function whom it chooses, and tells where they are shown it', async () => {
  expect(
    await explained(
      '1',
      chosen(() => 'leo'),
    ),
  ).toMatchObject({
    answer: { approvers: { kind: 'function', name: 'on_duty', version: '1', second: false } },
    holders: ['leo'],
    shownIn: [{ account: 'front', chat: 'leo' }],
  })
})

it('tells why a function chooses nobody', async () => {
  expect(
    await explained(
      '1',
      chosen(() => 'zoe'),
    ),
  ).toMatchObject({ holders: [], failed: 'it chose 1 whom nobody knows' })
})

it('tells how grave it is, and what a yes has to type', async () => {
  const erase = defineAction({
    name: 'pay',
    version: '1',
    description: 'Erases.',
    input: z.object({ amount: z.string() }),
    reversibility: 'reversible',
    reversibilityOf: ({ amount }) => (amount === '1000' ? 'irreversible' : 'reversible'),
    severityOf: ({ amount }) => (amount === '500' ? 'high' : 'normal'),
    typeToConfirm: 'amount',
    preview: () => ({ summary: 'Pay', fields: [] }),
    execute: async () => {},
  })
  const { config } = checkConfig(
    { accounts: { front: { channel: 'simulator' } }, agent: { async *run() {} }, actions: [erase] },
    { DALE_SECRET_KEY: 'ab'.repeat(32) },
    '/nowhere',
  )
  const of = async (amount: string) => {
    const question = { action: erase, args: { amount }, as: 'sim:ana', account: 'front' }
    const { reversibility, severity, typeToConfirm } = await explain(config, question, knownByConfiguration(config))
    return [reversibility, severity, typeToConfirm]
  }
  expect(await of('1')).toEqual(['reversible', undefined, undefined])
  expect(await of('500')).toEqual(['reversible', 'high', 'amount'])
  expect(await of('1000')).toEqual(['irreversible', undefined, 'amount'])
})
