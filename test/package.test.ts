import { execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

// Builds, packs and installs, which takes as long as the machine is busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 180_000 })

const root = join(import.meta.dirname, '..')
const exec = promisify(execFile)

/** A Node of this machine that is too old for Dale, if there is one. */
const oldNode = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .map((folder) => join(folder, 'node'))
  .filter((file) => existsSync(file))
  .find((file) => Number(spawnSync(file, ['-p', 'process.versions.node']).stdout.toString().split('.')[0]) < 24)

let folder: string
/** What a shell would run there: this test's own Node first. */
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
const npm = async (args: readonly string[], cwd: string) => await exec('npm', [...args], { cwd, env: { ...process.env, PATH } })
const dale = async (...args: readonly string[]) =>
  await exec(join(folder, 'node_modules', '.bin', 'dale'), [...args], { cwd: folder, env: { ...process.env, PATH } })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dale-package-'))
  await exec(process.execPath, [join(root, 'scripts', 'build.ts')], { cwd: root })
  const { stdout } = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root)
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
  await writeFile(join(folder, 'package.json'), '{ "name": "somewhere", "private": true }')
  const install = ['install', filename, '--no-audit', '--no-fund', '--ignore-scripts']
  // What the cache of this machine has needs no network.
  await npm([...install, '--offline'], folder).catch(async () => await npm([...install, '--prefer-offline'], folder))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the package, installed into an empty folder', () => {
  it('explains itself', async () => {
    expect((await dale('--help')).stdout).toContain('Usage: dale')
  })

  it('holds no test, no source and no other folder', async () => {
    const { files } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { files: readonly string[] }
    const { stdout } = await npm(['pack', '--dry-run', '--json', '--ignore-scripts'], root)
    const [{ files: packed }] = JSON.parse(stdout) as [{ files: readonly { path: string }[] }]
    const folders = new Set(packed.map(({ path }) => path.split('/')[0]))
    expect([...folders].filter((name) => name !== undefined && !['package.json', ...files].includes(name))).toEqual([])
    expect(packed.map(({ path }) => path).filter((path) => /\.test\.|(?<!\.d)\.ts$/.test(path))).toEqual([])
  })

  it('writes a configuration that it can read', async () => {
    await dale('init')
    const { stdout } = await dale('doctor', '--json')
    const { findings } = JSON.parse(stdout) as { findings: readonly { what: string; state: string }[] }
    expect(findings.filter(({ what }) => what === 'configuration')).toMatchObject([{ state: 'ok' }])
  })

  it('plays the demo: two lines, one effect', async () => {
    const cwd = join(folder, 'demo')
    await mkdir(cwd)
    const demo = spawn(join(folder, 'node_modules', '.bin', 'dale'), ['demo'], {
      cwd,
      env: { ...process.env, PATH },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    demo.stdin.end('abrí un plan de 3 cuotas para el cliente 42\ndale\n')
    expect((await text(demo.stdout)).trimEnd().split('\n').at(-1)).toBe('effects: 1')
  })

  it('plays an example with its own service: an operator’s tap on another phone, one effect', async () => {
    const cwd = join(folder, 'example')
    await mkdir(cwd)
    const demo = spawn(join(folder, 'node_modules', '.bin', 'dale'), ['demo', '--example', 'pedidos'], {
      cwd,
      env: { ...process.env, PATH },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    demo.stdin.end('o pedido 1042 não chegou\nrafa: /confirmar\n')
    const lines = (await text(demo.stdout)).trimEnd().split('\n')
    expect(lines).toContain('bot: Feito: Reenviar o pedido 1042 para Mariana Alves')
    expect(lines.at(-1)).toBe('effects: 1')
  })
})

const underOldNode = oldNode === undefined ? describe.skip : describe
underOldNode(`the package under ${oldNode ?? 'an old Node (left out: there is none here)'}`, () => {
  it('says which Node it needs and ends with 1', async () => {
    const PATH = [dirname(oldNode ?? ''), '/usr/bin', '/bin'].join(delimiter)
    const { code, stderr } = await exec('npx', ['dale', '--help'], { cwd: folder, env: { ...process.env, PATH } }).then(
      () => ({ code: 0, stderr: '' }),
      (error: { readonly code: number; readonly stderr: string }) => error,
    )
    expect(stderr).toMatch(/needs Node 24 or later, and this is v\d+\./)
    expect(code).toBe(1)
  })
})
