// What README and docs/api.md say to type is typed: a key, a proposal, a yes on the phone, the outcome, and the event with its signature.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { aFolder, runToEnd, started } from '../support/command.ts'
import { until } from '../support/until.ts'
import { startWebhookServer } from '../support/webhook-server.ts'

// Processes start here, which takes as long as the machine is busy.
vi.setConfig({ testTimeout: 90_000 })

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
const shellBlocks = (text: string): readonly string[] =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)

const readme = textOf('README.md')
const api = textOf('docs/api.md')
const [, config = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(readme.slice(readme.indexOf('## Your own'))) ?? []
const [, hook = ''] = /^(webhooks: .*)$/m.exec(api) ?? []

describe.each([
  ['README.md', readme.slice(readme.indexOf('## A program'), readme.indexOf('## Three sizes'))],
  ['docs/api.md', api.slice(0, api.indexOf('## Keys'))],
])('the lines of %s', (_, text) => {
  it('ask for a table, which the person confirms on the phone, and the webhook that tells it holds', async () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    await using server = await startWebhookServer(secret)
    const told = hook.replace(/url: '[^']+'/, `url: '${server.url}', allowPrivate: ['127.0.0.1']`)
    expect(told).toContain(server.url)
    await using folder = await aFolder({
      'dale.config.mts': config.replace(/^ {2}actions: .*$/m, (line) => `${line}\n  ${told}`),
    })
    const env = { ERP_HOOK_SECRET: secret }
    await using gateway = await started(['start'], { cwd: folder.path, env })
    const blocks = shellBlocks(text)
    const [ask = '', look = ''] = [
      blocks.find((block) => block.includes("-d '")),
      blocks.find((block) => block.includes('outcome?wait')),
    ]
    const made = /\$\((?:npm run -s dale --|npx dale) (keys create [^|]+?) \| head -1\)/.exec(ask)?.[1] ?? ''
    const [key = ''] = (await runToEnd(made.split(' '), { cwd: folder.path, env })).stdout.split('\n')
    expect(key).toMatch(/^dale_\w{12}_[\w-]{43}$/)
    const shell = async (block: string, variables: Readonly<Record<string, string>>) => {
      const lines = block.replace(/^export .*\n/m, '').replaceAll('http://127.0.0.1:3000', gateway.url)
      const { stdout } = await run('sh', ['-c', lines], { env: { PATH: process.env.PATH, DALE_KEY: key, ...variables } })
      return JSON.parse(stdout)
    }
    const receipt = await shell(ask, {})
    expect(receipt).toMatchObject({ status: 'pending', executed: false })
    const waiting = shell(look, { ID: receipt.proposalId })
    await until(() => server.arrived.length > 0 || gateway.output().includes('"to":"pending"'))
    await until(async () => {
      const answered = await fetch(`${gateway.url}/phones/say`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: gateway.url },
        body: JSON.stringify({ phone: 0, text: `yes #${receipt.code}` }),
      })
      expect(answered.status).toBe(204)
      return gateway.output().includes('"to":"succeeded"')
    })
    expect(await waiting).toMatchObject({ id: receipt.proposalId, state: 'succeeded', executed: true })
    await until(() => server.arrived.length > 0)
    expect(server.arrived[0]?.event).toMatchObject({
      type: 'proposal.settled',
      data: { proposalId: receipt.proposalId, state: 'succeeded', result: 'A table for 4 is yours.' },
    })
  })
})
