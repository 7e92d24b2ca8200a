import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { configFiles } from '../config/load-config.ts'
import { configurationText, environmentText } from './init-texts.ts'
import { answer, type CommonOptions, Failure, newVerb, withJson } from './verb.ts'

/** `dale init`: a first configuration in an empty folder. Nothing that is there is ever written over. */
export const init = (): Command =>
  withJson(
    newVerb('init', 'Write a first configuration and .env.example into a folder. Nothing that is there is written over.', [
      ['dale init', 'here'],
      ['dale init my-gateway', 'in a new folder'],
    ]),
  )
    .argument('[folder]', 'where; it is made if it is not there', '.')
    .action(async (folder: string, options: CommonOptions) => {
      const where = resolve(folder)
      await mkdir(where, { recursive: true })
      const there = await readdir(where)
      const configured = there.find((name) => configFiles.includes(name))
      if (configured !== undefined) throw new Failure(`${join(where, configured)} is there already; nothing was written.`)
      const written = []
      for (const [name, text] of [
        ['dale.config.mts', configurationText],
        ['.env.example', environmentText],
      ] as const)
        if (await writeNew(join(where, name), text)) written.push(name)
      const kept = there.includes('.env.example') ? ['.env.example was there already and stays as it is.'] : []
      answer(options, { folder: where, written }, [
        `Wrote ${written.join(' and ')} in ${where}.`,
        ...kept,
        '',
        ...(await nextSteps(folder, there, where)),
      ])
    })

async function writeNew(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** What to do next; without the package beside it the configuration's import finds nothing. */
async function nextSteps(folder: string, there: readonly string[], where: string): Promise<readonly string[]> {
  if (isCheckout()) return stepsInCheckout(folder)
  const installed =
    there.includes('package.json') && (await readFile(join(where, 'package.json'), 'utf8')).includes('"dale-gateway"')
  return [
    'Next:',
    ...(folder === '.' ? [] : [`  cd ${folder}`]),
    ...(installed ? [] : ['  npm install dale-gateway zod     once, so that the configuration finds what it imports']),
    '  npx dale start               runs it; its first lines say where to try it',
    '  npx dale doctor              looks whether everything around it is fine',
    '',
    'With a Telegram bot: cp .env.example .env, put the token of @BotFather there, and add the account as the configuration shows.',
  ]
}

/** Dale runs from its sources: then nothing is to be installed, and its scripts run it. */
const isCheckout = (): boolean => extname(fileURLToPath(import.meta.url)) === '.ts'

function stepsInCheckout(folder: string): readonly string[] {
  const config = folder === '.' ? '' : ` --config ${join(folder, 'dale.config.mts')}`
  return [
    'Next, at the root of this checkout:',
    `  npm run dale -- start${config}     runs it; its first lines say where to try it`,
    `  npm run dale -- doctor${config}    looks whether everything around it is fine`,
    '',
    'With a Telegram bot: put the token of @BotFather into a file .env there, as .env.example shows, and add the account as the',
    'configuration shows.',
  ]
}
