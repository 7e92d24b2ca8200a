import { access, mkdir, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { ConfigError } from '../core/errors.ts'
import { lockFolder } from './folder-lock.ts'
import { startPGlite } from './pglite.ts'
import { template } from './template.ts'

/** PostgreSQL in this process. Disposing closes it, and then lets go of the folder. */
export interface Embedded extends AsyncDisposable {
  readonly db: PGlite
}

/**
 * Opens PostgreSQL in this process, on a folder or in memory; not migrated. A folder that is not there is made, readable by its
 * owner alone. Throws `ConfigError` when another process has the folder open, or it cannot be written.
 */
export async function openEmbedded(folder: string | 'memory'): Promise<Embedded> {
  if (folder === 'memory') {
    const db = await startPGlite({ loadDataDir: await template() })
    return { db, [Symbol.asyncDispose]: () => db.close() }
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new ConfigError([{ path: folder, message: 'The folder for the embedded database cannot be made' }], { cause: error })
  }
  const lock = await lockFolder(folder)
  try {
    const db = await startPGlite({ dataDir: await dataIn(folder) })
    return {
      db,
      [Symbol.asyncDispose]: async () => {
        await db.close()
        lock[Symbol.dispose]()
      },
    }
  } catch (error) {
    lock[Symbol.dispose]()
    if (error instanceof ConfigError) throw error
    throw new ConfigError(
      [{ path: folder, message: `The embedded database does not start there: ${await whyNot(folder, error)}` }],
      {
        cause: error,
      },
    )
  }
}

/** PGlite needs room for its write-ahead log; without it, it only says that it was aborted. */
const roomNeededMb = 64

async function whyNot(folder: string, error: unknown): Promise<string> {
  const { bavail, bsize } = await statfs(folder)
  const freeMb = Math.floor((bavail * bsize) / 2 ** 20)
  if (freeMb < roomNeededMb)
    return `the disk is full (${freeMb} MB are free, ${roomNeededMb} are needed); make room and start again`
  return error instanceof Error ? error.message : JSON.stringify(error)
}

/** The database's files; new ones are written beside and renamed, so that a process that dies on the way leaves none or all. */
async function dataIn(folder: string): Promise<string> {
  const data = join(folder, 'data')
  if (await exists(data)) return data
  const beside = join(folder, 'data.new')
  await rm(beside, { recursive: true, force: true })
  const db = await startPGlite({ dataDir: beside, loadDataDir: await template() })
  await db.close()
  await rename(beside, data)
  return data
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}
