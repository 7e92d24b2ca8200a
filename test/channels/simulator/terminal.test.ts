import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import en from '../../../locales/en/chat.json' with { type: 'json' }
import { simulatorChannel } from '../../../src/channels/simulator/channel.ts'
import { readCommand } from '../../../src/channels/simulator/command.ts'
import { terminalChat } from '../../../src/channels/simulator/terminal.ts'
import { aCard } from '../../contracts/channel.ts'

const ana = { account: 'shop', chat: 'ana' }

/** A terminal in front of Ana's chat: type into it, and wait until something was printed. */
function aTerminal({ isTTY = false } = {}) {
  const simulation = simulatorChannel({ account: 'shop', clock: { now: async () => 0 } })
  const input = new PassThrough()
  const output = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY })
  let printed = ''
  let wake = () => {}
  output.on('data', (text: string) => {
    printed += text
    wake()
  })
  const until = async (text: string) => {
    while (!printed.includes(text)) await new Promise<void>((resolve) => (wake = resolve))
  }
  const done = terminalChat({
    simulation,
    place: 'ana',
    person: 'ana',
    locale: 'en',
    say: (_locale, key) => en[key],
    input,
    output,
  })
  return {
    simulation,
    type: (line: string) => input.write(`${line}\n`),
    until,
    printed: () => printed,
    end: async () => {
      input.end()
      await done
    },
  }
}

describe('the terminal chat', () => {
  it('says what is typed, and prints a conversation as a transcript reads', async () => {
    const terminal = aTerminal()
    terminal.type('abrí un plan de 3 cuotas')
    await terminal.until('cuotas')
    await terminal.simulation.send(ana, { kind: 'text', text: 'Lo preparo.\nUn momento.' })
    await terminal.simulation.send(ana, { kind: 'card', card: aCard() })
    await terminal.end()
    expect(terminal.printed().split('\n')).toEqual([
      'ana: abrí un plan de 3 cuotas',
      'bot: Lo preparo.',
      '  Un momento.',
      'bot: Plan de 3 cuotas para Ana Gómez (cliente 42)',
      '  Cliente: 42',
      '  ⚠ Monto: $ 184.000,00 ARS',
      '  Para confirmar escribí: sí, confirmo. Para cancelar: no.',
      '  [Confirmar] [Cancelar]  #K7Q2',
      '',
    ])
  })

  it('presses a control, and tells the answer and what the card became', async () => {
    const terminal = aTerminal()
    const { messageIds } = await terminal.simulation.send(ana, { kind: 'card', card: aCard() })
    await terminal.simulation.start(async (events) => {
      for (const event of events)
        if (event.kind === 'press') {
          await terminal.simulation.answerPress(event.pressId, 'Recibido.')
          await terminal.simulation.edit(ana, messageIds, aCard({ settled: true }))
        }
    })
    terminal.type('/1')
    await terminal.until('✎')
    terminal.type('/1')
    await terminal.until(en['terminal.unknown'])
    await terminal.end()
    expect(terminal.printed().split('\n').slice(-4)).toEqual([
      '· Recibido.',
      '✎ Confirmado por Ana.  #K7Q2',
      en['terminal.unknown'],
      '',
    ])
  })

  it('lets no text move the cursor or colour a line', async () => {
    const terminal = aTerminal({ isTTY: true })
    await terminal.simulation.send(ana, { kind: 'text', text: 'a\u001b[2Jb' })
    await terminal.until('b')
    await terminal.end()
    expect(terminal.printed()).toContain('a[U+001B][2Jb')
  })

  it('ends with /quit, and explains itself with /help', async () => {
    const terminal = aTerminal()
    terminal.type('/help')
    await terminal.until(en['terminal.help'])
    terminal.type('/quit')
    await terminal.end()
  })
})

describe('a typed line', () => {
  const simulation = simulatorChannel({ account: 'shop', clock: { now: async () => 0 } })
  const read = async (line: string) => {
    if (simulation.transcript('ana').length === 0) {
      await simulation.send(ana, { kind: 'card', card: aCard() })
      await simulation.send(ana, { kind: 'card', card: { ...aCard(), code: 'M3XP' } })
    }
    return readCommand(line, simulation.transcript('ana'))
  }

  it.each([
    ['sí #K7Q2', { kind: 'say', text: 'sí #K7Q2' }],
    ['Confirmar', { kind: 'say', text: 'Confirmar' }],
    ['/2', { kind: 'press', label: 'Cancelar #M3XP' }],
    ['/confirmar', { kind: 'press', label: 'Confirmar #M3XP' }],
    ['/confirmar #k7q2', { kind: 'press', label: 'Confirmar #K7Q2' }],
    ['/3', { kind: 'unknown', word: '/3' }],
    ['/start', { kind: 'unknown', word: '/start' }],
    ['  ', { kind: 'nothing' }],
  ])('%j is read as %j', async (line, command) => {
    expect(await read(line)).toMatchObject(command)
  })
})
