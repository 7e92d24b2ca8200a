import { afterAll, expect, it, vi } from 'vitest'
import { aFolder, started } from '../support/command.ts'
import { until } from '../support/until.ts'

// Each starts processes, which takes as long as the machine is busy.
vi.setConfig({ testTimeout: 60_000 })

/** An agent that says when it begins, and answers only to the word that it is asked to end with. */
const thinkingConfig = `import { defineConfig } from 'dale-gateway'

export default defineConfig({
  accounts: { phone: { channel: 'simulator', locale: 'en' } },
  agent: {
    async *run({ messages }) {
      console.error('thinking')
      await new Promise((think) => setTimeout(think, messages[0].text === 'quickly' ? 300 : 3600000))
      console.error('thought')
      yield { kind: 'text', text: 'There.' }
    },
  },
  actions: [],
})
`

/** A gateway in a folder of its own whose agent is at work on these words. */
async function atWork(words: string, ...args: readonly string[]) {
  const folder = await aFolder({ 'dale.config.mts': thinkingConfig })
  folders.push(folder)
  const gateway = await started(['start', ...args], { cwd: folder.path })
  const headers = { 'content-type': 'application/json', origin: gateway.url }
  await fetch(`${gateway.url}/phones/say`, { method: 'POST', headers, body: JSON.stringify({ phone: 0, text: words }) })
  await gateway.until(/thinking/)
  return gateway
}

const folders: AsyncDisposable[] = []
afterAll(async () => {
  for (const folder of folders) await folder[Symbol.asyncDispose]()
})

it('what is in hand is finished before the process ends', async () => {
  await using gateway = await atWork('quickly')
  gateway.child.kill('SIGTERM')
  expect(await gateway.ended).toMatchObject({ code: 0, stderr: 'thinking\nthought\n' })
})

it('what does not end within its grace is left, and that is said', async () => {
  await using gateway = await atWork('slowly', '--grace', '0.2')
  gateway.child.kill('SIGTERM')
  const { code, stderr } = await gateway.ended
  expect(code).toBe(1)
  expect(stderr).toContain('dale: Not everything ended within 0.2 s; what was in hand is looked after at the next start.')
})

it('a second signal ends it at once', async () => {
  await using gateway = await atWork('slowly')
  gateway.child.kill('SIGTERM')
  await gateway.until(/"event":"stopping"/)
  await until(async () => {
    gateway.child.kill('SIGTERM')
    return gateway.child.exitCode !== null || gateway.child.signalCode !== null
  })
  expect((await gateway.ended).code).toBe(143)
})
