import { styleText } from 'node:util'
import type { Problem } from '../core/errors.ts'
import { scrub } from '../scrub.ts'
import { Failure } from './verb.ts'

/** What a process ends with. */
export const exitCode = { done: 0, failed: 1, usage: 2 } as const

/** Tells on stderr why a verb failed, for people or (`--json`) for programs, and returns the exit code. */
export function tellFailure(error: unknown, isJson: boolean, level: string | undefined): number {
  const problems = problemsOf(error)
  const code = problems === undefined ? exitCode.failed : exitCode.usage
  if (isJson)
    process.stderr.write(
      `${JSON.stringify(problems === undefined ? { error: messageOf(error) } : { error: 'configuration', problems })}\n`,
    )
  else process.stderr.write(problems === undefined ? `${red('dale:')} ${messageOf(error)}\n` : listed(problems))
  const wantsStack = level === 'debug' || level === 'trace'
  if (wantsStack && error instanceof Error) process.stderr.write(`${scrub(error.stack ?? '')}\n`)
  else if (!isJson && problems === undefined && !(error instanceof Failure))
    process.stderr.write('LOG_LEVEL=debug before the command shows where that came from.\n')
  return code
}

const red = (text: string): string => styleText('red', text, { stream: process.stderr })

/** By name: a configuration may have been made with another copy of this package. */
function problemsOf(error: unknown): readonly Problem[] | undefined {
  if (!(error instanceof Error) || error.name !== 'ConfigError' || !('problems' in error)) return undefined
  return error.problems as readonly Problem[]
}

function listed(problems: readonly Problem[]): string {
  const count = problems.length === 1 ? 'There is a problem' : `There are ${problems.length} problems`
  const lines = problems.map(({ path, message }) => `  ${red('✖')} ${path === '' ? '' : `${path}: `}${message}`)
  return `${count} to solve before this can run:\n${lines.join('\n')}\n`
}

/** What an error says with what its causes say, each once, without secrets. A failure has said it all. */
export function messageOf(error: unknown): string {
  if (error instanceof Failure) return error.message
  const said: string[] = []
  for (let at = error; at !== undefined && said.length < 5; at = at instanceof Error ? at.cause : undefined) {
    const text = textOf(at)
    if (text !== '' && !said.some((earlier) => earlier.includes(text))) said.push(text)
  }
  return scrub(said.join(': '))
}

function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(textOf).join('; ')
  if (error instanceof Error) return error.message
  // PGlite's file system throws plain objects.
  return typeof error === 'object' && error !== null ? JSON.stringify(error) : String(error)
}
