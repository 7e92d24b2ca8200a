import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { InvalidArgumentError } from 'commander'
import { type ExampleName, exampleNames, isExampleName } from '../demo/example.ts'
import { type DemoLocale, isDemoLocale } from '../demo/words.ts'
import { readPort } from './read-arguments.ts'
import { type CommonOptions, newVerb, type Verb, withJson } from './verb.ts'

interface DemoOptions extends CommonOptions {
  readonly locale: DemoLocale
  readonly example?: ExampleName
  readonly port: number
}

/** `dale demo`: a chat in the terminal, two phones on a page, nothing to configure and nothing kept. */
export const demo: Verb = () =>
  withJson(
    newVerb('demo', 'Try it: a chat in this terminal and two phones on a page. Nothing is configured, nothing is kept.', [
      ['dale demo', 'talk to it, in Spanish'],
      ['dale demo --locale en', 'in English; also pt-BR'],
      ['dale demo --example cobranzas', 'a whole example with its own service and policies; also pedidos'],
      [
        "printf 'abrí un plan de 3 cuotas para el cliente 42\\ndale\\n' | dale demo",
        'play these lines and print what came of them',
      ],
    ]),
  )
    .option('--locale <locale>', 'es, pt-BR or en', readLocale, 'es')
    .option('--example <name>', `${exampleNames.join(' or ')}: an example of the package, in its own language`, readExample)
    .option('--port <port>', 'where the page with the phones is; 0 takes any free port', readPort, 3141)
    .action(async (options: DemoOptions) => await runDemo(options))

async function runDemo({ locale, example, port, json }: DemoOptions): Promise<void> {
  const [{ openDemo }, { demoIn }, { loadExample }] = await Promise.all([
    import('../demo/open.ts'),
    import('../demo/config.ts'),
    import('../demo/example.ts'),
  ])
  const interactive = process.stdin.isTTY === true && json === undefined
  await using opened = await openDemo(example === undefined ? demoIn(locale) : await loadExample(example), {
    DALE_SECRET_KEY: randomBytes(32).toString('hex'),
    // A conversation is what is to be seen here; trouble is still told.
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
  })
  if (interactive) {
    await opened.talk({ port, input: process.stdin, output: process.stdout })
    return
  }
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  if (json === undefined) {
    await opened.play(lines, process.stdout)
    process.stdout.write(`effects: ${opened.effects()}\n`)
    return
  }
  const printed = new PassThrough()
  const conversation = text(printed)
  await opened.play(lines, printed)
  printed.end()
  const said = (await conversation).trimEnd().split('\n')
  process.stdout.write(`${JSON.stringify({ conversation: said, effects: opened.effects() })}\n`)
}

function readExample(name: string): ExampleName {
  if (!isExampleName(name)) throw new InvalidArgumentError(`There are ${exampleNames.join(' and ')}.`)
  return name
}

function readLocale(locale: string): DemoLocale {
  if (!isDemoLocale(locale)) throw new InvalidArgumentError('The demo speaks es, pt-BR and en.')
  return locale
}
