import type { Composition } from '../compose.ts'
import type { Environment } from '../config/environment.ts'
import { readConfiguration, readSurroundings } from './configuration.ts'
import { controlOf } from './control.ts'
import { type Operations, operationsOn } from './operations.ts'
import type { ConfiguredOptions } from './verb.ts'

/**
 * Does something with the operations: on the database that the environment names or, where a running Dale has the embedded one open,
 * through that process. The configuration is read only for settling. Closes what it opened.
 */
export async function withOperations<T>(options: ConfiguredOptions, work: (operations: Operations) => Promise<T>): Promise<T> {
  const environment = await readSurroundings()
  const running = environment.databaseUrl === undefined ? await controlOf(environment.dataDir) : undefined
  return running === undefined ? await onDatabase(environment, options, work) : await work(running)
}

async function onDatabase<T>(
  environment: Environment,
  options: ConfiguredOptions,
  work: (operations: Operations) => Promise<T>,
): Promise<T> {
  const [{ compose, openStoreFor }, { openLog }] = await Promise.all([import('../compose.ts'), import('../log.ts')])
  const log = openLog('error', 'stderr')
  const opened = await openStoreFor(environment, log)
  let composition: Composition | undefined
  const house = async () => {
    const { config } = await readConfiguration(options)
    composition = await compose(config, environment, { log, count: () => {}, footing: opened.footing, sources: false })
    return composition.house
  }
  try {
    return await work(operationsOn(opened.store, house))
  } finally {
    await composition?.[Symbol.asyncDispose]()
    await opened.close()
  }
}
