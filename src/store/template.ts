import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { access, constants, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, extname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const here = fileURLToPath(import.meta.url)

/**
 * A new PGlite's files as a tarball: starting from them takes half the time of initdb and a third of its memory. Shipped beside
 * this module in the package; else made once, in a child process whose memory is given back, and kept in `node_modules/.cache`
 * where that can be written.
 */
export async function template(): Promise<Blob> {
  const pglite = resolve(dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite')), '..')
  const { version } = JSON.parse(await readFile(join(pglite, 'package.json'), 'utf8')) as { readonly version: string }
  const name = `pglite-${version}.tar.gz`
  const cache = join(pglite, '..', '..', '.cache', 'dale')
  for (const folder of [dirname(here), cache])
    if (await can(join(folder, name), constants.R_OK)) return blobOf(join(folder, name))
  const kept = await canWriteIn(cache)
  const made = join(kept ? cache : tmpdir(), `${randomUUID()}-${name}`)
  try {
    await makeTemplate(made)
    const blob = await blobOf(made)
    if (kept) await rename(made, join(cache, name))
    return blob
  } finally {
    await rm(made, { force: true })
  }
}

/** Makes the template in a process of its own and writes it to `file`. */
export async function makeTemplate(file: string): Promise<void> {
  await promisify(execFile)(process.execPath, [join(dirname(here), `make-template${extname(here)}`), file])
}

const blobOf = async (file: string): Promise<Blob> => new Blob([await readFile(file)], { type: 'application/gzip' })

async function can(path: string, mode: number): Promise<boolean> {
  try {
    await access(path, mode)
    return true
  } catch {
    return false
  }
}

/** An installed package may belong to another user: then the template is made anew each time, which only costs a second. */
async function canWriteIn(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true })
  } catch {
    return false
  }
  return can(folder, constants.W_OK)
}
