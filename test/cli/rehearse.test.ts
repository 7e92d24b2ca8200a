import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dale-rehearse-'))
})
afterAll(async () => await rm(folder, { recursive: true }))

function dale(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const command = [join(root, 'src', 'cli', 'dale.ts'), 'rehearse', ...args]
  return new Promise((resolve) =>
    execFile(process.execPath, ['--conditions=dale-source', ...command], { cwd: folder }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    ),
  )
}

const file = async (name: string, ...lines: readonly string[]): Promise<string> => {
  await writeFile(join(folder, name), `${lines.join('\n')}\n`)
  return name
}

const head = ['# A yes runs it.', 'locale es', 'agent "plan" proposes abrir_plan {"cuotas":3}', '']
const right = [
  ...head,
  'ana: un plan',
  'bot: abrir plan … #K7Q2',
  'ana: dale',
  'bot: Recibido, ya me ocupo.  #K7Q2',
  'bot: Hecho: abrir plan  #K7Q2',
  'effects: 1',
]

test('files that come as they say end with 0, one that does not with 1 and a difference', async () => {
  const [good, bad] = [await file('good.chat', ...right), await file('bad.chat', ...right.with(-1, 'effects: none'))]
  const [all, one] = await Promise.all([dale(good, bad), dale(good)])
  expect(one).toMatchObject({ code: 0, err: '' })
  expect(one.out).toMatch(/^✔ good\.chat {2}A yes runs it\. \(\d+ ms\)\n$/)
  expect(all).toMatchObject({ code: 1, err: '' })
  expect(all.out).toContain('✖ bad.chat  A yes runs it.')
  expect(all.out).toContain('    +    effects: abrir_plan {"cuotas":3}\n    - 10 effects: none\n')
  expect(all.out).toContain('1 of 2 came otherwise')
}, 60_000)

test('a file that cannot be read ends with 2 and every mistake, before anything is played', async () => {
  const { code, out, err } = await dale(
    await file('good.chat', ...right),
    await file('broken.chat', ...head, '(soon)'),
    'nowhere.chat',
  )
  expect(code).toBe(2)
  expect(out).toBe('')
  expect(err).toContain('broken.chat:5: (soon) is no direction')
  expect(err).toContain('nowhere.chat: ENOENT')
}, 60_000)

test('for programs it is a line of JSON a file, and --update writes what came', async () => {
  const name = await file('new.chat', ...head, 'ana: un plan', 'ana: dale')
  const { code, out } = await dale('--json', '--update', name)
  expect(code).toBe(0)
  const { difference: _, tookMs: __, ...told } = JSON.parse(out)
  const written = await readFile(join(folder, name), 'utf8')
  const [, played = ''] = /#(\w{4})/.exec(written) ?? []
  expect(told).toEqual({
    file: 'new.chat',
    rule: 'A yes runs it.',
    ok: false,
    written: true,
    roads: ['converse', 'decide'],
    proposals: [{ code: played, state: 'succeeded', decisions: [{ person: 'ana', verdict: 'approve', via: 'phrase' }] }],
    effects: [{ action: 'abrir_plan', args: { cuotas: 3 } }],
  })
  expect(written.split('\n').slice(4)).toEqual([
    'ana: un plan',
    `bot: abrir plan … [Confirmar] [Cancelar]  #${played}`,
    'ana: dale',
    `bot: Recibido, ya me ocupo.  #${played}`,
    `bot: Hecho: abrir plan  #${played}`,
    '',
  ])
}, 60_000)

test('a configuration is played with its actions only counted', async () => {
  const from = (path: string) => JSON.stringify(join(root, 'src', path))
  const zod = JSON.stringify(join(root, 'node_modules', 'zod', 'index.js'))
  await file(
    'dale.config.mts',
    `import { z } from ${zod}`,
    `import { defineAction, defineConfig, scriptedAgent } from ${from('index.ts')}`,
    `const pay = defineAction({ name: 'pay', version: '1', description: 'Pays.', input: z.object({ amount: z.number() }), reversibility: 'observed',`,
    `  preview: ({ amount }) => ({ summary: 'Pay ' + amount, fields: [] }), execute: async () => { throw new Error('this pays') } })`,
    `export default defineConfig({ accounts: { bot: { channel: 'telegram', mode: 'polling' } }, actions: [pay],`,
    `  agent: scriptedAgent([{ when: 'pay {amount:number}', propose: { action: 'pay', args: { amount: '{amount}' } } }]) })`,
  )
  const name = await file(
    'pay.chat',
    '# A yes pays.',
    'ana: pay 100',
    'bot: Pay 100 … #K7Q2',
    'ana: yes',
    'bot: …',
    'bot: Done: Pay 100  #K7Q2',
    'effects: pay {"amount":100}',
  )
  expect(await dale('--config', 'dale.config.mts', name)).toMatchObject({ code: 0, err: '' })
}, 60_000)
