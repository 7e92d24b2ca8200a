import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

/** What libsignal prints when a session is closed and opened, in a process of its own: what is silenced there stays so. */
async function printed(prelude: string): Promise<string> {
  const script = `
    import { createRequire } from 'node:module'
    ${prelude}
    const require = createRequire(createRequire(import.meta.url).resolve('baileys'))
    const Record = require('libsignal/src/session_record.js')
    const record = new Record()
    const session = Record.createEntry()
    session.indexInfo = { baseKey: Buffer.from('base'), closed: -1 }
    session.currentRatchet = { rootKey: Buffer.from('the root key of a session') }
    record.closeSession(session)
    record.openSession(session)
    console.info('Closing session: of somebody else')
    console.error('and an error')
  `
  const { stdout, stderr } = await run(process.execPath, ['--conditions=dale-source', '--input-type=module', '-e', script], {
    cwd: new URL('../../..', import.meta.url),
  })
  return stdout + stderr
}

const load = `
  const { loadBaileys } = await import('./src/channels/whatsapp-baileys/library.ts')
  await loadBaileys('tienda')
`

it('libsignal prints keys, as long as nobody stops it', async () => {
  expect(await printed('')).toMatch(/Closing session:[\s\S]*rootKey[\s\S]*Opening session:[\s\S]*rootKey/)
})

it('with Baileys loaded by Dale it prints nothing, and everybody else prints as before', async () => {
  expect(await printed(load)).toBe('Closing session: of somebody else\nand an error\n')
})
