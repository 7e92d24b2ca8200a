import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { botApiServer } from '../support/bot-api-server.ts'
import { ledgerServer } from '../support/ledger-server.ts'
import { DaleProcess, type ProcessSettings } from '../support/processes.ts'
import { until } from '../support/until.ts'

it('killed while the agent goes on from an outcome, the same turn comes again and says it once', {
  timeout: 120_000,
}, async () => {
  await using cleanup = new AsyncDisposableStack()
  let aheadMs = 0
  const server = cleanup.use(
    await botApiServer({ username: 'gestion_demo_bot', now: () => Math.floor((Date.now() + aheadMs) / 1000) }),
  )
  const ledger = cleanup.use(await ledgerServer())
  const folder = await mkdtemp(join(tmpdir(), 'dale-resume-'))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  const settings: ProcessSettings = {
    gateway: true,
    workers: true,
    apiRoot: server.url,
    token: server.token,
    ledger: ledger.url,
    folder: join(folder, '.dale'),
    resumes: true,
  }
  const ana = server.person('Ana')
  const texts = () => server.shown(ana.user.id).map(({ text }) => text ?? '')
  const cards = () => server.shown(ana.user.id).filter(({ text }) => text?.includes('Cajas:') === true)
  const goneOn = () => ledger.requests.filter(({ action }) => action === 'resumed').map(({ key }) => key)

  const first = cleanup.use(await DaleProcess.started(settings))
  ana.says('registrá 2 cajas')
  await until(() => cards().some(({ reply_markup }) => reply_markup !== undefined))
  aheadMs += 4_000
  await first.moveClock(4_000)
  const thinking = ledger.hold(102, 'preflight')
  ana.says('dale')
  await thinking
  await first.kill()
  ledger.release()

  aheadMs += 61_000
  const second = cleanup.use(await DaleProcess.started({ ...settings, laterMs: 65_000 }))
  await until(() => texts().includes('Sigo con las 2 cajas.') && cards().length > 1)
  await second.drain()
  expect(goneOn()).toEqual([goneOn()[0], goneOn()[0]])
  expect(texts().filter((text) => text === 'Sigo con las 2 cajas.')).toHaveLength(1)
  expect(texts().filter((text) => text.startsWith('Hecho: '))).toHaveLength(1)
  expect(texts().findIndex((text) => text.startsWith('Hecho: '))).toBeLessThan(texts().indexOf('Sigo con las 2 cajas.'))
  expect(ledger.effects.map(({ action, cajas }) => [action, cajas])).toEqual([['registrar', 2]])
})
