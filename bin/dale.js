#!/usr/bin/env node
// Old versions of Node get as far as the message: up to there, nothing younger than Node 12 may stand in this file.
import module from 'module'
import v8 from 'v8'

var needed = 24
var command = new URL('../dist/src/cli/dale.js', import.meta.url)

if (Number(process.versions.node.split('.')[0]) < needed) {
  console.error(
    'dale needs Node ' + needed + ' or later, and this is ' + process.version + '. https://nodejs.org/en/download has it.',
  )
  process.exitCode = 1
} else {
  // Before the embedded database is compiled: it then needs half the memory, for a tenth of the speed.
  v8.setFlagsFromString('--no-wasm-tier-up')
  v8.setFlagsFromString('--no-wasm-dynamic-tiering')
  module.enableCompileCache()
  import(command.href).catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || error.url !== command.href) throw error
    console.error('This is a checkout that was not built: npm run dale -- --help runs its source, npm run build builds it.')
    process.exitCode = 1
  })
}
