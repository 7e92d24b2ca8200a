import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { aFolder, runToEnd } from '../support/command.ts'
import { describeOn } from '../support/describe-on.ts'
import { anMcpServer, textArgs } from '../support/mcp.ts'
import { OwnRedis } from '../support/redis.ts'
import { freshDatabase } from '../support/services.ts'
import { quietConfig } from './configurations.ts'

// Each starts processes, which takes as long as the machine is busy.
vi.setConfig({ testTimeout: 60_000 })

const findingsIn = (stdout: string): readonly { readonly state: string; readonly what: string; readonly found: string }[] =>
  JSON.parse(stdout).findings

describe('dale init', () => {
  it('writes a configuration that is found to be right, and never writes over one', async () => {
    await using folder = await aFolder()
    const { code, stdout } = await runToEnd(['init'], { cwd: folder.path })
    expect([code, (await readdir(folder.path)).sort()]).toEqual([0, ['.env.example', 'dale.config.mts', 'node_modules']])
    expect(stdout).toContain('npm run dale -- start')
    const doctor = await runToEnd(['doctor', '--json'], { cwd: folder.path })
    expect([doctor.code, findingsIn(doctor.stdout).filter(({ state }) => state !== 'ok')]).toEqual([0, []])

    const written = await readFile(`${folder.path}/dale.config.mts`, 'utf8')
    expect((await runToEnd(['init'], { cwd: folder.path })).code).toBe(1)
    expect(await readFile(`${folder.path}/dale.config.mts`, 'utf8')).toBe(written)
  })

  it('makes the folder, and leaves alone what is in it', async () => {
    await using folder = await aFolder({ '.env.example': 'MINE=1\n' })
    expect(JSON.parse((await runToEnd(['init', 'new', '--json'], { cwd: folder.path })).stdout)).toEqual({
      folder: `${folder.path}/new`,
      written: ['dale.config.mts', '.env.example'],
    })
    expect(JSON.parse((await runToEnd(['init', '--json'], { cwd: folder.path })).stdout).written).toEqual(['dale.config.mts'])
    expect(await readFile(`${folder.path}/.env.example`, 'utf8')).toBe('MINE=1\n')
  })
})

const botsConfig = (apiRoot: string) => `import { defineConfig } from 'dale-gateway'
const bot = (tokenEnv: string) => ({ channel: 'telegram' as const, mode: 'polling' as const, apiRoot: '${apiRoot}', tokenEnv })
export default defineConfig({
  accounts: { known: bot('KNOWN'), unknown: bot('UNKNOWN') },
  agent: { async *run() {} },
  actions: [],
})
`

describe('dale doctor', () => {
  it('starts each MCP server once, and says what keeps one from starting', async () => {
    using server = anMcpServer([{ name: 'mover', inputSchema: textArgs('que') }])
    await using folder = await aFolder({
      'dale.config.mts': `import { defineConfig, mcpActions } from 'dale-gateway'
export default defineConfig({
  accounts: { tienda: { channel: 'simulator' } },
  agent: { async *run() {} },
  actions: [
    mcpActions({ name: 'caja', server: ${JSON.stringify(server.server)} }),
    mcpActions({ name: 'otra', server: { command: '/no/such/program' } }),
  ],
})
`,
    })
    const doctor = await runToEnd(['doctor', '--json'], { cwd: folder.path })
    expect(doctor.code).toBe(1)
    expect(findingsIn(doctor.stdout).filter(({ what }) => what.startsWith('actions'))).toMatchObject([
      { what: 'actions of caja', state: 'ok', found: 'answers, and offers one action' },
      { what: 'actions of otra', state: 'fail', found: expect.stringContaining('the MCP server cannot be reached') },
    ])
    const start = await runToEnd(['start'], { cwd: folder.path, env: { PORT: '0' } })
    expect([start.code, start.stderr + start.stdout]).toEqual([
      2,
      expect.stringContaining('actions.otra: the MCP server cannot be reached'),
    ])
  })

  it('asks Telegram for each bot, and tells a token that it does not know from a network that is away', async () => {
    // Answers as https://core.telegram.org/bots/api#getme and #making-requests say.
    const telegram = createServer((request, response) => {
      const isKnown = request.url === '/bot111111:known/getMe'
      response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify(
          isKnown
            ? { ok: true, result: { id: 111111, is_bot: true, first_name: 'Dale', username: 'dale_bot' } }
            : { ok: false, error_code: 401, description: 'Unauthorized' },
        ),
      )
    }).listen(0, '127.0.0.1')
    await once(telegram, 'listening')
    const { port } = telegram.address() as { readonly port: number }
    await using folder = await aFolder({ 'dale.config.mts': botsConfig(`http://127.0.0.1:${port}`) })
    const where = { cwd: folder.path, env: { KNOWN: '111111:known', UNKNOWN: '222222:unknown' } }
    const doctor = await runToEnd(['doctor', '--json'], where)
    expect(doctor.code).toBe(1)
    expect(findingsIn(doctor.stdout).filter(({ what }) => what.startsWith('account'))).toMatchObject([
      { what: 'account known', state: 'ok', found: '@dale_bot at Telegram' },
      { what: 'account unknown', state: 'fail', found: 'Telegram does not know the token in UNKNOWN' },
    ])

    telegram.close()
    telegram.closeAllConnections()
    const away = await runToEnd(['doctor'], where)
    expect(away.code).toBe(0)
    expect(away.stdout).toMatch(/warn\s+account known\s+http:\S+ cannot be reached from here/)
    expect(away.stdout + away.stderr).not.toMatch(/111111:known/)
  })

  it('tells every problem of the configuration and still looks at the rest', async () => {
    await using folder = await aFolder({ 'dale.config.mts': quietConfig.replace('actions: []', "actions: ['pay']") })
    const { code, stdout } = await runToEnd(['doctor', '--json'], { cwd: folder.path })
    expect(code).toBe(1)
    expect(findingsIn(stdout)).toMatchObject([
      { what: 'Node', state: 'ok' },
      { what: 'configuration', state: 'fail', found: expect.stringMatching(/^actions\.0: is an action/) },
      { what: 'data folder', state: 'ok' },
      { what: 'disk' },
    ])
  })
})

describeOn('redis-server', 'dale doctor on PostgreSQL and Redis', () => {
  it('finds a schema that is not there, a Redis that forgets, and clocks that agree', async () => {
    await using redis = await OwnRedis.started('--maxmemory-policy', 'allkeys-lru')
    await using database = await freshDatabase()
    await using folder = await aFolder({ 'dale.config.mts': quietConfig })
    const where = { cwd: folder.path, env: { DATABASE_URL: database.url, REDIS_URL: redis.url, DALE_SECRET_KEY: '0'.repeat(64) } }
    const early = await runToEnd(['doctor', '--json'], where)
    expect(early.code).toBe(1)
    expect(findingsIn(early.stdout).filter(({ state }) => state !== 'ok')).toEqual([
      { what: 'schema', state: 'fail', found: expect.stringContaining('run dale migrate') },
      { what: 'Redis', state: 'fail', found: expect.stringContaining('set maxmemory-policy noeviction') },
    ])
    expect(findingsIn(early.stdout)).toContainEqual({
      what: 'clock',
      state: 'ok',
      found: expect.stringMatching(/^\d\.\d s apart/),
    })
    await runToEnd(['migrate'], where)
    expect(findingsIn((await runToEnd(['doctor', '--json'], where)).stdout)).toContainEqual({
      what: 'schema',
      state: 'ok',
      found: 'is what this version expects',
    })
  })
})
