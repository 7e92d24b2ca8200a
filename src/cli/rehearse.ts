import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { styleText } from 'node:util'
import type { Rehearsed } from '../rehearsal/rehearse.ts'
import type { Against } from '../rehearsal/rehearsed-config.ts'
import type { Script } from '../rehearsal/script.ts'
import { type ConfiguredOptions, newVerb, type Verb, withJson } from './verb.ts'

interface RehearseOptions extends ConfiguredOptions {
  /** Write what came into the files. */
  readonly update?: true
}

/** `dale rehearse FILE…`: plays `.chat` files and tells what came otherwise than they say. Ends with 1 where anything did. */
export const rehearse: Verb = () =>
  withJson(
    newVerb(
      'rehearse',
      'Play conversations (.chat files) and print what came otherwise than they say. Nothing is done for real.',
      [
        ['dale rehearse chats/*.chat', 'each by itself: agent and actions are what the file says'],
        ['dale rehearse --config dale.config.mts chats/*.chat', 'against a configuration; its actions are only counted'],
        ['dale rehearse --update chats/new.chat', 'write what came into the file, to be read and kept'],
      ],
    ),
  )
    .argument('<files...>', 'conversations; docs/rehearsals.md tells how they are written')
    .option('--config <path>', 'a configuration whose agent, actions, people and policies are played')
    .option('--update', 'write what came into the files instead of comparing')
    .action(async (files: readonly string[], options: RehearseOptions) => await run(files, options))

async function run(files: readonly string[], options: RehearseOptions): Promise<void> {
  const [{ openRehearsalRoom }, { differenceOf }] = await Promise.all([
    import('../rehearsal/rehearse.ts'),
    import('../rehearsal/difference.ts'),
  ])
  const scripts = await readAll(files)
  const against = options.config === undefined ? undefined : await loadedFrom(options.config)
  await using room = await openRehearsalRoom(process.env)
  let differing = 0
  for (const script of scripts) {
    const played = await room.rehearse(script, { against, style: options.update ? 'brief' : 'whole' })
    const isWritten = options.update === true && !played.isSame
    if (isWritten) await writeFile(script.file, `${played.after.join('\n')}\n`)
    else if (!played.isSame) differing += 1
    print(played, differenceOf(played), isWritten, options)
  }
  if (!options.json) process.stdout.write(summaryOf(files.length, differing))
  if (differing > 0) process.exitCode = 1
}

/** All files are read before any is played, so that every mistake in them is told at once. */
async function readAll(files: readonly string[]): Promise<readonly Script[]> {
  const [{ readScript }, { ConfigError }] = await Promise.all([
    import('../rehearsal/read-script.ts'),
    import('../core/errors.ts'),
  ])
  const problems: { readonly path: string; readonly message: string }[] = []
  const scripts: Script[] = []
  for (const file of files) {
    try {
      scripts.push(readScript(file, await readFile(file, 'utf8')))
    } catch (error) {
      if (error instanceof ConfigError) problems.push(...error.problems)
      else problems.push({ path: file, message: error instanceof Error ? error.message : String(error) })
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return scripts
}

async function loadedFrom(path: string): Promise<Against> {
  const { loadConfig } = await import('../config/load-config.ts')
  const { input } = await loadConfig(process.cwd(), path)
  return { input: input as Against['input'], cwd: resolve('.') }
}

function print(played: Rehearsed, difference: readonly string[], isWritten: boolean, { json }: RehearseOptions): void {
  const { file, rule, isSame, verdicts, tookMs } = played
  if (json) {
    process.stdout.write(
      `${JSON.stringify({ file, rule, ok: isSame, ...(isWritten ? { written: true } : {}), difference, ...verdicts, tookMs })}\n`,
    )
    return
  }
  const mark = isSame ? styled('green', '✔') : isWritten ? styled('yellow', '✎') : styled('red', '✖')
  process.stdout.write(`${mark} ${file}  ${rule} ${styled('dim', `(${tookMs} ms)`)}\n`)
  if (isSame || isWritten) return
  process.stdout.write(`${difference.map((line) => `    ${coloured(line)}\n`).join('')}\n`)
}

function coloured(line: string): string {
  if (line.startsWith('-')) return styled('red', line)
  return line.startsWith('+') ? styled('green', line) : line
}

const summaryOf = (files: number, differing: number): string =>
  differing === 0 ? '' : `\n${differing} of ${files} came otherwise: - is what the file says, + is what came.\n`

const styled = (style: Parameters<typeof styleText>[0], text: string): string =>
  styleText(style, text, { stream: process.stdout })
