// One number, several processes: they are killed, stopped and set against each other, while people write.
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { pairNumber } from '../../src/channels/whatsapp-baileys/pair.ts'
import type { Log } from '../../src/ports/log.ts'
import { openStore } from '../../src/store/open.ts'
import { openVault } from '../../src/store/vault.ts'
import { aDatabase, type TestDatabase } from '../support/database.ts'
import { describeOn } from '../support/describe-on.ts'
import { until } from '../support/until.ts'
import { type ChildSettings, WhatsAppChild } from '../support/whatsapp-children.ts'
import { type Phone, startWhatsAppServer, trusting, type WhatsAppServer } from '../support/whatsapp-server/index.ts'

/** As many and as long as one has time for: `DALE_KILLS=50 DALE_FIGHT_SECONDS=60 npm test -- test/faults/killed-whatsapp`. */
const kills = Number(process.env.DALE_KILLS ?? 4)
const fightMs = Number(process.env.DALE_FIGHT_SECONDS ?? 8) * 1000
const seed = Number(process.env.DALE_SEED ?? 1)

const phone = '15550001111'
const log: Log = { info: () => {}, warn: () => {}, error: () => {} }

/** The same numbers for the same seed, from 0 to 1. */
function* numbersFrom(from: number): Generator<number, never> {
  for (let state = from; ; ) {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    yield state / 2 ** 32
  }
}

describeOn('postgres', 'a WhatsApp number and the processes that want it', () => {
  let cleanup: AsyncDisposableStack
  let database: TestDatabase
  let server: WhatsAppServer
  let settings: ChildSettings
  let ana: Phone

  beforeEach(async () => {
    cleanup = new AsyncDisposableStack()
    database = cleanup.use(await aDatabase())
    server = cleanup.use(await startWhatsAppServer())
    trusting(server)
    await database.run('create table received (id text primary key, at bigserial, text text not null)')
    const secret = randomBytes(32)
    const footing = { kind: 'postgres', url: database.url } as const
    settings = {
      account: 'tienda',
      serverUrl: server.url,
      trust: Buffer.from(server.trust).toString('base64'),
      databaseUrl: database.url,
      secret: secret.toString('hex'),
    }
    ana = await server.person('ana', { lid: '99900002222', phone: '15550002222' })
    const number = await server.number(phone)
    await using vault = openVault(footing, { current: secret })
    await using store = await openStore(footing)
    const paired = await pairNumber(
      { account: 'tienda', controls: 'words', serverUrl: server.url, vault, leases: store, owner: 'pairing', log },
      { again: false },
      { qr: (qr) => void number.scans(qr), code: () => {} },
      new AbortController().signal,
    )
    expect(paired).toEqual({ kind: 'paired', phone })
  })
  afterEach(async () => {
    await cleanup.disposeAsync()
  })

  const gateway = (more: Partial<ChildSettings> = {}): WhatsAppChild => cleanup.use(new WhatsAppChild({ ...settings, ...more }))
  const received = async () => (await database.run('select text from received order by at')).map(({ text }) => String(text))

  it('moves to another gateway within 15 seconds after kill -9, and at once when its holder is asked to end', async () => {
    const first = gateway()
    await until(() => first.holds)
    const second = gateway()
    await second.started()
    expect(second.holds).toBe(false)
    const killedAt = performance.now()
    await first.kill()
    await until(() => second.holds)
    expect(performance.now() - killedAt).toBeLessThan(15_000)

    const third = gateway()
    await third.started()
    const askedAt = performance.now()
    await second.drain()
    await until(() => third.holds)
    expect(performance.now() - askedAt).toBeLessThan(5000)
    expect(server.sockets(phone)).toMatchObject({ most: 1, open: 1, pairings: 1 })
  }, 60_000)

  it(
    'never has two sockets while two gateways fight for it',
    async () => {
      const numbers = numbersFrom(seed)
      const next = (upTo: number) => numbers.next().value * upTo
      const pair = [gateway(), gateway()]
      await until(() => pair.some((one) => one.holds))
      const texts: string[] = []
      const end = performance.now() + fightMs
      while (performance.now() < end) {
        const at = next(1) < 0.5 ? 0 : 1
        const how = next(1)
        const text = `mensaje ${texts.length}`
        texts.push(text)
        await ana.says(text)
        if (how < 0.4) await server.closes(phone, ([428, 503, 'cut'] as const)[Math.floor(next(3))] ?? 'cut')
        else if (how < 0.7) {
          await pair[at]?.drain()
          pair[at] = gateway()
        } else if (how < 0.8) {
          await pair[at]?.kill()
          pair[at] = gateway()
        }
        await setTimeout(next(700))
        expect(server.sockets(phone).most).toBeLessThanOrEqual(1)
      }
      await until(async () => (await received()).length === texts.length)
      expect(await received()).toEqual(texts)
      expect(server.sockets(phone)).toMatchObject({ most: 1, pairings: 1 })
    },
    fightMs + 120_000,
  )

  it(
    'logs in again without a new QR and loses no message, wherever kill -9 meets it',
    async () => {
      const numbers = numbersFrom(seed)
      const next = (upTo: number) => numbers.next().value * upTo
      const texts: string[] = []
      // A store that takes its time: what was read and is not stored yet is most of what there is to lose.
      const slow = { storeSeconds: 0.1 }
      let one = gateway(slow)
      for (let killed = 0; killed < kills; killed += 1) {
        await until(() => one.holds)
        const sentBefore = server.sendings.length
        // While messages come in and go out the session is written all the time.
        const talking = (async () => {
          for (let said = 0; said < 4; said += 1) {
            const text = `mensaje ${texts.length}`
            texts.push(text)
            await ana.says(text)
            one.tell({ send: { to: '99900002222@lid', text: `respuesta ${killed}-${said}`, ref: `r${killed}x${said}` } })
          }
        })()
        // From the first that leaves on, so that it is met at work.
        await server.until(() => server.sendings.length > sentBefore)
        await setTimeout(next(300))
        await one.kill()
        await talking.catch(() => undefined)
        // As after a restart of the machine: nobody waits for the dead process's lease.
        await database.run(`update dale.lease set until = 0`)
        one = gateway(slow)
      }
      await until(() => one.holds)
      await ana.says('fin')
      // libsignal turns the wrong one of two sessions that were begun at once; then the phone is asked to send again, which takes its time
      // and comes late.
      await until(async () => (await received()).length > texts.length)
      expect((await received()).toSorted()).toEqual([...texts, 'fin'].toSorted())
      one.tell({ send: { to: '99900002222@lid', text: 'sigo acá', ref: 'last' } })
      await ana.until(({ text }) => text === 'sigo acá')
      expect(server.sockets(phone)).toMatchObject({ most: 1, pairings: 1 })
    },
    60_000 + kills * 20_000,
  )
})
