import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const tests = (readdirSync(root, { recursive: true, encoding: 'utf8' }) as readonly string[]).filter(
  (path) => path.endsWith('.test.ts') || path.startsWith('contracts/'),
)
const written = tests
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n')

describe('a case from outside', () => {
  it.each(['approvals', 'queue', 'telegram', 'whatsapp-cloud', 'whatsapp-baileys'])(
    'of %s.json is named by a test, every one',
    (file) => {
      const cases = JSON.parse(readFileSync(join(root, 'fixtures/cases', `${file}.json`), 'utf8')) as readonly {
        readonly id: string
      }[]
      expect(cases.length).toBeGreaterThan(0)
      expect(cases.map(({ id }) => id).filter((id) => !written.includes(id))).toEqual([])
    },
  )
})
