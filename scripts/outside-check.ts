/**
 * Runs Dale against servers that other people wrote. `dale start` on two Bot API servers: telegram-test-api, whose people tap, and
 * @openclaw/crabline, which polls and delivers with a secret as Telegram does; and a linked WhatsApp number on the WhatsApp of
 * @openclaw/crabline. npm installs them, in these versions, into a folder that is removed again; they are part of neither the package nor
 * `npm test`. Prints a line a check; ends with 1 when one does not hold.
 *
 * `node --conditions=dale-source scripts/outside-check.ts`, in Node 24.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Checks } from './outside/bot.ts'
import { runCrabline } from './outside/crabline.ts'
import { runCrablineWhatsApp } from './outside/crabline-whatsapp.ts'
import { runTelegramTestApi } from './outside/telegram-test-api.ts'

const packages = { 'telegram-test-api': '4.2.1', '@openclaw/crabline': '0.1.27' } as const

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(`Node 24 is needed and this is ${process.versions.node}.`)
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), 'dale-outside-'))
let failures = 0

/** Prints how each check of a server came out. One that does not hold says why, and the next is tried all the same. */
const checksOf =
  (server: keyof typeof packages): Checks =>
  async (what, holds) => {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error('nothing came within 30 s')), 30_000)
    const trouble = await Promise.race([holds(), late.promise]).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
    clearTimeout(timer)
    if (trouble !== undefined) failures += 1
    console.log(`${trouble === undefined ? 'ok  ' : 'FAIL'}  ${`${server} ${packages[server]}`.padEnd(25)}  ${what}`)
    if (trouble !== undefined) console.log(`      ${trouble.replaceAll('\n', '\n      ')}`)
  }

try {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`)
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', '--loglevel=error', ...wanted]
  execFileSync('npm', words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  await runTelegramTestApi(folder, checksOf('telegram-test-api'))
  await runCrabline(folder, checksOf('@openclaw/crabline'))
  await runCrablineWhatsApp(folder, checksOf('@openclaw/crabline'))
} catch (error) {
  failures += 1
  console.error(error instanceof Error ? error.message : error)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(failures === 0 ? 'Everything holds.' : `${failures} of the checks did not hold.`)
process.exit(failures === 0 ? 0 : 1)
