// Customers write to the simulated account of the configuration in the working directory: a line each on stdin, `ana: dale` or
// `ana presses Confirmar`. Each line is said once all is quiet; a card counts as read at once. What was said by the account is printed.
import { createInterface } from 'node:readline'
import { plainLines } from '../../src/channels/simulator/render.ts'
import { compose } from '../../src/compose.ts'
import { checkConfig } from '../../src/config/check-config.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { untilQuiet } from '../../src/demo/play.ts'
import { openLog } from '../../src/log.ts'
import type { SimulatorChannel } from '../../src/ports/simulation.ts'

const { input } = await loadConfig(process.cwd())
const quick = { minReviewTextMs: 0, minReviewPressMs: 0, minReviewHighPressMs: 0 }
const { config, environment } = checkConfig({ ...(input as object), limits: quick }, process.env, process.cwd())
const composition = await compose(config, environment, { log: openLog('error', 'stderr'), count: () => undefined })
await composition.start({ gateway: true, workers: true })
const { house } = composition
const channel = house.channels.get(config.accounts[0]?.name ?? '') as SimulatorChannel
channel.on((event) => {
  if (event.kind === 'message') process.stdout.write(`${plainLines(event.entry).join('\n')}\n`)
})
for await (const line of createInterface({ input: process.stdin })) {
  const [, person = '', text, label = ''] = /^(\w+)(?:: (.*)| presses (.*))$/.exec(line) ?? []
  await untilQuiet(house)
  if (text === undefined) {
    const card = channel.transcript(person).findLast(({ content }) => content.kind === 'card')
    await channel.presses(person, person, card?.id ?? '', label)
  } else await channel.says(person, person, text)
}
await untilQuiet(house)
await composition[Symbol.asyncDispose]()
process.exit(0)
