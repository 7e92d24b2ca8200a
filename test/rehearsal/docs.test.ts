import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { differenceOf } from '../../src/rehearsal/difference.ts'
import { readScript } from '../../src/rehearsal/read-script.ts'
import { openRehearsalRoom, type RehearsalRoom } from '../../src/rehearsal/rehearse.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'rehearsals.md'), 'utf8')
const examples = [...page.matchAll(/^```chat\n([\s\S]*?)^```$/gm)].map(([, text = '']) => readScript('docs/rehearsals.md', text))

let room: RehearsalRoom
beforeAll(async () => {
  room = await openRehearsalRoom({})
}, 60_000)
afterAll(async () => await room[Symbol.asyncDispose]())

test('the page has examples', () => {
  expect(examples.length).toBeGreaterThan(3)
})

test.each(examples)('$rule', async (script) => {
  expect(differenceOf(await room.rehearse(script))).toEqual([])
})
