import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { ConfigError } from '../../src/core/errors.ts'
import { openEmbedded } from '../../src/store/embedded.ts'
import { openStore } from '../../src/store/open.ts'

// One folder for all: making one is the slow part, and each test leaves it closed.
let folder: string
const started: ChildProcess[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dale-crash-'))
})
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

interface Writer {
  readonly pid: number
  /** Resolves when this many proposals were acknowledged. */
  acknowledged(count: number): Promise<void>
  /** Kills the process on the spot; answers every id that it acknowledged. */
  kill(): Promise<readonly string[]>
}

function aWriter(): Writer {
  const child = spawn(
    process.execPath,
    ['--conditions=dale-source', fileURLToPath(new URL('embedded-writer.ts', import.meta.url)), folder],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  started.push(child)
  const ids: string[] = []
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => ids.push(line))
  const closed = once(lines, 'close')
  return {
    pid: child.pid!,
    acknowledged: async (count) => {
      while (ids.length < count)
        await Promise.race([once(lines, 'line'), closed.then(() => Promise.reject(new Error('The writer ended by itself')))])
    },
    kill: async () => {
      child.kill('SIGKILL')
      await closed
      // A last line may be cut off by the kill.
      return ids.filter((id) => id.length === ids[0]!.length)
    },
  }
}

it('loses nothing that it acknowledged when it is killed under load, and opens again at once', async () => {
  const acknowledged: string[] = []
  for (const count of [5, 40]) {
    const writer = aWriter()
    await writer.acknowledged(count)
    acknowledged.push(...(await writer.kill()))
    await using embedded = await openEmbedded(folder)
    const store = await openStore({ kind: 'pglite', db: embedded.db }, { check: true })
    const stored = await store.list({ limit: 100_000 })
    const ids = new Set(stored.map(({ id }) => id))
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([])
    // Nothing is half there: each proposal has its beginning.
    for (const { id } of stored.slice(0, 50)) expect(await store.history(id)).toHaveLength(1)
  }
}, 60_000)

it('lets one process open a folder, tells the second who has it, and frees it when that one is killed', async () => {
  const writer = aWriter()
  await writer.acknowledged(1)
  const refused: unknown = await openEmbedded(folder).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(ConfigError)
  expect(String(refused)).toContain(`Process ${writer.pid} on ${hostname()} has had this folder open since 20`)
  await writer.kill()
  await using embedded = await openEmbedded(folder)
  expect((await embedded.db.query('select 1 as one')).rows).toEqual([{ one: 1 }])
}, 60_000)

it('frees the folder when it is closed', async () => {
  for (let time = 0; time < 2; time += 1) {
    await using embedded = await openEmbedded(folder)
    expect(embedded.db.closed).toBe(false)
  }
  expect((await readdir(folder)).toSorted()).toEqual(['data', 'holder.json', 'lock'])
}, 60_000)

it('begins anew where a first start was cut off', async () => {
  await rm(join(folder, 'data'), { recursive: true })
  await mkdir(join(folder, 'data.new'))
  await writeFile(join(folder, 'data.new', 'PG_VERSION'), '')
  await using embedded = await openEmbedded(folder)
  expect((await embedded.db.query('show fsync')).rows).toEqual([{ fsync: 'on' }])
}, 60_000)
