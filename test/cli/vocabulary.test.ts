import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import cases from '../fixtures/matcher/cases.json' with { type: 'json' }
import { aFolder, runToEnd, started } from '../support/command.ts'
import { payConfig } from './configurations.ts'

// Each starts processes, which takes as long as the machine is busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const jsonLines = (text: string): readonly Readonly<Record<string, unknown>>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

let folder: Awaited<ReturnType<typeof aFolder>>
beforeAll(async () => {
  folder = await aFolder({ 'dale.config.mts': payConfig })
})
afterAll(async () => await folder[Symbol.asyncDispose]())

const dale = async (args: readonly string[], input = '') => await runToEnd(['vocabulary', ...args], { cwd: folder.path }, input)
const write = (path: string, content: unknown): void => {
  const file = join(folder.path, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
}

describe('dale vocabulary match', () => {
  it('answers every reported case on stdin, a line each, in order', async () => {
    const asked = cases.filter(({ pending, ...one }) => pending === 1 && !('extraApprove' in one))
    const { code, stdout } = await dale(
      ['match'],
      asked.map(({ input: text, locale }) => `${JSON.stringify({ text, locale })}\n`).join(''),
    )
    expect(code).toBe(0)
    const answers = jsonLines(stdout)
    expect(answers.map(({ verdict }) => verdict)).toEqual(
      asked.map(({ expected }) => (expected === 'approve' || expected === 'reject' ? expected : 'none')),
    )
    expect(answers.filter(({ why }) => typeof why !== 'string' || why === '')).toEqual([])
    expect(answers.map(({ locale }) => locale)).toEqual(asked.map(({ locale }) => locale))
  })

  it('answers what it cannot read in its place, and ends with 1', async () => {
    const { code, stdout } = await dale(
      ['match'],
      '{"text":"yes"}\nnot json\n{"txt":1}\n{"text":"sim","locale":"xx"}\n{"text":"yes","account":"phone"}\n{"text":"x","account":"no"}\n',
    )
    expect(code).toBe(1)
    expect(jsonLines(stdout)).toMatchObject([
      { verdict: 'approve', locale: 'en' },
      { error: 'the line is no JSON' },
      { error: expect.stringContaining('"text"') },
      { error: expect.stringContaining('there is no locale xx') },
      { verdict: 'approve', phrase: 'yes', locale: 'en' },
      { error: 'there is no account no' },
    ])
  })

  it('reads words to be tried', async () => {
    write('tried/en/decision.json', { approve: [{ text: 'yup' }] })
    const { stdout } = await dale(['match', 'yup', '--with', 'tried'])
    expect(jsonLines(stdout)).toMatchObject([{ verdict: 'approve', phrase: 'yup' }])
  })
})

describe('dale vocabulary lint', () => {
  it('names every mistake with its place, and ends with 1', async () => {
    write('wrong/en/decision.json', '{\n  "approve": [\n    { "text": "no" },\n    { "text": "hello" }\n  ]\n}\n')
    const { code, stdout } = await dale(['lint', 'wrong', '--json'])
    expect(code).toBe(1)
    const { findings } = JSON.parse(stdout)
    expect(findings).toEqual(
      expect.arrayContaining([
        {
          level: 'error',
          path: expect.stringMatching(/wrong\/en\/decision\.json:4:5 approve\[1\]$/),
          message: expect.stringContaining('greeting or a filler'),
        },
        {
          level: 'error',
          path: expect.stringMatching(/:\d+:\d+ reject\[0\]$/),
          message: expect.stringContaining(':3:5 approve[0], which means something else'),
        },
      ]),
    )
  })

  it('ends with 2 for a folder that is not there, as every verb does for a mistake in what was typed', async () => {
    const { code, stderr } = await dale(['lint', 'nowhere'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not there: name a folder')])
  })

  it('has only warnings for what a speaker should judge, and ends with 0', async () => {
    write('doubtful/en/decision.json', { approve: [{ text: 'sure' }] })
    const { code, stdout } = await dale(['lint', 'doubtful'])
    expect(code).toBe(0)
    expect(stdout).toContain('doubtful/en/decision.json:1:13 approve[0]: "sure" is said every day')
    expect(stdout).toContain('0 errors')
  })
})

describe('beside a running gateway', () => {
  it('words are refused, forced, active at once, and taken back by a reload', async () => {
    write('next/en/decision.json', { approve: [{ text: 'yup', region: 'everywhere', comment: 'A plain yes.' }] })
    await using gateway = await started(['start'], { cwd: folder.path })
    const says = async (text: string): Promise<void> => {
      const from = gateway.output().length
      const headers = { 'content-type': 'application/json', origin: gateway.url }
      const response = await fetch(`${gateway.url}/phones/say`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ phone: 0, text }),
      })
      expect(response.status).toBe(204)
      await gateway.until(new RegExp(`^[^]{${from}}[^]*"event":"routed"`))
    }
    const shown = async (text: string): Promise<void> => {
      const from = gateway.output().length
      await says(text)
      await gateway.until(new RegExp(`^[^]{${from}}[^]*"to":"pending"`))
    }
    await shown('pay 5')
    await says('yup')

    const suggested = JSON.parse((await dale(['suggest', '--min', '1', '--json'])).stdout)
    expect(suggested).toMatchObject({
      nearMisses: 1,
      decisions: 0,
      share: 1,
      patch: {},
      suggestions: [{ text: 'yup', next: { 'has not answered yet': 1 } }],
    })
    const replayed = await dale(['replay', '--with', 'next', '--json'])
    expect(replayed.code).toBe(1)
    expect(JSON.parse(replayed.stdout)).toMatchObject({
      ok: false,
      nearMisses: 1,
      otherwise: [{ text: 'yup', was: 'none', becomes: 'approve', approvesAnew: true }],
    })
    const refused = await dale(['activate', 'next'])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Nothing was made active')])

    const forced = await dale(['activate', 'next', '--force', 'asked Ana', '--json'])
    expect(forced.code).toBe(0)
    expect(JSON.parse(forced.stdout)).toMatchObject({
      rehearsals: 3,
      accounts: [{ account: 'phone', changes: ['+ approve "yup" (full)'] }],
    })
    await says('no')
    await shown('pay 6')
    const from = gateway.output().length
    await says('yup')
    await gateway.until(new RegExp(`^[^]{${from}}[^]*"to":"approved"`))

    gateway.child.kill('SIGHUP')
    await gateway.until(/"event":"files_reloaded"/)
    const history = JSON.parse((await dale(['history', '--json'])).stdout)
    expect(history).toMatchObject([
      { account: 'phone', locale: 'en', reason: 'SIGHUP', forced: false, changes: ['- approve "yup" (full)'] },
      { reason: 'asked Ana', forced: true, by: expect.stringContaining('@'), changes: ['+ approve "yup" (full)'] },
      { reason: 'first start', forced: false, changes: [] },
    ])
    expect(JSON.parse((await dale(['forget', 'sim:ana', '--json'])).stdout)).toEqual({ erased: 1 })
    expect(JSON.parse((await dale(['suggest', '--json'])).stdout)).toMatchObject({ nearMisses: 0 })
  })
})
