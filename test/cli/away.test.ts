import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, it, vi } from 'vitest'
import { aFolder, runToEnd, started } from '../support/command.ts'
import { describeOn } from '../support/describe-on.ts'
import { OwnRedis } from '../support/redis.ts'
import { freshDatabase } from '../support/services.ts'
import { until } from '../support/until.ts'
import { quietConfig } from './configurations.ts'

// Each starts processes, which takes as long as the machine is busy.
vi.setConfig({ testTimeout: 60_000 })

const secret = { DALE_SECRET_KEY: '0'.repeat(64) }
const statesOf = async (url: string) => {
  const { ok, parts } = (await (await fetch(`${url}/readyz`)).json()) as {
    ok: boolean
    parts: Readonly<Record<string, { state: string } | undefined>>
  }
  return { ok, database: parts.database?.state, queue: parts.queue?.state }
}

describeOn('redis-server', 'while Redis is away', () => {
  it('dale starts, says so, and recovers by itself when Redis comes', async () => {
    await using redis = await OwnRedis.reserved('--maxmemory-policy', 'noeviction')
    await using database = await freshDatabase()
    await using folder = await aFolder({ 'dale.config.mts': quietConfig })
    const where = { cwd: folder.path, env: { ...secret, DATABASE_URL: database.url, REDIS_URL: redis.url } }
    expect((await runToEnd(['migrate'], where)).code).toBe(0)

    await using dale = await started(['start'], where)
    expect(await statesOf(dale.url)).toEqual({ ok: false, database: 'up', queue: 'down' })
    await redis.start()
    await until(async () => (await statesOf(dale.url)).ok)

    await redis.kill()
    await until(async () => (await statesOf(dale.url)).queue === 'down')
    expect((await fetch(`${dale.url}/healthz`)).status).toBe(200)
    dale.child.kill('SIGTERM')
    expect((await dale.ended).code).toBe(0)
  })
})

describeOn('postgres', 'while the database is away', () => {
  it('dale starts, says so, and recovers by itself when the database comes', async () => {
    await using database = await freshDatabase()
    await using folder = await aFolder({ 'dale.config.mts': quietConfig })
    const real = new URL(database.url)
    expect((await runToEnd(['migrate'], { cwd: folder.path, env: { ...secret, DATABASE_URL: database.url } })).code).toBe(0)
    // A door that is closed at first, on a port of its own.
    const door = createServer((near) => {
      const far = connect(Number(real.port || 5432), real.hostname)
      near.pipe(far).pipe(near)
      near.on('error', () => far.destroy())
      far.on('error', () => near.destroy())
    })
    const port = await portOf(door)
    const url = new URL(database.url)
    url.port = String(port)

    await using dale = await started(['start'], { cwd: folder.path, env: { ...secret, DATABASE_URL: url.href } })
    expect(await statesOf(dale.url)).toEqual({ ok: false, database: 'down', queue: 'down' })
    door.listen(port, '127.0.0.1')
    await until(async () => (await statesOf(dale.url)).ok)
    dale.child.kill('SIGTERM')
    expect((await dale.ended).code).toBe(0)
    door.close()
  })
})

/** A port for a server that does not listen yet. */
async function portOf(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  server.close()
  await once(server, 'close')
  return port
}
