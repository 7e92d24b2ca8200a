import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'

const sourceOf = (path: string) => new URL(`../../src/${path}`, import.meta.url).href

interface Case {
  readonly files: Readonly<Record<string, string>>
  readonly path?: string
  readonly says: string | RegExp
}

const cases: Readonly<Record<string, Case>> = {
  'runs a TypeScript file without a build': {
    files: { 'dale.config.mts': 'const tenant: string = "a"\nexport default { tenant }' },
    says: '{"tenant":"a"}',
  },
  'runs the file that is named': {
    files: { 'dale.config.mts': 'export default {}', 'other.mjs': 'export default { tenant: "b" }' },
    path: 'other.mjs',
    says: '{"tenant":"b"}',
  },
  'takes what a CommonJS file exports': {
    files: { 'dale.config.js': 'module.exports = { tenant: "c" }', 'package.json': '{"type":"commonjs"}' },
    says: '{"tenant":"c"}',
  },
  'refuses a file that is not there': { files: {}, path: 'nope.mts', says: 'ConfigError: nope.mts: there is no such file' },
  'refuses two files': {
    files: { 'dale.config.mts': '', 'dale.config.js': '' },
    says: /there are dale\.config\.mts and dale\.config\.js: keep one/,
  },
  'refuses a file that exports nothing': {
    files: { 'dale.config.mts': 'export const config = {}' },
    says: /^ConfigError: dale\.config\.mts: exports no configuration/,
  },
  'explains TypeScript that Node cannot strip': {
    files: { 'dale.config.mts': 'enum A { B }\nexport default {}' },
    says: /uses TypeScript that Node cannot strip/,
  },
  'explains TypeScript that is none': { files: { 'dale.config.mts': 'export default {{' }, says: /is not valid TypeScript/ },
  'explains a module that is missing': {
    files: { 'dale.config.mts': 'import "./actions"\nexport default {}' },
    says: /imports what is not there: .*write the file with its ending/,
  },
  'tells what a file threw': {
    files: { 'dale.config.mjs': 'throw new Error("no stock")' },
    says: 'ConfigError: dale.config.mjs: threw while it was loaded: no stock',
  },
  'explains an ES module under "type": "commonjs"': {
    files: { 'dale.config.ts': 'import "node:fs"\nexport default {}', 'package.json': '{"type":"commonjs"}' },
    says: /call it dale\.config\.mts/,
  },
  'hands on the problems of a definition inside the file': {
    files: {
      'dale.config.mts': `import { defineAction } from '${sourceOf('actions/define-action.ts')}'\nexport default { actions: [defineAction({ name: 'X' })] }`,
    },
    says: /^ConfigError: X\.name: use small letters/,
  },
}

describe('loadConfig', () => {
  const root = mkdtempSync(join(tmpdir(), 'dale-load-'))
  let said: readonly string[] = []

  // In a Node of its own: what is tested is what Node itself says about a file.
  beforeAll(async () => {
    const asked = Object.values(cases).map(({ files, path }, index) => {
      const folder = join(root, String(index))
      mkdirSync(folder)
      for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
      return { folder, path }
    })
    const script = `
      const { loadConfig } = await import(${JSON.stringify(sourceOf('config/load-config.ts'))})
      const said = []
      for (const { folder, path } of ${JSON.stringify(asked)}) {
        const answer = loadConfig(folder, path).then(({ input }) => JSON.stringify(input), (error) => error.name + ': ' + error.message)
        said.push((await answer).replaceAll(folder + '/', ''))
      }
      console.log(JSON.stringify(said))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', '--input-type=module', '--eval', script])
    said = JSON.parse(stdout)
  })
  afterAll(() => rmSync(root, { recursive: true }))

  it.each(Object.entries(cases).map(([name, { says }], index) => [name, says, index] as const))('%s', (_, says, index) => {
    expect(said[index]).toEqual(typeof says === 'string' ? says : expect.stringMatching(says))
  })

  it('says what a folder without a configuration needs', async () => {
    await expect(loadConfig('/nowhere')).rejects.toThrow(
      '/nowhere: there is no dale.config.mts, dale.config.ts, dale.config.mjs, dale.config.js here; dale init writes one',
    )
  })
})
