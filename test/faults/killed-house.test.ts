import { describe, expect, it } from 'vitest'
import { aHouseToKill } from '../support/killed.ts'
import { until } from '../support/until.ts'

const timeout = 120_000

describe('the whole house in one process, on its own database', () => {
  it('AP-012 AP-013 B71 B85: killed and started again keeps its cards, decides them by press and by word, and runs each once', {
    timeout,
  }, async () => {
    await using around = await aHouseToKill()
    const { server, ledger, later } = around
    const people = ['Ana', 'Beto', 'Carla'].map((name) => server.person(name))
    const [ana, beto, carla] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]]
    const cardOf = (person: typeof ana) => server.shown(person.user.id).find(({ text }) => text?.includes('Cajas:'))
    const texts = (person: typeof ana) => server.shown(person.user.id).map(({ text }) => text ?? '')

    const first = await around.started()
    ana.says('registrá 1 cajas')
    beto.says('anotá 2 cajas')
    carla.says('registrá 3 cajas')
    await until(() => [ana, beto, carla].every((person) => cardOf(person)?.reply_markup !== undefined))
    await later(4_000, first)
    // One is being called while the process dies, after the far side has done it.
    const done = ledger.hold(3, 'done')
    carla.says('sí')
    await done
    await first.kill()
    ana.taps(cardOf(ana)?.message_id ?? 0, 'Confirmar')
    beto.says('sí')
    ledger.release()

    // The dead process's lease on the bot is over by then; until then nobody else polls.
    await later(31_000)
    const second = await around.started(31_000)
    await until(
      () => texts(ana).some((text) => text.startsWith('Hecho: ')) && texts(beto).some((text) => text.startsWith('Hecho: ')),
    )
    await later(120_000, second)
    await until(() => texts(carla).some((text) => text.startsWith('Hecho: ')))
    await second.drain()
    expect(ledger.effects.map(({ cajas, action }) => [cajas, action]).toSorted(([a], [b]) => Number(a) - Number(b))).toEqual([
      [1, 'registrar'],
      [2, 'anotar'],
      [3, 'registrar'],
    ])
    expect(ledger.requests.filter(({ point, cajas }) => point === 'arrived' && cajas === 3).map(({ fence }) => fence)).toEqual([
      1, 2,
    ])
    expect(texts(carla).filter((text) => text.includes('pude saber si esto se hizo'))).toHaveLength(1)
    for (const person of people) expect(texts(person).filter((text) => text.startsWith('Hecho: '))).toHaveLength(1)
  })
})
