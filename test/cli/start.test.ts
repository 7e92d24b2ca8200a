import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { aFolder, runToEnd, started } from '../support/command.ts'
import { describeOn } from '../support/describe-on.ts'
import { freshDatabase } from '../support/services.ts'
import { until } from '../support/until.ts'
import { quietConfig, wrongConfig } from './configurations.ts'

// Each starts processes, which takes as long as the machine is busy.
vi.setConfig({ testTimeout: 60_000 })

const secret = { DALE_SECRET_KEY: '0'.repeat(64) }

describe('dale start', () => {
  it('lists every problem of a wrong configuration, each with its path, and does not start', async () => {
    await using folder = await aFolder({ 'dale.config.mts': wrongConfig })
    const forPeople = await runToEnd(['start'], { cwd: folder.path })
    expect(forPeople.code).toBe(2)
    expect(forPeople.stderr.match(/✖ \S+:/g)?.sort()).toEqual([
      '✖ accounts.front.tokenEnv:',
      '✖ agent:',
      '✖ limits.holdMs:',
      '✖ locales.default:',
      '✖ tenant:',
    ])
    expect(forPeople.stderr).toContain('There are 5 problems')
    expect(forPeople.stderr).not.toContain('    at ')

    const forPrograms = await runToEnd(['start', '--json'], { cwd: folder.path })
    const told = JSON.parse(forPrograms.stderr) as { readonly problems: readonly { readonly path: string }[] }
    expect(told.problems.map(({ path }) => path).sort()).toEqual([
      'accounts.front.tokenEnv',
      'agent',
      'limits.holdMs',
      'locales.default',
      'tenant',
    ])
  })

  it('says that there is no configuration, and what writes one', async () => {
    await using folder = await aFolder()
    const { code, stderr } = await runToEnd(['start'], { cwd: folder.path })
    expect(code).toBe(2)
    expect(stderr).toContain('dale init writes one')
  })

  it('runs alone on its folder, and the second one is told who holds it; a signal ends it well', async () => {
    await using folder = await aFolder({ 'dale.config.mts': quietConfig })
    await using first = await started(['start'], { cwd: folder.path })
    expect(await (await fetch(`${first.url}/healthz`)).json()).toEqual({ ok: true })
    const second = await runToEnd(['start'], { cwd: folder.path, env: { PORT: '0' } })
    expect(second.code).toBe(2)
    expect(second.stderr).toContain(`Process ${first.child.pid} on `)

    first.child.kill('SIGTERM')
    const { code, stdout } = await first.ended
    expect(code).toBe(0)
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .slice(-2)
        .map((line) => JSON.parse(line).event),
    ).toEqual(['stopping', 'stopped'])
  })

  it('says which port is used, and what to do', async () => {
    await using folder = await aFolder({ 'dale.config.mts': quietConfig })
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { readonly port: number }
    // A database that is away keeps it from nothing, and takes no time to open.
    const env = { ...secret, DATABASE_URL: 'postgres://127.0.0.1:1/dale', PORT: String(port) }
    const { code, stderr } = await runToEnd(['start'], { cwd: folder.path, env })
    other.close()
    expect(code).toBe(1)
    expect(stderr).toBe(
      `dale: Port ${port} on 127.0.0.1 is used by another process: stop that one, or set PORT to another number (0 takes any free one).\n`,
    )
  })

  it('is told by Telegram that a token is wrong, and says so without it', async () => {
    // As https://core.telegram.org/bots/api#making-requests says.
    const telegram = createHttpServer((_request, response) => {
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end('{"ok":false,"error_code":401,"description":"Unauthorized"}')
    }).listen(0, '127.0.0.1')
    await once(telegram, 'listening')
    const { port } = telegram.address() as { readonly port: number }
    const account = `{ channel: 'telegram', mode: 'polling', apiRoot: 'http://127.0.0.1:${port}' }`
    await using folder = await aFolder({ 'dale.config.mts': quietConfig.replace("{ channel: 'simulator' }", account) })
    const env = {
      ...secret,
      DATABASE_URL: 'postgres://127.0.0.1:1/dale',
      PORT: '0',
      TELEGRAM_BOT_TOKEN: '123456:not-the-token-of-any-bot',
    }
    const { code, stdout, stderr } = await runToEnd(['start'], { cwd: folder.path, env })
    telegram.close()
    expect(code).toBe(2)
    expect(stderr).toContain('The provider refuses the account: getMe: 401 Unauthorized')
    expect(stdout + stderr).not.toContain('not-the-token')
  })

  it('reads .env where it runs, and the environment wins over it', async () => {
    await using folder = await aFolder({ 'dale.config.mts': quietConfig, '.env': 'LOG_LEVEL=nonsense\nPORT=99999\n' })
    const problems = async (env: Readonly<Record<string, string>>) =>
      (await runToEnd(['start'], { cwd: folder.path, env })).stderr.match(/✖ \S+:/g)
    expect(await problems({})).toEqual(['✖ PORT:', '✖ LOG_LEVEL:'])
    expect(await problems({ LOG_LEVEL: 'info' })).toEqual(['✖ PORT:'])
  })
})

describe('dale worker', () => {
  it('says why it needs a database', async () => {
    await using folder = await aFolder({ 'dale.config.mts': quietConfig })
    const { code, stderr } = await runToEnd(['worker'], { cwd: folder.path })
    expect(code).toBe(2)
    expect(stderr).toContain('DATABASE_URL: is needed for a worker')
  })
})

describeOn('postgres', 'on PostgreSQL', () => {
  it('a database must be migrated first; then gateway and worker share it', async () => {
    await using database = await freshDatabase()
    await using folder = await aFolder({ 'dale.config.mts': quietConfig })
    const where = { cwd: folder.path, env: { ...secret, DATABASE_URL: database.url } }

    const early = await runToEnd(['start'], { ...where, env: { ...where.env, PORT: '0' } })
    expect(early.code).toBe(2)
    expect(early.stderr).toContain('run dale migrate')

    const migrated = await runToEnd(['migrate', '--json'], where)
    expect(migrated.code).toBe(0)
    expect(JSON.parse(migrated.stdout).migrated).not.toEqual([])
    expect(JSON.parse(migrated.stdout).queue).toBe(true)
    expect(JSON.parse((await runToEnd(['migrate', '--json'], where)).stdout)).toEqual({ migrated: [], queue: false })

    await using gateway = await started(['start', '--no-workers'], where)
    await using worker = await started(['worker', '--port', '0'], where)
    for (const { url } of [gateway, worker]) {
      await until(async () => (await fetch(`${url}/readyz`)).status === 200)
    }
    expect((await fetch(`${worker.url}/webhooks/phone`, { method: 'POST', body: '{}' })).status).toBe(404)
    worker.child.kill('SIGINT')
    expect((await worker.ended).code).toBe(0)
  })
})
