// What the documents say is held to what there is: links, configurations, the talk in the README, and the tables of names.
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { lifecycle } from '../src/core/lifecycle.ts'

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')

const documents = ['*.md', 'docs/**/*.md', 'examples/*/README.md'].flatMap((pages) => globSync(pages, { cwd: root }))
const readme = textOf('README.md')
const operating = textOf('docs/operating.md')
const glossary = textOf('GLOSSARY.md')

const prose = (document: string): string => document.replaceAll(/^```[\s\S]*?^```$/gm, '')
const unique = (found: Iterable<RegExpMatchArray>): readonly string[] =>
  [...new Set([...found].map(([, name = '']) => name))].sort()

/** The first cells of the table under a heading, without their quotes. */
function firstCells(document: string, heading: string): readonly string[] {
  const [, section = ''] = document.split(new RegExp(`^## ${heading}$`, 'm'))
  const rows = section.split(/^## /m)[0]?.matchAll(/^\| (`[^|]+) \|/gm) ?? []
  return [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
}

/** A heading as the address that links to it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .trim()
    .replaceAll(' ', '-')
const anchorsOf = (path: string): readonly string[] =>
  [...prose(textOf(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

describe('links', () => {
  test.each(documents)('%s leads only to what is there', (document) => {
    const targets = unique(prose(textOf(document)).matchAll(/\]\(([^)\s]+)\)/g)).filter((target) => !/^https?:/.test(target))
    const lost = targets.filter((target) => {
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? document : relative(root, join(root, dirname(document), path))
      if (!existsSync(join(root, file))) return true
      return anchor !== undefined && !anchorsOf(file).includes(anchor)
    })
    expect(lost).toEqual([])
  })

  test('the README leads to every page, and to the picture of a proposal’s life', () => {
    const pages = [...globSync('docs/*.{md,mmd}', { cwd: root }), 'GLOSSARY.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'LICENSE']
    expect(pages.filter((page) => !readme.includes(`](${page})`))).toEqual([])
  })

  test('every decision has a number of its own', () => {
    const numbers = globSync('docs/decisions/*.md', { cwd: root }).map((path) => /(\d{4})-[^/]+$/.exec(path)?.[1])
    expect(numbers.filter((number, at) => number === undefined || numbers.indexOf(number) !== at)).toEqual([])
  })
})

// Each waits for processes that mostly wait themselves: side by side.
describe.concurrent('what the README says to write and to run', { timeout: 120_000 }, () => {
  const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  // Inside the checkout, where the package finds itself by its own name.
  mkdirSync(join(root, '.cache'), { recursive: true })
  const folder = mkdtempSync(join(root, '.cache', 'docs-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  for (const [at, block] of blocks.entries()) writeFileSync(join(folder, `readme-${at}.mts`), block)

  test('has types that fit', async () => {
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['*.mts'] }))
    const { stdout } = await run(join(root, 'node_modules', '.bin', 'tsc'), ['--project', folder]).catch(
      (error: { readonly stdout: string }) => error,
    )
    expect(stdout).toBe('')
  })

  test('starts, and can be talked to: a card, a yes, and it is done', async () => {
    const talk = await inAProcess(talking(join(folder, 'readme-0.mts')))
    const lines = talk.replaceAll(/#\w{4}/g, '#CODE').split('\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        'bot: Book a table for 4, tonight at nine',
        '  People: 4',
        'bot: Done: Book a table for 4, tonight at nine',
        '  A table for 4 is yours.  #CODE',
      ]),
    )
  })

  test('is right, once what it names is in the environment', async () => {
    expect(await inAProcess(checking(join(folder, 'readme-1.mts')))).toBe('right\n')
  })

  test('prints the talk that stands there', async () => {
    const [, command = '', printed = ''] = /^```sh\n(printf [^\n]+)\n```\n\n```text\n([\s\S]*?)```$/m.exec(readme) ?? []
    const { stdout } = await run('sh', ['-c', command], { cwd: root })
    const comparable = (talk: string) => talk.replaceAll(/#\w{4}/g, '#CODE').replaceAll(/Waits \d+ min/g, 'Waits N min')
    expect(comparable(stdout)).toBe(comparable(printed))
  })
})

describe('docs/operating.md', { timeout: 60_000 }, () => {
  test('names the variables that the environment is read for, and no others', () => {
    const [, schema = ''] = /^const schema = z\.object\(\{([\s\S]*?)^\}\)/m.exec(textOf('src/config/environment.ts')) ?? []
    expect([...firstCells(operating, 'Environment')].sort()).toEqual(unique(schema.matchAll(/^ {2}([A-Z_]+):/gm)))
  })

  test('names the variables that an account reads unless told otherwise, and no unknown one', () => {
    const defaults = unique(textOf('src/config/config-schema.ts').matchAll(/variableName\.default\('([A-Z_]+)'\)/g))
    const known = [...firstCells(operating, 'Environment'), ...defaults].sort()
    expect(unique(operating.matchAll(/`([A-Z]+_[A-Z_]+)`/g))).toEqual(known.filter((name) => name.includes('_')))
  })

  test('tells what every counter counts', () => {
    const counted = globSync(['src/**/*.ts', 'workers/*.ts'], { cwd: root }).flatMap((path) =>
      unique(textOf(path).matchAll(/\bcount\('(\w+)'/g)),
    )
    const told = firstCells(operating, 'Metrics')
    expect(counted.map((what) => `dale_${what}_total`).filter((name) => !told.includes(name))).toEqual([])
  })

  test('names every verb, and no document names one that is not there', async () => {
    const verbs = commandsIn(await dale(['--help']))
    const lower = await Promise.all(
      verbs.map(async (verb) => commandsIn(await dale([verb, '--help'])).map((name) => `${verb} ${name}`)),
    )
    const named = unique(
      documents
        .map(textOf)
        .join('\n')
        .matchAll(/(?:`|^|# |-- )dale ([a-z]+)/gm),
    )
    expect(named.filter((verb) => !verbs.includes(verb))).toEqual([])
    expect([...verbs, ...lower.flat()].filter((verb) => !operating.includes(`dale ${verb}`))).toEqual([])
  })
})

describe('GLOSSARY.md', () => {
  test('has every road, and no other', () => {
    expect([...firstCells(glossary, 'Roads')].sort()).toEqual(
      unique(textOf('src/core/target.ts').matchAll(/readonly road: '(\w+)'/g)),
    )
  })

  test('has every state, and no other', () => {
    expect([...firstCells(glossary, 'States')].sort()).toEqual(Object.keys(lifecycle).sort())
  })
})

async function dale(args: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['--conditions=dale-source', join(root, 'src', 'cli', 'dale.ts'), ...args], {
    cwd: root,
  })
  return stdout
}

async function inAProcess(program: string): Promise<string> {
  const { stdout } = await run(process.execPath, ['--conditions=dale-source', '--input-type=module', '--eval', program], {
    cwd: root,
  })
  return stdout
}

/** The commands that a help lists, without `help` itself. */
function commandsIn(help: string): readonly string[] {
  const [, list = ''] = /^Commands:\n((?: {2,}.*\n)*)/m.exec(help) ?? []
  return [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help')
}

/** A program that loads a configuration and checks it in an environment with all that it names. */
const checking = (file: string): string => `
  const at = (path) => import(${JSON.stringify(root)} + '/src/' + path)
  const { loadConfig } = await at('config/load-config.ts')
  const { checkConfig } = await at('config/check-config.ts')
  const { input } = await loadConfig('.', ${JSON.stringify(file)})
  const variables = { DALE_SECRET_KEY: '0'.repeat(64), TELEGRAM_BOT_TOKEN: '1:token', AGENT_SECRET: 'a-secret-of-twenty-four-bytes', SHOP_TOKEN: 'token' }
  const { config, environment } = checkConfig(input, variables, '.')
  console.log('right')
`

/** A program that starts a configuration in memory, asks for a table, and says yes to the card. */
const talking = (file: string): string => `${checking(file)}
  const { openEmbedded } = await at('store/embedded.ts')
  const { migrate } = await at('store/migrate.ts')
  const { compose } = await at('compose.ts')
  const { openLog } = await at('log.ts')
  const { play } = await at('demo/play.ts')
  await using embedded = await openEmbedded('memory')
  const footing = { kind: 'pglite', db: embedded.db }
  await migrate(footing)
  await using composition = await compose(config, environment, { log: openLog('error', 'stderr'), count: () => {}, footing })
  await composition.start({ gateway: true, workers: true })
  const { house } = composition
  async function* lines() { yield 'a table for 4'; yield 'yes' }
  await play({ house, simulation: house.channels.get('front'), people: ['ana'], lines: lines(), output: process.stdout })
`
