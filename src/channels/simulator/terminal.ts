import * as readline from 'node:readline'
import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { styleText } from 'node:util'
import type { ChatEvent, Entry, Place, Simulation } from '../../ports/simulation.ts'
import type { Texts } from '../../ports/texts.ts'
import { readCommand } from './command.ts'
import { controlsOf, linesByPart, nameOf, plainLines, renderLines } from './render.ts'

/** A person's chat in a terminal. `output` may be a TTY: then there are colours, a prompt, and the typed line is not printed again. */
export interface TerminalChat {
  readonly simulation: Simulation
  readonly place: Place
  readonly person: string
  readonly locale: string
  readonly say: Texts['say']
  readonly input: Readable
  readonly output: Writable & { readonly isTTY?: boolean }
  /** What Dale is called. */
  readonly account?: string
}

type Style = Parameters<typeof styleText>[0]

/** Shows the chat and does what is typed, line by line, until the input ends or `/quit`. */
export async function terminalChat({
  simulation,
  place,
  person,
  locale,
  say,
  input,
  output,
  account = 'bot',
}: TerminalChat): Promise<void> {
  const isTTY = output.isTTY === true
  const rl = createInterface({ input, output, terminal: isTTY, prompt: isTTY ? `${person}: ` : '' })
  const styled = (style: Style, text: string) => styleText(style, text, { stream: output })

  // A line that arrives while a person types goes above what is typed so far.
  const print = (lines: readonly string[]) => {
    if (isTTY) {
      readline.cursorTo(output, 0)
      readline.clearScreenDown(output)
    }
    output.write(lines.map((line) => `${line}\n`).join(''))
    if (isTTY) rl.prompt(true)
  }

  const show = (entry: Entry) => {
    if (isTTY && entry.by.kind === 'person' && entry.by.person === person) return
    const [first = '', ...more] = styledLines(entry, account, styled)
    const name = `${nameOf(entry.by, account)}:`
    const keys = controlsOf(entry.content).map(({ label, code }, index) => `/${index + 1} ${label} #${code}`)
    print([
      `${styled(entry.by.kind === 'account' ? 'green' : 'cyan', name)}${first}`,
      ...more,
      ...(isTTY && keys.length > 0 ? [styled('dim', `  ${keys.join(' · ')}`)] : []),
    ])
  }

  const { chat, topic } = typeof place === 'string' ? { chat: place } : place
  const tell = (event: ChatEvent) => {
    if (event.conversation.chat !== chat || event.conversation.topic !== topic) return
    switch (event.kind) {
      case 'message':
        return show(event.entry)
      case 'edit':
        return print(editedLines(event.entry, account).map((line) => styled('dim', line)))
      case 'answer':
        if (event.person === person && event.text !== '') print([styled('dim', `· ${event.text}`)])
        return
      case 'deleted':
      case 'typing':
        return
    }
  }

  const stop = simulation.on(tell)
  rl.on('SIGINT', () => rl.close())
  if (isTTY) rl.prompt()
  try {
    for await (const line of rl) {
      const command = readCommand(line, simulation.transcript(place))
      switch (command.kind) {
        case 'say':
          await simulation.says(place, person, command.text)
          break
        case 'press': {
          const pressed = await simulation.presses(place, person, command.messageId, command.label)
          if (pressed.kind === 'no_control') print([styled('dim', say(locale, 'terminal.no_control'))])
          break
        }
        case 'help':
          print(say(locale, 'terminal.help').split('\n'))
          break
        case 'unknown':
          print([styled('dim', say(locale, 'terminal.unknown', { word: command.word }))])
          break
        case 'quit':
          return
        case 'nothing':
          if (isTTY) rl.prompt()
      }
    }
  } finally {
    stop()
    rl.close()
  }
}

/** An entry's lines without the name in front: a card's summary stands out, and on a card of high severity what is said above it too. */
function styledLines(entry: Entry, account: string, styled: (style: Style, text: string) => string): readonly string[] {
  const { content } = entry
  const [first = '', ...more] = plainLines(entry, account)
  const rest = first.slice(`${nameOf(entry.by, account)}:`.length)
  if (content.kind === 'notice') return [styled('dim', rest), ...more]
  if (content.kind !== 'card') return [rest, ...more]
  return linesByPart(content.card).map(({ part, text }, index) => {
    const line = `${index === 0 ? ' ' : '  '}${text}`
    if (part === 'summary') return styled('bold', line)
    return part === 'head' && content.card.severity === 'high' ? styled(['bold', 'yellow'], line) : line
  })
}

/** What an edit is worth telling in a terminal, which cannot change what it printed: a card's new state, else the whole of it. */
function editedLines(entry: Entry, account: string): readonly string[] {
  const states = entry.content.kind === 'card' ? entry.content.card.lines.filter(({ part }) => part === 'state') : []
  if (entry.content.kind !== 'card' || states.length === 0)
    return plainLines(entry, account).map((line, index) => (index === 0 ? `✎ ${line}` : line))
  return [`✎ ${renderLines({ kind: 'card', card: { ...entry.content.card, lines: states, controls: [] } }).join('  ')}`]
}
