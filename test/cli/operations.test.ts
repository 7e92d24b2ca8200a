import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { aFolder, runToEnd, started } from '../support/command.ts'
import { describeOn } from '../support/describe-on.ts'
import { freshDatabase } from '../support/services.ts'
import { payConfig } from './configurations.ts'

// Each starts processes, which takes as long as the machine is busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

type Gateway = Awaited<ReturnType<typeof started>>

describe('beside a running gateway on its own database', () => {
  let folder: Awaited<ReturnType<typeof aFolder>>
  let gateway: Gateway
  beforeAll(async () => {
    folder = await aFolder({ 'dale.config.mts': payConfig })
    gateway = await started(['start'], { cwd: folder.path })
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  const dale = async (...args: readonly string[]) => await runToEnd(args, { cwd: folder.path })
  /** What the person with the simulated phone writes. */
  const says = async (text: string) => {
    const headers = { 'content-type': 'application/json', origin: gateway.url }
    const response = await fetch(`${gateway.url}/phones/say`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ phone: 0, text }),
    })
    expect(response.status).toBe(204)
  }
  /** The id of the next proposal that reaches a state, by the log. */
  const next = async (state: string) => {
    const from = gateway.output().length
    return async (): Promise<string> => {
      const [, id = ''] = await gateway.until(new RegExp(`^[^]{${from}}[^]*"proposal":"(\\w+)","from":"\\w+","to":"${state}"`))
      return id
    }
  }

  it('has an agent begin anew with a chat', async () => {
    const forgot = await dale('memory', 'forget', 'front', 'ana', '--json')
    expect([forgot.code, JSON.parse(forgot.stdout)]).toEqual([0, { forgotten: { account: 'front', chat: 'ana' } }])
  })

  it('a call whose end nobody knows is found, looked at and settled, and the person is told', async () => {
    const doubted = await next('in_doubt')
    const shown = await next('pending')
    await says('pay 5')
    const id = await shown()
    await says('yes')
    expect(await doubted()).toBe(id)

    const listed = JSON.parse((await dale('proposals', 'list', '--json')).stdout)
    expect(listed).toMatchObject([
      { id, state: 'in_doubt', action: 'pay', account: 'phone', requester: 'sim:ana', summary: 'Pay 5' },
    ])
    const code: string = listed[0].code
    const shownToPeople = (await dale('proposals', 'show', code)).stdout
    for (const words of [
      `#${code} in_doubt  Pay 5`,
      'Amount:  5',
      'approve',
      'by sim:ana',
      '“yes”',
      'pending → approved',
      'executing → in_doubt',
    ])
      expect(shownToPeople).toContain(words)

    const early = await dale('proposals', 'settle', `#${code}`, 'failed', '--by', 'eva', '--evidence', 'nothing in the bank')
    expect(early.code).toBe(1)
    expect(early.stderr).toMatch(
      /^dale: The call may still arrive: that it did not happen can be said from \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC on/,
    )

    const settled = await dale(
      'proposals',
      'settle',
      code.toLowerCase(),
      'succeeded',
      '--by',
      'eva',
      '--evidence',
      'receipt 5512',
      '--json',
    )
    expect([settled.code, JSON.parse(settled.stdout)]).toEqual([0, { id, code, state: 'succeeded' }])
    const { history, decisions } = JSON.parse((await dale('proposals', 'show', id, '--json')).stdout)
    expect(history.at(-1)).toMatchObject({
      from: 'in_doubt',
      to: 'succeeded',
      by: 'operator:eva',
      note: { evidence: 'receipt 5512' },
    })
    expect(decisions).toMatchObject([{ person: 'sim:ana', verdict: 'approve', via: 'phrase', phrase: 'yes' }])

    const again = await dale('proposals', 'settle', id, 'succeeded', '--by', 'eva', '--evidence', 'receipt 5512')
    expect([again.code, again.stderr]).toEqual([1, `dale: Only what is in doubt can be settled; ${id} is succeeded.\n`])
    expect(await dale('proposals', 'list', '--json')).toMatchObject({ code: 0, stdout: '[]\n' })
  })

  it('a halted action is neither asked for nor done until it is resumed', async () => {
    const halted = await dale('halt', 'pay', '--by', 'eva', '--reason', 'wrong prices', '--json')
    expect(JSON.parse(halted.stdout)).toMatchObject({
      halted: 'pay',
      halts: [{ scope: { kind: 'action', name: 'pay' }, by: 'eva', reason: 'wrong prices' }],
    })
    await says('pay 6')
    await gateway.until(/"code":"halted","event":"proposal_refused"/)
    expect((await dale('halt')).stdout).toMatch(/pay {2}by eva {2}since .* wrong prices/)

    expect((await dale('resume', 'pay')).stdout).toContain('pay goes on.')
    const refused = await dale('resume', 'pay')
    expect([refused.code, refused.stderr]).toEqual([1, 'dale: pay is not halted.\nNothing is halted.\n'])
    const shown = await next('pending')
    await says('pay 7')
    await shown()
  })

  it('a halt that would stop nothing is refused: a name that is not there, nobody who does it', async () => {
    const unknown = await dale('halt', 'pya', '--by', 'eva')
    expect([unknown.code, unknown.stderr]).toEqual([1, 'dale: There is no action pya; there is pay. Nothing was halted.\n'])
    expect((await dale('halt', 'account:fone', '--by', 'eva')).code).toBe(1)
    expect((await dale('halt', 'all')).code).toBe(2)
    expect(JSON.parse((await dale('halt', '--json')).stdout)).toEqual([])
  })

  it('no shell decides', async () => {
    const { code, stderr } = await dale('proposals', 'approve', 'K7Q2')
    expect([code, stderr.split('\n')[0]]).toEqual([2, "error: unknown command 'approve'"])
  })

  it('what is not there is said', async () => {
    for (const verb of [
      ['show', 'K7Q2'],
      ['settle', 'K7Q2', 'failed', '--by', 'eva', '--evidence', 'x'],
    ]) {
      const { code, stderr } = await dale('proposals', ...verb)
      expect([code, stderr]).toEqual([
        1,
        'dale: There is no proposal K7Q2. dale proposals list --state all shows what there is.\n',
      ])
    }
    expect((await dale('proposals', 'list', '--state', 'lost')).code).toBe(2)
  })
})

it('looking where Dale never ran makes no database', async () => {
  await using folder = await aFolder({ 'dale.config.mts': payConfig })
  const { code, stderr } = await runToEnd(['proposals', 'list'], { cwd: folder.path })
  expect(code).toBe(2)
  expect(stderr).toContain('Dale has not run here')
})

describeOn('postgres', 'on PostgreSQL, with no process running', () => {
  it('everything is halted even while the configuration is broken', async () => {
    await using database = await freshDatabase()
    await using folder = await aFolder({ 'dale.config.mts': 'export default {' })
    const where = { cwd: folder.path, env: { DATABASE_URL: database.url, DALE_SECRET_KEY: '0'.repeat(64) } }
    expect((await runToEnd(['migrate'], where)).code).toBe(0)
    expect((await runToEnd(['halt', 'all', '--by', 'eva'], where)).code).toBe(0)
    const account = await runToEnd(['halt', 'account:front', '--by', 'eva', '--json'], where)
    expect(account.stderr).toContain('Whether there is account:front could not be checked')
    expect(JSON.parse(account.stdout).halts).toMatchObject([
      { scope: { kind: 'all' } },
      { scope: { kind: 'account', name: 'front' } },
    ])
    expect((await runToEnd(['proposals', 'list'], where)).stdout).toBe('Nothing.\n')
  })
})
