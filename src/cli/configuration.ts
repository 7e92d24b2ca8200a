import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Checked } from '../config/check-config.ts'
import type { Environment } from '../config/environment.ts'
import { ConfigError } from '../core/errors.ts'
import type { ConfiguredOptions } from './verb.ts'

/** The configuration file and the environment, checked together. Throws `ConfigError` with every problem of both. */
export async function readConfiguration({ config: path }: ConfiguredOptions): Promise<Checked & { readonly file: string }> {
  const [{ loadConfig }, { checkConfig }] = await Promise.all([
    import('../config/load-config.ts'),
    import('../config/check-config.ts'),
  ])
  const { file, input } = await loadConfig(process.cwd(), path)
  return { file, ...checkConfig(input, process.env, process.cwd()) }
}

/**
 * The environment alone, for what must work while the configuration is broken. Throws `ConfigError`, also where Dale has never run:
 * looking must not make a database.
 */
export async function readSurroundings(): Promise<Environment> {
  const { inspectEnvironment } = await import('../config/environment.ts')
  const read = inspectEnvironment(process.env, process.cwd())
  if (!read.ok) throw new ConfigError(read.problems)
  if (!(await hasDatabase()))
    throw new ConfigError([
      {
        path: dataFolder(),
        message: 'Dale has not run here: go to the folder where it does, or set DALE_DATA_DIR, or DATABASE_URL',
      },
    ])
  return read.environment()
}

const dataFolder = (): string => resolve(process.env.DALE_DATA_DIR || '.dale')

/** Is there a database to ask, or is Dale yet to run here for the first time? */
export const hasDatabase = async (): Promise<boolean> =>
  Boolean(process.env.DATABASE_URL) || (await isThere(join(dataFolder(), 'data')))

/** Is there such a file or folder? */
export async function isThere(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}
