import type { Readable, Writable } from 'node:stream'
import { terminalChat } from '../channels/simulator/terminal.ts'
import { type Composition, compose } from '../compose.ts'
import type { Variables } from '../config/environment.ts'
import { phonesRoutes } from '../console/phones/routes.ts'
import { CannotListenError, type Listens, listen } from '../console/server.ts'
import { openLog } from '../log.ts'
import type { Simulation, SimulatorChannel } from '../ports/simulation.ts'
import { openEmbedded } from '../store/embedded.ts'
import { migrate } from '../store/migrate.ts'
import { demoChats, demoConfig } from './config.ts'
import type { Ledger } from './ledger.ts'
import { play } from './play.ts'
import type { DemoLocale } from './words.ts'

/** A house at work in memory, and the people in front of it. Disposing it forgets everything. */
export interface Demo extends AsyncDisposable {
  readonly composition: Composition
  readonly simulation: Simulation
  readonly ledger: Ledger
  /** Plays lines of the customer, and prints the conversation. */
  play(lines: AsyncIterable<string>, output: Writable): Promise<void>
  /** Serves the page with the two phones on loopback; a port that is taken is replaced by any free one. */
  phones(port: number): Promise<Listens>
  /** The customer's chat in a terminal, with the page beside it, until the input ends. */
  talk(at: {
    readonly port: number
    readonly input: Readable
    readonly output: Writable & { readonly isTTY?: boolean }
  }): Promise<void>
}

/** Opens the demo: database, queue, workers, agent and both phones in this process. Resolves when it can be talked to. */
export async function openDemo(locale: DemoLocale, variables: Variables): Promise<Demo> {
  const { config, environment, ledger } = demoConfig(locale, variables)
  const embedded = await openEmbedded('memory')
  const footing = { kind: 'pglite', db: embedded.db } as const
  await migrate(footing)
  const { customer, supervisor } = demoChats
  const composition = await compose(config, environment, {
    log: openLog(environment.logLevel, 'stderr'),
    count: () => {},
    footing,
    simulated: { names: { [customer]: 'Ana', [supervisor]: 'Beto' } },
  })
  await composition.start({ gateway: true, workers: true })
  const { house } = composition
  const simulation = house.channels.get('demo') as SimulatorChannel

  const phones = async (port: number): Promise<Listens> => {
    const app = phonesRoutes({
      channels: [simulation],
      texts: house.texts,
      chats: [
        { title: 'Dale', chat: customer, person: customer, role: 'customer', locale },
        { title: 'Dale', chat: supervisor, person: supervisor, role: 'operator', locale },
      ],
    })
    try {
      return await listen(app, { host: '127.0.0.1', port })
    } catch (error) {
      if (!(error instanceof CannotListenError) || port === 0) throw error
      return listen(app, { host: '127.0.0.1', port: 0 })
    }
  }

  return {
    composition,
    simulation,
    ledger,
    play: async (lines, output) => await play({ house, simulation, chat: customer, lines, output }),
    phones,
    async talk({ port, input, output }) {
      await using page = await phones(port)
      output.write(`${house.texts.say(locale, 'demo.welcome', { url: page.url })}\n\n`)
      await terminalChat({ simulation, place: customer, person: customer, locale, say: house.texts.say, input, output })
    },
    async [Symbol.asyncDispose]() {
      await composition[Symbol.asyncDispose]()
      await embedded[Symbol.asyncDispose]()
    },
  }
}
