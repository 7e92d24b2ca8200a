import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { promisify, stripVTControlCharacters } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { terminalChat } from '../../src/channels/simulator/terminal.ts'
import { type ExampleName, loadExample } from '../../src/demo/example.ts'
import { openDemo } from '../../src/demo/open.ts'

// Each starts a whole house and waits for review times.
vi.setConfig({ testTimeout: 90_000 })

const root = join(import.meta.dirname, '..', '..')
const run = promisify(execFile)

/** Chats do not wait for each other, nor for a card that is brought up to date: the lines, whatever their order, without those. */
const linesOf = (text: string): readonly string[] =>
  comparable(text)
    .split('\n')
    .filter((line) => !line.startsWith('  (#'))
    .sort()

/** What differs from one run to the next: codes, and the day from which days are counted. */
const comparable = (text: string): string => text.replaceAll(/#\w{4}/g, '#CODE').replaceAll(/\d+ de \p{L}+ de \d{4}/gu, 'DAY')

const asked = [
  {
    name: 'cobranzas',
    asks: 'condoname 20.000 por favor',
    colleague: 'beto',
    summary: 'Condonar deuda de Ana Gómez (cliente 42)',
    isHigh: true,
  },
  {
    name: 'pedidos',
    asks: 'quero reembolso de 40 do pedido 1042 porque veio riscado',
    colleague: 'rafa',
    summary: 'Reembolsar o pedido 1042 de Mariana Alves',
    isHigh: false,
  },
] as const satisfies readonly {
  readonly name: ExampleName
  readonly asks: string
  readonly colleague: string
  readonly summary: string
  readonly isHigh: boolean
}[]

describe.each(asked)('the README of examples/$name', ({ name, asks, colleague, summary, isHigh }) => {
  const readme = readFileSync(join(root, 'examples', name, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```text\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)

  test('prints what its command prints', async () => {
    const [, command = ''] = /^```sh\n(printf [^\n]+)\n```$/m.exec(readme) ?? []
    const { stdout } = await run('sh', ['-c', command], { cwd: root })
    expect(linesOf(blocks[0] ?? '')).toEqual(linesOf(stdout))
  })

  test('shows the card as a colleague’s terminal does, where its summary is bold and its buttons are keys', async () => {
    const example = await loadExample(name)
    await using demo = await openDemo(example, { DALE_SECRET_KEY: randomBytes(32).toString('hex'), LOG_LEVEL: 'error' })
    const input = new PassThrough()
    const output = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns: 200, getColorDepth: () => 8 })
    const printed: string[] = []
    output.on('data', (text: string) => printed.push(text))
    const chat = terminalChat({
      simulation: demo.simulation,
      place: colleague,
      person: colleague,
      locale: example.locale,
      say: demo.composition.house.texts.say,
      input,
      output,
    })
    const [customer = { person: '' }] = example.phones
    await demo.simulation.says(customer.person, customer.person, asks)
    await demo.quiet()
    input.end()
    await chat
    const shown = printed.join('')
    const lines = stripVTControlCharacters(shown)
      .split('\n')
      .map((line) => line.replace(`${colleague}: bot: `, 'bot: ').trimEnd())
    const first = lines.findIndex((line) => line.startsWith('bot: '))
    const last = lines.findIndex((line) => line.startsWith('  /1 '))
    expect(comparable(blocks[1] ?? '')).toBe(comparable(`${lines.slice(first, last + 1).join('\n')}\n`))
    const esc = String.fromCharCode(27)
    expect(shown).toContain(`${esc}[1m  ${summary}${esc}[22m`)
    expect(shown).toContain(`${esc}[2m${lines[last]}${esc}[22m`)
    // What cannot be undone says so in a colour.
    expect(shown.includes(`${esc}[33m`)).toBe(isHigh)
  })
})
