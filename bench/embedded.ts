/**
 * The embedded process as a whole: `node --conditions=dale-source bench/embedded.ts`. Starts `dale start` on a new folder and again on the
 * same one, and tells time to ready, memory settled and at its peak, and what it costs while nothing happens. Linux only (/proc).
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

/** CPU time is counted in hundredths of a second on Linux. */
const ticksPerSecond = 100
const idleSeconds = 20
const cli = resolve(import.meta.dirname, '../src/cli/dale.ts')

const folder = await mkdtemp(join(tmpdir(), 'dale-embedded-'))
const env = { ...process.env, PORT: '0', DALE_DATA_DIR: join(folder, '.dale'), DATABASE_URL: '', REDIS_URL: '' }
const config = resolve(import.meta.dirname, 'embedded.config.mts')
try {
  console.table({ 'first start': await measure(), 'second start': await measure() })
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function measure(): Promise<Record<string, number>> {
  const began = performance.now()
  const child = spawn(process.execPath, ['--conditions=dale-source', cli, 'start', '--json', '--config', config], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await started(child)
  const readyMs = performance.now() - began
  await sleep(5000)
  const before = await ticksOf(child)
  await sleep(idleSeconds * 1000)
  const idle = (await ticksOf(child)) - before
  const { settledMb, peakMb } = await memoryOf(child)
  child.kill('SIGTERM')
  await once(child, 'exit')
  return {
    'ready ms': Math.round(readyMs),
    'settled MB': settledMb,
    'peak MB': peakMb,
    'idle % of a core': Math.round((1000 * idle) / ticksPerSecond / idleSeconds) / 10,
  }
}

/** Resolves at the log line that says so; rejects when the process ends before. */
async function started(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`dale start ended with ${String(code)}`)))
  const said = (async () => {
    if (child.stdout === null) throw new Error('dale start has no stdout')
    for await (const line of createInterface({ input: child.stdout })) if (line.includes('"event":"started"')) return
  })()
  await Promise.race([said, ended])
  child.stdout?.resume()
}

async function ticksOf({ pid }: ChildProcess): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

async function memoryOf({ pid }: ChildProcess): Promise<{ readonly settledMb: number; readonly peakMb: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const mb = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024)
  return { settledMb: mb('VmRSS'), peakMb: mb('VmHWM') }
}
