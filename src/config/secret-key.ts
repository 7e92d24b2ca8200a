import { randomBytes, randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../core/errors.ts'

/**
 * The secret key of an installation without a database of its own: made once, kept in `<dataDir>/secret.key`, readable by its owner
 * alone. Two processes that start at once get the same one.
 */
export function keptSecretKey(dataDir: string): Uint8Array {
  try {
    return keptIn(dataDir)
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    const code = (cause as NodeJS.ErrnoException).code ?? String(cause)
    throw new ConfigError(
      [
        {
          path: 'DALE_DATA_DIR',
          message: `${dataDir} is no folder that can be written (${code}): make room or rights there, or name another`,
        },
      ],
      { cause },
    )
  }
}

function keptIn(dataDir: string): Uint8Array {
  const file = join(dataDir, 'secret.key')
  const kept = readKey(file)
  if (kept !== undefined) return kept
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const mine = `${file}.${randomUUID()}`
  writeFileSync(mine, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flush: true })
  try {
    // A link appears whole or not at all, and only for the first of two.
    linkSync(mine, file)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
  } finally {
    rmSync(mine)
  }
  return readKey(file) ?? keptIn(dataDir)
}

function readKey(file: string): Uint8Array | undefined {
  try {
    const key = readFileSync(file, 'utf8').trim()
    if (/^[0-9a-f]{64}$/.test(key)) return new Uint8Array(Buffer.from(key, 'hex'))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw cause
  }
  throw new ConfigError([
    { path: file, message: 'is not a key of Dale’s; put the right one back, or remove it and lose what it encrypted' },
  ])
}
