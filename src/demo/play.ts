import type { Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { readCommand } from '../channels/simulator/command.ts'
import { plainLines } from '../channels/simulator/render.ts'
import type { House } from '../gateway/house.ts'
import type { ChatEvent, Simulation } from '../ports/simulation.ts'

/** People's lines, played against a house at work. Each person is in a chat of their own; the first one's lines need no name. */
export interface Script {
  readonly house: House
  readonly simulation: Simulation
  readonly people: readonly string[]
  readonly lines: AsyncIterable<string>
  readonly output: Writable
}

/** How often an unfinished house is looked at. */
const lookEveryMs = 25

/**
 * Says each line as a person would: once Dale is quiet, and once the card before it has had its review time. `beto: dale` is somebody
 * else's, and `/confirmar` taps a control, as in the terminal. Prints the conversation as plain lines. Resolves when the last line is
 * settled, outcome included.
 */
export async function play({ house, simulation, people, lines, output }: Script): Promise<void> {
  const [first = ''] = people
  const stop = simulation.on((event) => print(output, event, first))
  try {
    for await (const line of lines) {
      const { person, text } = spokenBy(line, people)
      await untilQuiet(house)
      const command = readCommand(text, simulation.transcript(person))
      if (command.kind === 'nothing') continue
      await untilRead(house, simulation, person)
      if (command.kind === 'press') {
        output.write(`${person}: [${command.label.replace(/ #\w{4}$/, '')}]\n`)
        await simulation.presses(person, person, command.messageId, command.label)
      } else await simulation.says(person, person, text)
    }
    await untilQuiet(house)
  } finally {
    stop()
  }
}

/** Whose line it is: whoever is named in front of it, else the first. */
function spokenBy(line: string, people: readonly string[]): { readonly person: string; readonly text: string } {
  const [, name = '', rest = ''] = /^(\w+): *(.*)$/.exec(line) ?? []
  return people.includes(name) ? { person: name, text: rest } : { person: people[0] ?? '', text: line }
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

/** Another chat than the first one's is told by its name. */
function print(output: Writable, event: ChatEvent, first: string): void {
  const { chat } = event.conversation
  const account = chat === first ? 'bot' : `bot@${chat}`
  switch (event.kind) {
    case 'message':
      return void output.write(`${plainLines(event.entry, account).join('\n')}\n`)
    case 'edit':
      return void output.write(`${editedLine(event, account)}\n`)
    case 'answer':
    case 'deleted':
    case 'typing':
      return
  }
}

/** An edited card in one line: what became of it. */
function editedLine({ entry }: Extract<ChatEvent, { kind: 'edit' }>, account: string): string {
  const [first = ''] = plainLines(entry, account)
  return entry.content.kind === 'card' ? `  (#${entry.content.card.code}: ${first.replace(`${account}: `, '')})` : `  (${first})`
}
