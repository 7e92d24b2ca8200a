import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, sep } from 'node:path'
import type * as Baileys from 'baileys'
import { ConfigError } from '../../core/errors.ts'
import { quiet } from './quiet-libsignal.ts'

/** Everything that the package exports; this file alone imports it, and only when an account needs it. */
export type Library = typeof Baileys
export type {
  AuthenticationCreds,
  BaileysEventMap,
  BinaryNode,
  proto,
  SignalDataSet,
  SignalDataTypeMap,
  SignalKeyStore,
  SignalKeyStoreWithTransaction,
  SignalRepository,
  WAMessage,
  WASocket,
  WAVersion,
} from 'baileys'

/** The version that Dale is tested with, and the oldest that it starts with: before it, messages could be forged (CVE-2026-48063). */
const tested = '7.0.0-rc14'
const oldest = '7.0.0-rc13'
const install = `npm install --save-exact baileys@${tested}`

/** Compares two versions by their numbers, left to right; a release comes after its candidates. */
function isOlder(version: string, than: string): boolean {
  const partsOf = (text: string) => {
    const [release = '', candidate] = text.split('-')
    return [
      ...release.split('.').map(Number),
      candidate === undefined ? Number.POSITIVE_INFINITY : Number(candidate.replace(/\D+/g, '')),
    ]
  }
  const mine = partsOf(version)
  const theirs = partsOf(than)
  const at = theirs.findIndex((part, index) => (mine[index] ?? Number.NaN) !== part)
  return at >= 0 && !((mine[at] ?? Number.NaN) > (theirs[at] ?? 0))
}

/** What keeps a version of Baileys from being used, if anything does; `undefined` stands for none that is installed. */
export function versionFault(version: string | undefined): string | undefined {
  if (version === undefined) return `needs Baileys, which is not installed: ${install}`
  if (isOlder(version, oldest))
    return `has Baileys ${version}, which takes forged messages for real ones (CVE-2026-48063): ${install}`
  return undefined
}

const require = createRequire(import.meta.url)

/** The installed version, read without running any of the package; undefined where there is none. */
export function installedVersion(): string | undefined {
  try {
    return (JSON.parse(readFileSync(require.resolve('baileys/package.json'), 'utf8')) as { readonly version: string }).version
  } catch (cause) {
    if (['MODULE_NOT_FOUND', 'ENOENT'].includes((cause as NodeJS.ErrnoException).code ?? '')) return undefined
    throw cause
  }
}

/**
 * Loads Baileys, with what libsignal prints silenced: it writes session keys to the console. Throws `ConfigError` with the command to
 * run where the package is missing or too old. Repeatable.
 */
export async function loadBaileys(account: string): Promise<Library> {
  const fault = versionFault(installedVersion())
  if (fault !== undefined) throw new ConfigError([{ path: `accounts.${account}`, message: fault }])
  const baileys = require.resolve('baileys')
  quiet(dirname(createRequire(baileys).resolve('libsignal')) + sep)
  return await import('baileys')
}
