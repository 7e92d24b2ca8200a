import { diff } from 'node:util'
import type { Rehearsed } from './rehearse.ts'

const around = 3

/** One line of a difference: what the file says (`-`), what came (`+`), or what both have. `line` counts in the file, from 1. */
interface Line {
  readonly sign: ' ' | '-' | '+'
  readonly line: number
  readonly text: string
}

/** A played file against what it says, as a reader wants it: the lines that differ with those around them. Empty where none does. */
export function differenceOf({ before, after }: Pick<Rehearsed, 'before' | 'after'>): readonly string[] {
  const lines = numbered(before, after)
  const near = new Set(
    lines.flatMap(({ sign }, index) =>
      sign === ' ' ? [] : Array.from({ length: 2 * around + 1 }, (_, at) => index - around + at),
    ),
  )
  const width = String(before.length).length
  const printed: string[] = []
  let last: number | undefined
  for (const [index, { sign, line, text }] of lines.entries()) {
    if (!near.has(index)) continue
    if (last !== undefined && index > last + 1) printed.push(`  ${' '.repeat(width)} ⋮`)
    printed.push(`${sign} ${sign === '+' ? ' '.repeat(width) : String(line).padStart(width)} ${text}`.trimEnd())
    last = index
  }
  return printed
}

function numbered(before: readonly string[], after: readonly string[]): readonly Line[] {
  let line = 1
  return diff([...after], [...before]).map(([which, text]) => {
    const at = which === 1 ? line : line++
    return { sign: which === 0 ? ' ' : which === 1 ? '+' : '-', line: at, text }
  })
}
