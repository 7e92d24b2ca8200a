import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { ConfigError } from '../core/errors.ts'

/** What a configuration file may be called, in the order in which they are looked for. */
export const configFiles: readonly string[] = ['mts', 'ts', 'mjs', 'js'].map((ending) => `dale.config.${ending}`)

/** Longer than any import takes. */
const loadWithinMs = 30_000

/** A configuration file that was found and ran. `input` is its default export, not yet checked. */
export interface Loaded {
  readonly file: string
  readonly input: unknown
}

/**
 * Finds and runs the configuration file: the one named, else the one `dale.config.*` in `cwd`. Throws `ConfigError` that says what to
 * do. The file is code and runs with the rights of this process.
 */
export async function loadConfig(cwd: string, explicitPath?: string): Promise<Loaded> {
  const file = explicitPath === undefined ? find(cwd) : resolve(cwd, explicitPath)
  if (!existsSync(file)) throw wrong(file, 'there is no such file')
  let module: { readonly default?: unknown }
  const loaded = new AbortController()
  try {
    module = await Promise.race([import(pathToFileURL(file).href), afterWaiting(file, loaded.signal)])
  } catch (cause) {
    throw isConfigError(cause) ? new ConfigError(cause.problems, { cause }) : wrong(file, adviceOn(cause, file), cause)
  } finally {
    loaded.abort()
  }
  if (typeof module.default !== 'object' || module.default === null)
    throw wrong(file, 'exports no configuration: write export default defineConfig({ … })')
  return { file, input: module.default }
}

/** A top-level await that never ends would end the process without a word. */
async function afterWaiting(file: string, signal: AbortSignal): Promise<never> {
  await setTimeout(loadWithinMs, undefined, { signal })
  throw wrong(file, `did not finish loading within ${loadWithinMs / 1000} s: does it wait for something at the top level?`)
}

function find(cwd: string): string {
  const [file, ...others] = configFiles.filter((name) => existsSync(join(cwd, name)))
  if (file === undefined) throw wrong(cwd, `there is no ${configFiles.join(', ')} here; dale init writes one`)
  if (others.length > 0) throw wrong(cwd, `there are ${[file, ...others].join(' and ')}: keep one, or name one with --config`)
  return join(cwd, file)
}

const wrong = (path: string, message: string, cause?: unknown) => new ConfigError([{ path, message }], { cause })

/** By name: a configuration may import a copy of this package other than the one that runs. */
const isConfigError = (error: unknown): error is ConfigError =>
  error instanceof Error && error.name === 'ConfigError' && Array.isArray((error as ConfigError).problems)

const advice: Readonly<Record<string, (message: string) => string>> = {
  ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX: (message) =>
    `uses TypeScript that Node cannot strip (enum, namespace, parameter properties); write it without: ${message}`,
  ERR_INVALID_TYPESCRIPT_SYNTAX: (message) => `is not valid TypeScript: ${message}`,
  ERR_MODULE_NOT_FOUND: (message) =>
    `imports what is not there: ${message}. Install the package, or write the file with its ending (./actions.ts)`,
  ERR_UNKNOWN_FILE_EXTENSION: () => `has an ending that Node does not run; call it ${configFiles.join(', ')}`,
}

function adviceOn(error: unknown, file: string): string {
  if (!(error instanceof Error)) return `threw while it was loaded: ${String(error)}`
  const known = advice[(error as NodeJS.ErrnoException).code ?? '']
  if (known !== undefined) return known(error.message)
  if (error instanceof SyntaxError) {
    const rename = /\.(ts|js)$/.test(file)
      ? `; if package.json says "type": "commonjs", call it ${basename(file).replace(/\.(ts|js)$/, '.m$1')}`
      : ''
    return `cannot be read: ${error.message}${rename}`
  }
  return `threw while it was loaded: ${error.message}`
}
