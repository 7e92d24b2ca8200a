import { describe, expect, it } from 'vitest'
import { canonicalOf, fingerprintOf } from '../../src/core/fingerprint.ts'
import type { Action } from '../../src/ports/action.ts'
import { embeddedStage, type Stage } from '../support/house.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'
import { until } from '../support/until.ts'

const asks = 'registrá 3 cajas'

/** A depot whose free places can be looked up, and what it answers can be set. */
class Depot {
  free = 10
  looks = 0
  answers: 'at once' | 'never' | 'with an error' = 'at once'

  async look(): Promise<number> {
    this.looks += 1
    if (this.answers === 'never') await new Promise(() => {})
    if (this.answers === 'with an error') throw new Error('the depot is closed')
    return this.free
  }
}

const looking = (ledger: Ledger, depot: Depot, version = '1'): Action =>
  bookingAction(ledger, {
    version,
    preview: async ({ cajas }) => ({
      summary: `Registrar ${cajas} cajas`,
      fields: [
        { key: 'cajas', label: 'Cajas', value: { kind: 'number', number: cajas } },
        { key: 'libres', label: 'Lugares libres', value: { kind: 'number', number: await depot.look() } },
      ],
    }),
  })

/** A house where Ana asked and got her card, and which is closed again. */
async function askedIn(stage: Stage, actions: readonly Action[]): Promise<void> {
  await using test = await aPhonesHouse({ stage, actions })
  await test.phone('ana').says(asks)
}

describe('a yes to what is no more as it was shown', () => {
  it('counts for nothing: old end, new draft, difference and the mark of the event are one transaction', async () => {
    const [ledger, depot] = [new Ledger(), new Depot()]
    await using test = await aPhonesHouse({ ledger, actions: [looking(ledger, depot)] })
    const ana = test.phone('ana')
    await ana.says(asks)
    depot.free = 4
    await ana.says('sí')
    const [old, fresh] = await test.proposals()
    expect(old?.state).toEqual({ name: 'changed', reason: 'preview', by: fresh?.id })
    expect(fresh).toMatchObject({ changedFrom: old?.id, state: { name: 'pending' }, fingerprint: old?.fingerprint })
    expect(ana.card().text).toContain('Lugares libres: 10 → 4')
    expect(await test.stage.store.decisions(old?.id ?? '')).toEqual([])
    expect(ledger.calls).toEqual([])
    await ana.says('sí')
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['changed', 'succeeded'])
    expect(ledger.effects).toMatchObject([{ args: { cajas: 3 } }])
  })

  it('is not looked at for somebody who may not decide it, nor for a no', async () => {
    const [ledger, depot] = [new Ledger(), new Depot()]
    await using test = await aPhonesHouse({ ledger, actions: [looking(ledger, depot)] })
    const ana = test.phone('ana')
    await ana.says(asks)
    expect(depot.looks).toBe(1)
    depot.free = 4
    await test.read()
    await test.channel.presses('ana', 'eva', ana.card().id, 'Confirmar')
    await test.quiet()
    await ana.says('no')
    expect(depot.looks).toBe(1)
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['rejected'])
  })

  it.each(['never', 'with an error'] as const)(
    'where the world answers %s, nothing is approved within the bound, and the card stays',
    async (answers) => {
      const [ledger, depot] = [new Ledger(), new Depot()]
      await using test = await aPhonesHouse({ ledger, actions: [looking(ledger, depot)] })
      const ana = test.phone('ana')
      await ana.says(asks)
      depot.answers = answers
      const began = performance.now()
      await ana.says('sí')
      expect(performance.now() - began).toBeLessThan(8_000)
      expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['pending'])
      expect(ana.sees().at(-1)?.text).toMatch(/^Ahora no pude comprobar si esto sigue igual/)
      depot.answers = 'at once'
      await ana.says('sí')
      expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['succeeded'])
    },
    20_000,
  )

  it('holds nobody else up: another chat decides while one look takes its time', async () => {
    const [ledger, depot] = [new Ledger(), new Depot()]
    await using test = await aPhonesHouse({ ledger, actions: [looking(ledger, depot)] })
    const [ana, eva] = [test.phone('ana'), test.phone('eva')]
    await ana.says(asks)
    await eva.says('registrá 5 cajas')
    depot.answers = 'never'
    await test.read()
    await test.channel.says('ana', 'ana', 'sí')
    await until(() => depot.looks === 3)
    depot.answers = 'at once'
    const began = performance.now()
    await test.channel.says('eva', 'eva', 'sí')
    await until(async () => (await test.proposals()).some(({ state }) => state.name === 'succeeded'))
    expect(performance.now() - began).toBeLessThan(2_500)
    await test.quiet()
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['pending', 'succeeded'])
  })

  it('where the action is another version by now, ends as changed with a card of that version', async () => {
    const [ledger, depot] = [new Ledger(), new Depot()]
    const stage = await embeddedStage()
    await askedIn(stage, [looking(ledger, depot)])
    await using second = await aPhonesHouse({ ledger, actions: [looking(ledger, depot, '2')], stage })
    await second.read()
    await second.channel.says('ana', 'ana', `sí #${(await second.proposals())[0]?.code}`)
    await second.quiet()
    const [old, fresh] = await second.proposals()
    expect(old?.state).toEqual({ name: 'changed', reason: 'version', by: fresh?.id })
    expect(fresh).toMatchObject({ actionVersion: '2', state: { name: 'pending' } })
    const canonical = canonicalOf({ cajas: 3 })
    expect(fresh?.fingerprint).toBe(
      canonical.ok &&
        fingerprintOf({
          tenant: fresh?.tenant ?? '',
          action: 'registrar',
          actionVersion: '2',
          canonicalArgs: canonical.canonical,
        }),
    )
    expect(ledger.calls).toEqual([])
  })

  it('where the action is gone, ends as changed and is told', async () => {
    const [ledger, depot] = [new Ledger(), new Depot()]
    const stage = await embeddedStage()
    await askedIn(stage, [looking(ledger, depot)])
    await using second = await aPhonesHouse({ ledger, actions: [bookingAction(ledger, { name: 'anotar' })], stage })
    await second.read()
    await second.channel.says('ana', 'ana', `sí #${(await second.proposals())[0]?.code}`)
    await second.quiet()
    expect((await second.proposals()).map(({ state }) => state)).toEqual([{ name: 'changed', reason: 'version' }])
    expect(second.phone('ana').sees().at(-1)?.text).toMatch(
      /^Algo cambió desde que se mostró la tarjeta, así que no se hizo nada/,
    )
  })
})
