// The walk of docs/vocabularies.md, as somebody of operations goes it: every command is run, and its output is what stands there.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const [walk = ''] = readFileSync(join(root, 'docs', 'vocabularies.md'), 'utf8').split(/^## Files$/m)

interface Block {
  readonly kind: string
  readonly file: string
  readonly body: string
}
const blocks: readonly Block[] = [...walk.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
  ([, kind = '', file = '', body = '']) => ({
    kind,
    file,
    body,
  }),
)

// Inside the checkout, where the package finds itself by its own name.
mkdirSync(join(root, '.cache'), { recursive: true })
const folder = mkdtempSync(join(root, '.cache', 'words-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const node = [process.execPath, '--conditions=dale-source']
const env = { ...process.env, NO_COLOR: '1', DATABASE_URL: '', REDIS_URL: '', DALE_DATA_DIR: '' }

/** What differs from run to run. */
const comparable = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, 'TIME')
    .replaceAll(/\b[0-9a-f]{12}\b/g, 'VERSION')
    .replaceAll(/by \S+@\S+/g, 'by SOMEBODY')
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

describe('the walk through the workshop', { timeout: 240_000 }, () => {
  it('prints what stands there, command by command', async () => {
    mkdirSync(join(folder, 'words', 'es'), { recursive: true })
    writeFileSync(join(folder, 'words', 'es', 'decision.json'), '{}\n')
    let printed = ''
    let commands = 0
    for (const { kind, file, body } of blocks) {
      if (kind === 'ts') writeFileSync(join(folder, 'dale.config.mts'), body)
      if (kind === 'json') writeFileSync(join(folder, file), body)
      if (kind === 'talk') await talk(body)
      if (kind === 'sh') printed = await shell(body)
      if (kind === 'text') {
        commands += 1
        expect(comparable(printed)).toBe(comparable(body))
      }
    }
    expect(commands).toBeGreaterThan(8)
  })
})
