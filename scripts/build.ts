/**
 * Makes `dist/`, which is what the package ships: JavaScript and declarations of `src` and `workers`, what pages need
 * beside them, and the embedded database's first files, so that nobody who installs it has to make them.
 */
import { spawnSync } from 'node:child_process'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extname, join, resolve } from 'node:path'
import { template } from '../src/store/template.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

await rm(dist, { recursive: true, force: true })
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json'],
  {
    cwd: root,
    stdio: 'inherit',
  },
)
if (status !== 0) process.exit(1)

// Pages, styles and scripts of the browser; folders are walked, TypeScript was compiled.
await cp(join(root, 'src'), join(dist, 'src'), { recursive: true, filter: (file) => extname(file) !== '.ts' })

const pglite = resolve(createRequire(import.meta.url).resolve('@electric-sql/pglite'), '..', '..', 'package.json')
const { version } = JSON.parse(await readFile(pglite, 'utf8')) as { readonly version: string }
await writeFile(join(dist, 'src', 'store', `pglite-${version}.tar.gz`), new Uint8Array(await (await template()).arrayBuffer()))
