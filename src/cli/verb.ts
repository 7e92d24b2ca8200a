import { Command } from 'commander'

/**
 * Builds one verb, `dale <verb>`, anew at each call. Its file imports only what its help needs; what the work needs, the action imports
 * when it runs, so that no verb makes another one slow.
 */
export type Verb = () => Command

/** What every verb takes. */
export interface CommonOptions {
  /** Answer for programs: one JSON value on stdout, or one a line where a verb goes on. */
  readonly json?: true
}

/** What a verb takes that reads the configuration file. */
export interface ConfiguredOptions extends CommonOptions {
  /** The file, from the working directory; without it the `dale.config.*` that is there. */
  readonly config?: string
}

/** What was asked did not happen, for a reason that can be told: the process ends with 1, without a stack trace. */
export class Failure extends Error {
  override readonly name = 'Failure'
}

/** One line to copy, and what it does. */
export type Example = readonly [line: string, does: string]

/** A verb with one sentence about it and lines to copy; its arguments and options are the caller's to add. */
export function newVerb(name: string, about: string, examples: readonly Example[] = []): Command {
  // A list of verbs has room for what comes before the first stop.
  const command = new Command(name).description(about).summary(about.split(/[:;.](?:\s|$)/)[0] ?? about)
  const width = Math.max(0, ...examples.map(([line]) => line.length))
  const lines = examples.map(([line, does]) => `  ${line.padEnd(width)}   ${does}`)
  return lines.length === 0 ? command : command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`)
}

/** Adds `--json`. */
export const withJson = (command: Command): Command => command.option('--json', 'answer in JSON, for programs')

/** Adds `--config` and `--json`. */
export const withConfig = (command: Command): Command =>
  withJson(command.option('--config <path>', 'the configuration file (default: dale.config.mts, .ts, .mjs or .js here)'))

/** Prints an answer: the value for programs, the lines for people. */
export function answer({ json }: CommonOptions, value: unknown, lines: readonly string[]): void {
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : lines.map((line) => `${line}\n`).join(''))
}
