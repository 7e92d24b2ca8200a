import { readWords, Words } from './read-words.ts'
import type { ProgramAsks } from './script.ts'

/** How a program proposes, for who wrote it otherwise. */
export const programForm = '(program proposes ACTION {…} for NAME) and (program proposes ACTION {…} for NAME refused CODE)'

/** Reads `(program …)` without its brackets; undefined when it says nothing that a program can do. Pure. */
export function readProgram(direction: string, line: number): ProgramAsks | undefined {
  const cut = readWords(direction)
  if (!cut.ok) return undefined
  const words = new Words(cut.words)
  const action = words.take('program') && words.take('proposes') ? words.bare() : undefined
  const args = words.json()
  const person = words.take('for') ? words.bare() : undefined
  const isRefused = words.take('refused')
  const refused = isRefused ? words.bare() : undefined
  if (action === undefined || args === undefined || person === undefined) return undefined
  if ((isRefused && refused === undefined) || words.problem !== undefined || !words.isEmpty) return undefined
  return { do: 'program', line, action, args, person, ...(refused === undefined ? {} : { refused }) }
}
