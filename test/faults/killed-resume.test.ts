import { expect, it } from 'vitest'
import { aHouseToKill } from '../support/killed.ts'
import { until } from '../support/until.ts'

it('killed while the agent goes on from an outcome, the same turn comes again and says it once', {
  timeout: 120_000,
}, async () => {
  await using around = await aHouseToKill({ resumes: true })
  const { server, ledger } = around
  const ana = server.person('Ana')
  const texts = () => server.shown(ana.user.id).map(({ text }) => text ?? '')
  const cards = () => server.shown(ana.user.id).filter(({ text }) => text?.includes('Cajas:') === true)
  const goneOn = () => ledger.requests.filter(({ action }) => action === 'resumed').map(({ key }) => key)

  const first = await around.started()
  ana.says('registrá 2 cajas')
  await until(() => cards().some(({ reply_markup }) => reply_markup !== undefined))
  await around.later(4_000, first)
  const thinking = ledger.hold(102, 'preflight')
  ana.says('dale')
  await thinking
  await first.kill()
  ledger.release()

  await around.later(61_000)
  const second = await around.started(65_000)
  await until(() => texts().includes('Sigo con las 2 cajas.') && cards().length > 1)
  await second.drain()
  expect(goneOn()).toEqual([goneOn()[0], goneOn()[0]])
  expect(texts().filter((text) => text === 'Sigo con las 2 cajas.')).toHaveLength(1)
  expect(texts().filter((text) => text.startsWith('Hecho: '))).toHaveLength(1)
  expect(texts().findIndex((text) => text.startsWith('Hecho: '))).toBeLessThan(texts().indexOf('Sigo con las 2 cajas.'))
  expect(ledger.effects.map(({ action, cajas }) => [action, cajas])).toEqual([['registrar', 2]])
})
