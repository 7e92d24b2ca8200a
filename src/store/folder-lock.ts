import { readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '../core/errors.ts'

interface Holder {
  readonly pid: number
  readonly host: string
  readonly since: string
}

/**
 * Locks a folder for this process: PGlite itself would let a second one write into the same files. SQLite's exclusive transaction is
 * a lock of the operating system, so that a process that is killed gives it up. Throws `ConfigError` that tells who holds it.
 */
export async function lockFolder(folder: string): Promise<Disposable> {
  const lock = new DatabaseSync(join(folder, 'lock'))
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    if (!isBusy(error))
      throw new ConfigError(
        [{ path: folder, message: 'The folder cannot be locked: is it writable, and on a disk of this machine?' }],
        { cause: error },
      )
    throw new ConfigError(
      [
        {
          path: folder,
          message: `${await holderOf(folder)} Stop it, or give this one its own folder, or use DATABASE_URL for several processes.`,
        },
      ],
      { cause: error },
    )
  }
  // Beside the lock, because nobody can read a file that is locked on every system.
  const holder: Holder = { pid: process.pid, host: hostname(), since: new Date().toISOString() }
  await writeFile(join(folder, 'holder.json'), JSON.stringify(holder))
  return { [Symbol.dispose]: () => lock.close() }
}

const busy = 5

const isBusy = (error: unknown): boolean => error instanceof Error && 'errcode' in error && error.errcode === busy

async function holderOf(folder: string): Promise<string> {
  try {
    const { pid, host, since } = JSON.parse(await readFile(join(folder, 'holder.json'), 'utf8')) as Holder
    return `Process ${pid} on ${host} has had this folder open since ${since}.`
  } catch {
    // It is just being opened: the lock comes before the note about it.
    return 'Another process has just opened this folder.'
  }
}
