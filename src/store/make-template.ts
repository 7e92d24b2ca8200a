import { writeFile } from 'node:fs/promises'
import { startPGlite } from './pglite.ts'

// Run by `makeTemplate` as a process of its own: initdb peaks above a gigabyte, which a process does not give back.
const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('make-template is run with the file to write')
const db = await startPGlite({})
const files = await db.dumpDataDir('gzip')
await writeFile(file, new Uint8Array(await files.arrayBuffer()))
await db.close()
