import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const entry = join(root, 'src', 'cli', 'dale.ts')

/** An empty folder in which this checkout is installed as the package, so that a configuration there imports it. */
export async function aFolder(
  files: Readonly<Record<string, string>> = {},
): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'dale-cli-'))
  await mkdir(join(path, 'node_modules'))
  await symlink(root, join(path, 'node_modules', 'dale-gateway'))
  await symlink(join(root, 'node_modules', 'zod'), join(path, 'node_modules', 'zod'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text)
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** How a command line ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A command line that runs as a process of its own. */
export interface Running extends AsyncDisposable {
  readonly child: ChildProcess
  /** Resolves with what was found once stdout or stderr holds it; rejects when the process ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>
  readonly ended: Promise<Ended>
  readonly output: () => string
}

/** Variables that must not reach a command from whoever runs the tests. */
const own = [
  'DATABASE_URL',
  'REDIS_URL',
  'PORT',
  'HOST',
  'PUBLIC_URL',
  'LOG_LEVEL',
  'DALE_DATA_DIR',
  'DALE_SECRET_KEY',
  'NODE_OPTIONS',
  'TELEGRAM_BOT_TOKEN',
]

/** Runs `dale` from the source, in a folder, with these variables beside the system's own. */
export function run(
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Running {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !own.includes(name) && !name.startsWith('VITEST')),
  )
  const child = spawn(process.execPath, ['--conditions=dale-source', entry, ...args], {
    cwd,
    env: { ...inherited, ...env },
    stdio: 'pipe',
  })
  let stdout = ''
  let stderr = ''
  const heard = new Set<() => void>()
  const hear = () => {
    for (const wake of heard) wake()
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    hear()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    hear()
  })
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => {
    hear()
    return { code, signal, stdout, stderr } as Ended
  })
  const output = () => stdout + stderr
  return {
    child,
    ended,
    output,
    until: (pattern) =>
      new Promise((found, lost) => {
        const look = () => {
          const match = pattern.exec(stdout) ?? pattern.exec(stderr)
          if (match === null) return
          heard.delete(look)
          found(match)
        }
        heard.add(look)
        look()
        void ended.then(() => {
          if (heard.delete(look)) lost(new Error(`dale ${args.join(' ')} ended before it said ${pattern}:\n${output()}`))
        })
      }),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
    },
  }
}

/** Runs a command line to its end, with `input` on its stdin. */
export async function runToEnd(
  args: readonly string[],
  where: Parameters<typeof run>[1],
  input: string | Uint8Array = '',
): Promise<Ended> {
  const running = run(args, where)
  running.child.stdin?.end(input)
  return await running.ended
}

/** Starts a gateway or worker with a server, and resolves with its address once it has started. */
export async function started(
  args: readonly string[],
  where: Parameters<typeof run>[1],
): Promise<Running & { readonly url: string }> {
  const running = run(args, { ...where, env: { PORT: '0', ...where.env } })
  const [, url = ''] = await running.until(/"address":"([^"]+)".*"event":"started"/)
  return Object.assign(running, { url })
}
