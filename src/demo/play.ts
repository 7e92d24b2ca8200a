import type { Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { plainLines } from '../channels/simulator/render.ts'
import type { House } from '../gateway/house.ts'
import type { ChatEvent, Simulation } from '../ports/simulation.ts'

/** One customer's lines, played against a house at work. */
export interface Script {
  readonly house: House
  readonly simulation: Simulation
  readonly chat: string
  readonly lines: AsyncIterable<string>
  readonly output: Writable
}

/** How often an unfinished house is looked at. */
const lookEveryMs = 25

/**
 * Says each line as a person would: once Dale is quiet, and once the card before it has had its review time. Prints the conversation as
 * plain lines. Resolves when the last line is settled, outcome included.
 */
export async function play({ house, simulation, chat, lines, output }: Script): Promise<void> {
  const stop = simulation.on((event) => print(output, event))
  try {
    for await (const line of lines) {
      if (line.trim() === '') continue
      await untilQuiet(house)
      await untilRead(house, simulation, chat)
      await simulation.says(chat, chat, line)
    }
    await untilQuiet(house)
  } finally {
    stop()
  }
}

/** Waits until nothing is unfinished: no message to handle or to send, no turn, no execution. */
export async function untilQuiet({ store }: House): Promise<void> {
  for (;;) {
    const { inbound, turns, outgoing, executions } = await store.backlog()
    if (inbound + turns + outgoing + executions === 0) return
    await setTimeout(lookEveryMs)
  }
}

/** A card counts as read once its review time is over, in whole seconds. */
async function untilRead({ store, limits }: House, simulation: Simulation, chat: string): Promise<void> {
  const card = simulation.transcript(chat).findLast(({ by, content }) => by.kind === 'account' && content.kind === 'card')
  if (card === undefined) return
  const readAtMs = Math.floor(card.atMs / 1000) * 1000 + Math.ceil(limits.minReviewTextMs / 1000) * 1000
  await setTimeout(Math.max(0, readAtMs - (await store.now())))
}

function print(output: Writable, event: ChatEvent): void {
  switch (event.kind) {
    case 'message':
      return void output.write(`${plainLines(event.entry).join('\n')}\n`)
    case 'edit':
      return void output.write(`${editedLine(event)}\n`)
    case 'answer':
    case 'deleted':
    case 'typing':
      return
  }
}

/** An edited card in one line: what became of it. */
function editedLine({ entry }: Extract<ChatEvent, { kind: 'edit' }>): string {
  const [first = ''] = plainLines(entry)
  return entry.content.kind === 'card' ? `  (#${entry.content.card.code}: ${first.replace(/^bot: /, '')})` : `  (${first})`
}
