/**
 * Everything that must hold before a commit: types, form, what linters know, nothing unused, and the tests. Each part is run even if
 * one before it failed, so that one call tells all. `npm run check -- --without-tests` leaves the tests to whoever runs them.
 */
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const PATH = [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter)

const parts = [
  { name: 'types', command: ['tsc'] },
  { name: 'form', command: ['biome', 'check'] },
  { name: 'lint', command: ['oxlint'] },
  { name: 'unused', command: ['knip'] },
  { name: 'tests', command: [process.execPath, join('scripts', 'test.ts')] },
]

const asked = process.argv.includes('--without-tests') ? parts.filter(({ name }) => name !== 'tests') : parts
const failed = asked.filter(({ name, command: [program = '', ...words] }) => {
  console.log(`\n== ${name}: ${[program, ...words].join(' ')}`)
  const { status, error } = spawnSync(program, words, { cwd: root, stdio: 'inherit', env: { ...process.env, PATH } })
  if (error !== undefined) console.error(error.message)
  return status !== 0
})
console.log(failed.length === 0 ? '\nAll holds.' : `\nDoes not hold: ${failed.map(({ name }) => name).join(', ')}.`)
process.exitCode = failed.length === 0 ? 0 : 1
