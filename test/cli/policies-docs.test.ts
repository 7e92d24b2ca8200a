// The walk of docs/policies.md: every command is run, and its output is what stands there.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const page = readFileSync(join(root, 'docs', 'policies.md'), 'utf8')
const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, kind = '', body = '']) => ({ kind, body }))

// Inside the checkout, where the package finds itself by its own name.
mkdirSync(join(root, '.cache'), { recursive: true })
const folder = mkdtempSync(join(root, '.cache', 'policies-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const node = [process.execPath, '--conditions=dale-source']
const env = { ...process.env, NO_COLOR: '1', DATABASE_URL: '', REDIS_URL: '', DALE_DATA_DIR: '' }

/** What differs from run to run. */
const comparable = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, 'TIME')
    .replaceAll(/\b[0-9a-f]{16}\b/g, 'VERSION')
    .replaceAll(/\b\d+\.\d s\b/g, 'SOME s')
    .replaceAll(/ {2,}/g, '  ')
    .trim()

async function shell(script: string): Promise<string> {
  const dale = `dale() { '${node.join("' '")}' '${join(root, 'src', 'cli', 'dale.ts')}' "$@"; }`
  const { stdout } = await run('sh', ['-c', `${dale}\n${script}`], { cwd: folder, env })
  return stdout
}

async function talk(lines: string): Promise<void> {
  const child = spawn(node[0] ?? '', [...node.slice(1), join(root, 'test', 'support', 'talk-child.ts')], {
    cwd: folder,
    env,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  child.stdin.end(lines)
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
}

it('docs/policies.md prints what stands there, command by command', { timeout: 240_000 }, async () => {
  let printed = ''
  let commands = 0
  for (const { kind, body } of blocks) {
    if (kind === 'ts') writeFileSync(join(folder, 'dale.config.mts'), body)
    if (kind === 'talk') await talk(body)
    if (kind === 'sh') printed = await shell(body)
    if (kind !== 'text') continue
    commands += 1
    expect(comparable(printed)).toBe(comparable(body))
  }
  expect(commands).toBe(8)
})
