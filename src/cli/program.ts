import { existsSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { channel } from './channel.ts'
import { demo } from './demo.ts'
import { doctor } from './doctor.ts'
import { exitCode, tellFailure } from './failure.ts'
import { grants } from './grants.ts'
import { halt, resume } from './halt.ts'
import { init } from './init.ts'
import { keys } from './keys.ts'
import { mcp } from './mcp.ts'
import { memory } from './memory.ts'
import { migrate } from './migrate.ts'
import { openapi } from './openapi.ts'
import { pair } from './pair.ts'
import { people } from './people.ts'
import { policy } from './policy.ts'
import { proposals } from './proposals.ts'
import { rehearse } from './rehearse.ts'
import { report } from './report.ts'
import { start } from './start.ts'
import type { Verb } from './verb.ts'
import { versionOf } from './version.ts'
import { vocabulary } from './vocabulary.ts'
import { webhooks } from './webhooks.ts'
import { worker } from './worker.ts'

const verbs: readonly Verb[] = [
  demo,
  init,
  start,
  worker,
  migrate,
  pair,
  doctor,
  proposals,
  halt,
  resume,
  people,
  memory,
  keys,
  webhooks,
  openapi,
  grants,
  policy,
  report,
  channel,
  rehearse,
  vocabulary,
  mcp,
]

/** Runs one command line and resolves to its exit code: 0 done, 1 it failed, 2 it was asked wrongly or the configuration is wrong. */
export async function dale(args: readonly string[]): Promise<number> {
  try {
    const program = programOf()
    await program.parseAsync([...args], { from: 'user' })
    return Number(process.exitCode ?? exitCode.done)
  } catch (error) {
    // Commander has told what is wrong, or printed the help, before it throws.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.usage
    return tellFailure(error, args.includes('--json'), process.env.LOG_LEVEL)
  }
}

/** Runs one command line as this process, which ends with it. `.env` of the working directory is read; the environment wins over it. */
export async function main(args: readonly string[]): Promise<never> {
  // Whoever reads the output may stop reading: head does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? exitCode.done : exitCode.failed),
  )
  if (existsSync('.env')) process.loadEnvFile('.env')
  const code = await dale(args)
  // What was printed must be out before the process ends: a pipe takes it later on some systems.
  await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((written) => stream.write('', written))))
  process.exit(code)
}

function programOf(): Command {
  const program = new Command('dale')
    .description('Dale stands between a chat, an AI agent and an action: nothing runs until a person says so.')
    .version(versionOf(), '-V, --version')
    .addHelpText('after', firstSteps)
  for (const verb of verbs) program.addCommand(verb())
  for (const command of [program, ...descendantsOf(program)])
    command
      .exitOverride()
      .showSuggestionAfterError()
      .showHelpAfterError(`(${pathOf(command)} --help tells how)`)
  return program
}

const firstSteps = `
First steps:
  dale demo                 one conversation in this terminal, with nothing to set up
  dale init                 writes a configuration that runs, into an empty folder
  dale start                runs it: chats come in, cards go out, actions run once a person said so

In trouble:
  dale doctor               looks at everything around Dale and says what to do
  dale proposals list       what waits, and for whom
  dale halt all --by NAME   stops every action that has not begun

A .env in the working directory is read. Exit codes: 0 done, 1 it failed, 2 it was asked wrongly or the configuration is wrong.`

const descendantsOf = (command: Command): readonly Command[] =>
  command.commands.flatMap((child) => [child, ...descendantsOf(child)])

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
