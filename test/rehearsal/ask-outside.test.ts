import { afterAll, beforeAll, expect, test } from 'vitest'
import { readScript } from '../../src/rehearsal/read-script.ts'
import { openRehearsalRoom, type RehearsalRoom } from '../../src/rehearsal/rehearse.ts'

let room: RehearsalRoom
beforeAll(async () => {
  room = await openRehearsalRoom({})
}, 60_000)
afterAll(async () => await room[Symbol.asyncDispose]())

const played = async (direction: string) => {
  const lines = ['# A rule.', 'action pay reversible fields amount', 'ana: hello', 'agent: (the model answers)', direction]
  return (await room.rehearse(readScript('x.chat', `${lines.join('\n')}\n`))).after.slice(5)
}

test('a program that got a card where the file says that it is refused is a difference', async () => {
  const [cannot, card] = await played('(program proposes pay {"amount":1} for ana refused slot_busy)')
  expect(cannot).toMatch(/^\(cannot: the program was not refused: it has #[0-9A-Z]{4}\)$/)
  expect(card).toBe('bot: pay')
})

test('a program that was refused where the file says that it got a card is a difference', async () => {
  expect(await played('(program proposes pay {"sum":1} for ana)')).toEqual(['(cannot: the program was refused: invalid_args)'])
})
