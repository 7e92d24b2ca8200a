import type { Readable, Writable } from 'node:stream'
import { terminalChat } from '../channels/simulator/terminal.ts'
import { type Composition, compose } from '../compose.ts'
import { checkConfig } from '../config/check-config.ts'
import type { Variables } from '../config/environment.ts'
import { phonesRoutes } from '../console/phones/routes.ts'
import { CannotListenError, type Listens, listen } from '../console/server.ts'
import { openLog } from '../log.ts'
import type { Simulation, SimulatorChannel } from '../ports/simulation.ts'
import { openEmbedded } from '../store/embedded.ts'
import { migrate } from '../store/migrate.ts'
import type { Example } from './example.ts'
import { play, untilQuiet } from './play.ts'

/** A house at work in memory, and the people in front of it. Disposing it forgets everything. */
export interface Demo extends AsyncDisposable {
  readonly composition: Composition
  readonly simulation: Simulation
  /** How much really happened so far. */
  effects(): number
  /** Resolves once nothing is unfinished. */
  quiet(): Promise<void>
  /** Plays people's lines, the customer's where a line says no name, and prints the conversation. */
  play(lines: AsyncIterable<string>, output: Writable): Promise<void>
  /** Serves the page with the phones on loopback; a port that is taken is replaced by any free one. */
  phones(port: number): Promise<Listens>
  /** The customer's chat in a terminal, with the page beside it, until the input ends. */
  talk(at: {
    readonly port: number
    readonly input: Readable
    readonly output: Writable & { readonly isTTY?: boolean }
  }): Promise<void>
}

/** Opens a demo: database, queue, workers, agent, far side and all phones in this process. Resolves when it can be talked to. */
export async function openDemo(example: Example, variables: Variables): Promise<Demo> {
  const { locale, account, tries } = example
  const [customer = { person: '' }] = example.phones
  const opened = await example.open()
  const { config, environment } = checkConfig(opened.config, variables, process.cwd())
  const embedded = await openEmbedded('memory')
  const footing = { kind: 'pglite', db: embedded.db } as const
  await migrate(footing)
  const composition = await compose(config, environment, {
    log: openLog(environment.logLevel, 'stderr'),
    count: () => {},
    footing,
    simulated: { names: Object.fromEntries(example.phones.map(({ person, name }) => [person, name])) },
  })
  await composition.start({ gateway: true, workers: true })
  const { house } = composition
  const simulation = house.channels.get(account) as SimulatorChannel

  const phones = async (port: number): Promise<Listens> => {
    const app = phonesRoutes({
      channels: [simulation],
      texts: house.texts,
      chats: example.phones.map(({ person, name, role }) => ({ title: 'Dale', chat: person, person, name, role, locale })),
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
    effects: opened.effects,
    quiet: async () => await untilQuiet(house),
    play: async (lines, output) =>
      await play({ house, simulation, people: example.phones.map(({ person }) => person), lines, output }),
    phones,
    async talk({ port, input, output }) {
      await using page = await phones(port)
      const list = tries.map((line) => `  ${line}`).join('\n')
      output.write(`${house.texts.say(locale, 'demo.welcome', { url: page.url, list })}\n\n`)
      const { person } = customer
      await terminalChat({ simulation, place: person, person, locale, say: house.texts.say, input, output })
    },
    async [Symbol.asyncDispose]() {
      await composition[Symbol.asyncDispose]()
      await embedded[Symbol.asyncDispose]()
      await opened[Symbol.asyncDispose]()
    },
  }
}
