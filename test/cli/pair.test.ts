import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aFolder, run, runToEnd, started } from '../support/command.ts'
import { type OwnPhone, startWhatsAppServer, type WhatsAppServer } from '../support/whatsapp-server/index.ts'

const phone = '15550001111'
const config = (accounts: readonly string[], server: string) => `
import { defineConfig, scriptedAgent } from 'dale-gateway'
export default defineConfig({
  accounts: { ${accounts.map((name) => `${name}: { channel: 'whatsapp-baileys', serverUrl: '${server}' }`).join(', ')} },
  agent: scriptedAgent([]),
  actions: [],
})
`

let server: WhatsAppServer
let number: OwnPhone
let folder: Awaited<ReturnType<typeof aFolder>>
let cleanup: AsyncDisposableStack
beforeEach(async () => {
  cleanup = new AsyncDisposableStack()
  server = cleanup.use(await startWhatsAppServer())
  number = await server.number(phone)
  folder = cleanup.use(await aFolder({ 'dale.config.mts': config(['tienda'], server.url) }))
})
afterEach(async () => {
  await cleanup.disposeAsync()
})

const where = (): Parameters<typeof run>[1] => ({
  cwd: folder.path,
  env: {
    NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, '..', 'support', 'whatsapp-trust.ts')).href}`,
    DALE_TEST_WHATSAPP_TRUST: Buffer.from(server.trust).toString('base64'),
  },
})

async function paired(...more: readonly string[]) {
  const pairing = cleanup.use(run(['pair', 'whatsapp', '--json', ...more], where()))
  const [, qr = ''] = await pairing.until(/\{"qr":"([^"]+)"\}/)
  await number.scans(qr)
  return await pairing.ended
}

describe('dale pair whatsapp', () => {
  it('is told by dale doctor while no phone is linked, and refuses what is no number as a mistake in what was typed', async () => {
    const doctor = await runToEnd(['doctor'], where())
    expect([doctor.code, doctor.stdout]).toEqual([
      0,
      expect.stringMatching(
        /warn\s+account tienda\s+no phone is linked to it\. Link its phone: dale pair whatsapp --account tienda/,
      ),
    ])
    const typed = await runToEnd(['pair', 'whatsapp', '--phone', 'abc'], where())
    expect([typed.code, typed.stderr]).toEqual([2, expect.stringContaining('a number with its country')])

    expect((await paired()).code).toBe(0)
    expect((await runToEnd(['doctor'], where())).stdout).toMatch(/ok\s+account tienda\s+a phone is linked to it/)
  }, 120_000)

  it('shows a QR and what to do with it, and ends when the number is linked and has logged in once', async () => {
    const pairing = cleanup.use(run(['pair', 'whatsapp'], where()))
    await pairing.until(/Linked devices[\s\S]*█/)
    const readable = cleanup.use(run(['pair', 'whatsapp', '--help'], where()))
    expect((await readable.ended).code).toBe(0)
    pairing.child.kill('SIGINT')
    const stopped = await pairing.ended
    expect([stopped.code, stopped.stderr]).toEqual([1, expect.stringContaining('Not paired: stopped.')])

    const ended = await paired()
    expect([ended.code, ended.stderr]).toEqual([0, ''])
    expect(ended.stdout.trim().split('\n').at(-1)).toBe(`{"paired":{"account":"tienda","phone":"${phone}"}}`)
    expect(server.sockets(phone)).toMatchObject({ pairings: 1, logins: expect.any(Number) })
  }, 120_000)

  it('takes a code instead, and a gateway that is started then is connected', async () => {
    const pairing = cleanup.use(run(['pair', 'whatsapp', '--phone', '+1 555 000-1111'], where()))
    const [, first, second] = await pairing.until(/([A-Z0-9]{4})-([A-Z0-9]{4})\n/)
    await number.enters(`${first}${second}`)
    const ended = await pairing.ended
    expect([ended.code, ended.stdout]).toEqual([0, expect.stringContaining(`Paired as +${phone}.`)])

    const gateway = cleanup.use(await started(['start'], where()))
    await server.connected(phone)
    const ready = (await (await fetch(`${gateway.url}/readyz`)).json()) as { readonly parts: Readonly<Record<string, unknown>> }
    expect(ready.parts['channel:tienda']).toEqual({ state: 'up' })

    const locked = await runToEnd(['pair', 'whatsapp', '--again'], where())
    expect([locked.code, locked.stderr]).toEqual([2, expect.stringMatching(/has had this folder open since .*Stop it/)])
  }, 120_000)

  it('does not pair twice by mistake; with --again it forgets the session and links anew', async () => {
    expect((await paired()).code).toBe(0)
    const twice = await runToEnd(['pair', 'whatsapp'], where())
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringMatching(/already paired as \+15550001111\..*--again/)])
    expect((await paired('--again')).code).toBe(0)
    expect(server.sockets(phone).pairings).toBe(2)
  }, 120_000)
})

describe('what cannot be paired is told', () => {
  const failing = async (args: readonly string[], accounts: readonly string[] = ['tienda', 'otra']) => {
    await using here = await aFolder({ 'dale.config.mts': config(accounts, server.url) })
    const { code, stderr } = await runToEnd(['pair', 'whatsapp', ...args], { ...where(), cwd: here.path })
    return [code, stderr] as const
  }

  it('several accounts, and none named', async () => {
    expect(await failing([])).toEqual([1, expect.stringContaining('--account with one of: tienda, otra')])
  })

  it('an account that is not there', async () => {
    expect(await failing(['--account', 'tinda'])).toEqual([1, expect.stringContaining('There is no account tinda')])
  })

  it('a WhatsApp that cannot be reached, while it is tried again', async () => {
    await using here = await aFolder({ 'dale.config.mts': config(['tienda'], 'ws://127.0.0.1:1') })
    const pairing = cleanup.use(run(['pair', 'whatsapp'], { ...where(), cwd: here.path }))
    await pairing.until(/cannot be reached now: is there a network\?/)
    pairing.child.kill('SIGTERM')
    expect(await pairing.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('Not paired: stopped.') })
  })
})
