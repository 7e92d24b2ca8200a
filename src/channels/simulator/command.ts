import type { Entry } from '../../ports/simulation.ts'
import { controlsOf } from './render.ts'

/** What a line typed into the terminal asks for. */
export type Command =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'press'; readonly messageId: string; readonly label: string }
  | { readonly kind: 'help' }
  | { readonly kind: 'quit' }
  | { readonly kind: 'nothing' }
  /** It begins with `/` and is no control of the chat. */
  | { readonly kind: 'unknown'; readonly word: string }

/**
 * Reads one typed line. `/2` and `/cancelar` press a control of the newest message that has any, `/1 #K7Q2` one of that card;
 * everything that does not begin with `/` is said as it is, for words decide too. Pure.
 */
export function readCommand(line: string, entries: readonly Entry[]): Command {
  const text = line.trim()
  if (text === '') return { kind: 'nothing' }
  if (!text.startsWith('/')) return { kind: 'say', text: line }
  const word = text.slice(1)
  if (word === 'help' || word === '?') return { kind: 'help' }
  if (word === 'quit' || word === 'exit') return { kind: 'quit' }
  return pressOf(word, entries) ?? { kind: 'unknown', word: text }
}

function pressOf(word: string, entries: readonly Entry[]): Command | undefined {
  const [, which = '', code] = /^(.+?)(?:\s+#(\w{4}))?$/u.exec(word) ?? []
  const wanted = code?.toUpperCase()
  const message = entries.findLast(({ content }) =>
    controlsOf(content).some((control) => wanted === undefined || control.code === wanted),
  )
  if (message === undefined) return undefined
  const controls = controlsOf(message.content).filter((control) => wanted === undefined || control.code === wanted)
  const control = /^\d{1,2}$/.test(which)
    ? controls[Number(which) - 1]
    : controls.find(({ label }) => label.toLowerCase() === which.toLowerCase())
  return control && { kind: 'press', messageId: message.id, label: `${control.label} #${control.code}` }
}
