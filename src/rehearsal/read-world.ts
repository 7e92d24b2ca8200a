import { readWords, Words } from './read-words.ts'
import type { Doing, World } from './script.ts'

/** How the world is turned, for who wrote it otherwise. */
export const worldForm =
  '(world ACTION {…}), (world ACTION denies "why"), (world ACTION completed "why") and (world ACTION silent)'

/** Values by field, as a preview finds them. */
export function worldOf(words: Words): World | undefined {
  const values = words.json()
  if (values === undefined) return undefined
  const wrong = Object.keys(values).find((key) => !['string', 'number', 'boolean'].includes(typeof values[key]))
  return wrong === undefined ? (values as World) : words.wrong(`${wrong} is a text, a number, true or false`)
}

/** Reads `(world …)` without its brackets; undefined when it says nothing that a world can do. Pure. */
export function readWorld(direction: string, line: number): Extract<Doing, { do: 'world' }> | undefined {
  const cut = readWords(direction)
  if (!cut.ok) return undefined
  const words = new Words(cut.words)
  const action = words.take('world') ? words.bare() : undefined
  if (action === undefined) return undefined
  const turn = turnOf(words)
  return turn === undefined || words.problem !== undefined || !words.isEmpty ? undefined : { do: 'world', line, action, turn }
}

function turnOf(words: Words): Extract<Doing, { do: 'world' }>['turn'] | undefined {
  if (words.take('silent')) return { kind: 'silent' }
  if (words.take('denies')) return { kind: 'denied', message: words.text() ?? '' }
  if (words.take('completed')) return { kind: 'completed', message: words.text() ?? '' }
  const values = worldOf(words)
  return values === undefined ? undefined : { kind: 'reads', values }
}
