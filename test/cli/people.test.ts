import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { aFolder, runToEnd, started } from '../support/command.ts'

// Each starts processes, which takes as long as the machine is busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const config = `import { defineAction, defineConfig, over, scriptedAgent } from 'dale-gateway'
import { z } from 'zod'

const pay = defineAction({
  name: 'pay', version: '1', description: 'Pays.', input: z.object({ amount: z.number() }), reversibility: 'reversible',
  preview: ({ amount }) => ({ summary: 'Pay ' + amount, fields: [] }),
  execute: async () => {},
})

export default defineConfig({
  accounts: { phone: { channel: 'simulator', locale: 'en' }, other: { channel: 'simulator' } },
  agent: scriptedAgent([{ when: 'pay {amount:number}', propose: { action: 'pay', args: { amount: '{amount}' } } }]),
  actions: [pay],
  people: [{ id: 'eva', name: 'Eva', roles: ['boss'], identities: ['sim:eva'] }],
  roles: ['sales'],
  roleChats: { boss: { account: 'phone', chat: 'eva' } },
  limits: { minReviewTextMs: 0 },
  policies: [
    { action: 'pay', accounts: ['other'], then: 'deny', reason: { code: 'NOT_HERE', message: 'Not here.' } },
    { action: 'pay', roles: ['sales'], then: 'allow', when: (args) => args.amount < 10 },
    {
      action: 'pay', when: over({ field: 'amount', perRole: { sales: '100' }, withinMs: 86400000 }), then: 'confirm',
      approvers: { kind: 'role', role: 'boss', second: false }, reason: { code: 'OVER_LIMIT' },
    },
    { action: 'pay', when: (args) => { if (args.amount === 13) throw new Error('thirteen'); return false }, then: 'confirm', reason: { code: 'X' } },
  ],
})
`

let folder: Awaited<ReturnType<typeof aFolder>>
let gateway: Awaited<ReturnType<typeof started>>
beforeAll(async () => {
  folder = await aFolder({ 'dale.config.mts': config })
  gateway = await started(['start'], { cwd: folder.path })
  expect((await dale('people', 'add', 'leo', '--identity', 'sim:leo', '--role', 'sales', '--by', 'ana')).code).toBe(0)
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})
const dale = async (...args: readonly string[]) => await runToEnd(args, { cwd: folder.path })
const json = async (...args: readonly string[]) => JSON.parse((await dale(...args, '--json')).stdout)

describe('beside a running gateway', () => {
  it('people are added, changed and forgotten, each change with who made it', async () => {
    expect((await dale('people', 'add', 'max', '--name', 'Max', '--identity', 'sim:max', '--role', 'sales')).code).toBe(2)
    const added = await json('people', 'add', 'max', '--name', 'Max', '--identity', 'sim:max', '--role', 'sales', '--by', 'ana')
    expect(added).toEqual({
      id: 'max',
      name: 'Max',
      source: 'managed',
      roles: [{ value: 'sales', source: 'managed' }],
      identities: [{ value: 'sim:max', source: 'managed' }],
    })
    expect((await dale('people', 'link', 'max', 'sim:max2', '--by', 'ana')).code).toBe(0)
    expect((await dale('people', 'unlink', 'max', 'sim:max2', '--by', 'ana')).code).toBe(0)
    const { stdout } = await dale('people', 'role', 'remove', 'eva', 'boss', '--by', 'ana')
    expect(stdout).toContain('boss is now: nobody, so what asks for it is refused.')
    expect((await dale('people', 'role', 'add', 'eva', 'boss', '--by', 'ana')).code).toBe(0)
    expect(
      (await json('people', 'show', 'max')).changes.map(({ what, value, by }: Record<string, string>) => [what, value, by]),
    ).toEqual([
      ['unlink', 'sim:max2', 'ana'],
      ['link', 'sim:max2', 'ana'],
      ['give', 'sales', 'ana'],
      ['link', 'sim:max', 'ana'],
      ['add', undefined, 'ana'],
    ])
    expect((await json('people', 'list')).map(({ id }: { readonly id: string }) => id)).toEqual(
      expect.arrayContaining(['eva', 'leo', 'max']),
    )
  })

  it('what cannot be is refused, and says what to do', async () => {
    for (const [args, says] of [
      [['link', 'leo', 'sim:eva', '--by', 'ana'], 'sim:eva is eva: unlink it there first. Nothing was changed.'],
      [['role', 'remove', 'leo', 'boss', '--by', 'ana'], 'leo does not have boss. Nothing was changed.'],
      [['role', 'add', 'zoe', 'boss', '--by', 'ana'], 'There is nobody zoe; dale people list shows everybody.'],
      [['add', 'leo', '--by', 'ana'], 'There is leo already; dale people link and role add change them.'],
      [['show', 'zoe'], 'There is nobody zoe; dale people list shows everybody.'],
    ] as const) {
      const { code, stderr } = await dale('people', ...args)
      expect([code, stderr]).toEqual([1, `dale: ${says}\n`])
    }
    expect((await dale('people', 'add', 'tg:1', '--by', 'ana')).code).toBe(2)
    expect((await dale('people', 'link', 'leo', 'leo', '--by', 'ana')).code).toBe(2)
  })

  it('a call is explained as a proposal of that person would be judged, through that account', async () => {
    const explained = await json('policy', 'explain', 'pay', '{"amount":101}', '--as', 'leo')
    expect(explained).toMatchObject({
      action: 'pay',
      args: { amount: 101 },
      asker: { person: 'leo', roles: ['sales'], account: 'phone' },
      spoken: [
        { path: 'policies.0', then: 'deny', said: { kind: 'silent', because: 'account' } },
        { path: 'policies.1', then: 'allow', said: { kind: 'silent', because: 'condition' } },
        { path: 'policies.2', then: 'confirm', said: { kind: 'applies' }, reason: { code: 'OVER_LIMIT' } },
        { path: 'policies.3', said: { kind: 'silent' } },
      ],
      answer: { kind: 'confirm', reasons: [{ code: 'OVER_LIMIT' }], approvers: { kind: 'role', role: 'boss', second: false } },
      holders: ['eva'],
      shownIn: [{ account: 'phone', chat: 'eva' }],
    })
    const asked = async (args: string, ...more: readonly string[]) =>
      (await json('policy', 'explain', 'pay', args, ...more)).answer
    expect(await asked('{"amount":101}', '--as', 'sim:leo')).toEqual(explained.answer)
    expect(await asked('{"amount":9}', '--as', 'leo')).toMatchObject({ approvers: { kind: 'requester' }, reasons: [] })
    expect(await asked('{"amount":9}', '--as', 'sim:zoe')).toMatchObject({ approvers: { kind: 'role' } })
    expect(await asked('{"amount":9}', '--as', 'leo', '--account', 'other')).toMatchObject({
      kind: 'denied',
      reason: { code: 'NOT_HERE' },
    })
    const failing = await dale('policy', 'explain', 'pay', '{"amount":13}', '--as', 'leo')
    expect([failing.code, failing.stdout]).toEqual([0, expect.stringContaining('failed, so nothing is done: thirteen')])
    expect(failing.stdout).toContain('denied:    POLICY_ERROR')
  })

  it('what cannot be explained is said', async () => {
    for (const [args, says] of [
      [['pya', '{}', '--as', 'leo'], 'There is no action pya; there is pay.'],
      [['pay', '{"amount":"x"}', '--as', 'leo'], 'pay takes other arguments: '],
      [['pay', '{"amount":1,"confirmed":true}', '--as', 'leo'], 'pay takes other arguments: '],
      [['pay', 'amount=1', '--as', 'leo'], 'The arguments are no JSON'],
      [['pay', '{"amount":1}', '--as', 'zoe'], 'There is nobody zoe.'],
      [['pay', '{"amount":1}', '--as', 'leo', '--account', 'fone'], 'There is no account fone; there is phone, other.'],
    ] as const) {
      const { code, stderr } = await dale('policy', 'explain', ...args)
      expect([code, stderr]).toEqual([1, expect.stringContaining(`dale: ${says}`)])
    }
    expect((await dale('policy', 'explain', 'pay', '{"amount":1}')).code).toBe(2)
  })

  it('how people answered is told by action, and measured', async () => {
    expect((await dale('report')).stdout).toBe('Nothing was asked in this time.\n')
    expect(await json('report', '--since', '1h')).toEqual({ ofMs: 3_600_000, actions: [] })
    expect((await dale('report', '--since', 'today')).code).toBe(2)
    const says = async (text: string) =>
      await fetch(`${gateway.url}/phones/say`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: gateway.url },
        body: JSON.stringify({ phone: 0, text }),
      })
    expect((await dale('people', 'add', 'rosa', '--identity', 'sim:ana', '--role', 'sales', '--by', 'ana')).code).toBe(0)
    await says('pay 5')
    await gateway.until(/"to":"pending"/)
    await says('no')
    await gateway.until(/"to":"rejected"/)
    const { actions } = await json('report')
    expect(actions).toMatchObject([
      { action: 'pay', requested: 1, approved: 0, rejected: 1, via: { phrase: 1 }, approvedShare: 0, flags: [] },
    ])
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
    expect(metrics).toContain('dale_decision_seconds_count{action="pay",via="phrase"} 1')
  })
})
