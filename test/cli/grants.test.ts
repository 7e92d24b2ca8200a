import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { aFolder, runToEnd, started } from '../support/command.ts'

// Each starts processes, which takes as long as the machine is busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const config = `import { defineAction, defineConfig, scriptedAgent } from 'dale-gateway'
import { z } from 'zod'

const pay = defineAction({
  name: 'pay', version: '1', description: 'Pays.', input: z.object({ amount: z.number() }), reversibility: 'reversible',
  always: { times: 5, days: 30 },
  preview: ({ amount }) => ({ summary: 'Pay ' + amount, fields: [] }),
  execute: async () => {},
})

export default defineConfig({
  accounts: { phone: { channel: 'simulator', locale: 'en' } },
  agent: scriptedAgent([{ when: 'pay {amount:number}', propose: { action: 'pay', args: { amount: '{amount}' } } }]),
  actions: [pay],
  limits: { minReviewTextMs: 0 },
})
`

describe('beside a running gateway', () => {
  let folder: Awaited<ReturnType<typeof aFolder>>
  let gateway: Awaited<ReturnType<typeof started>>
  beforeAll(async () => {
    folder = await aFolder({ 'dale.config.mts': config })
    gateway = await started(['start'], { cwd: folder.path })
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })
  const dale = async (...args: readonly string[]) => await runToEnd(['grants', ...args], { cwd: folder.path })
  const says = async (text: string) => {
    const headers = { 'content-type': 'application/json', origin: gateway.url }
    await fetch(`${gateway.url}/phones/say`, { method: 'POST', headers, body: JSON.stringify({ phone: 0, text }) })
  }

  it('what somebody said always to is listed, looked at and ended, once', async () => {
    expect((await dale('list')).stdout).toBe('None.\n')
    await says('pay 5')
    await gateway.until(/"from":"draft","to":"pending"/)
    await says('yes always in this conversation')
    await gateway.until(/"to":"succeeded"/)
    await says('pay 7')
    await gateway.until(/"to":"succeeded"[\s\S]*"to":"succeeded"/)

    const listed = JSON.parse((await dale('list', '--json')).stdout)
    expect(listed).toMatchObject([{ person: 'sim:ana', action: 'pay', times: 5, uses: 1, decision: { always: true } }])
    const { code, id } = listed[0]
    expect((await dale('list')).stdout).toContain('1 of 5')
    expect(JSON.parse((await dale('show', code, '--json')).stdout)).toMatchObject({ id, usedBy: [{ state: 'succeeded' }] })
    expect((await dale('show', id)).stdout).toContain('Done under it')

    expect((await dale('revoke', code)).code).toBe(2)
    expect((await dale('revoke', code, '--by', 'eva')).stdout).toBe(`#${code} has ended: the next one is asked for again.\n`)
    const again = await dale('revoke', code, '--by', 'eva')
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('had ended already')])
    expect((await dale('show', 'nothing')).code).toBe(1)
    expect((await dale('list')).stdout).toBe('None.\n')
    expect((await dale('list', '--all')).stdout).toContain('operator:eva')
  })
})
