import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Bell, Room } from '../../src/ports/bell.ts'
import type { Log } from '../../src/ports/log.ts'

type OpenBell = Bell & AsyncDisposable

/** A bell to hold to its contract. `open` opens another one on the same queue, as another process would. */
export interface BellUnderTest {
  readonly name: string
  readonly open: (log: Log) => Promise<OpenBell>
  /** Takes the queue away and gives it back; absent where the queue lives in the process and cannot go away. */
  readonly outage?: { readonly begin: () => Promise<void>; readonly end: () => Promise<void> }
}

/** What a log was told, by event. */
export class Told implements Log {
  readonly events: string[] = []
  info = (_about: object, event: string): void => void this.events.push(event)
  warn = (_about: object, event: string): void => void this.events.push(event)
  error = (_about: object, event: string): void => void this.events.push(event)
}

/** Hears bells of one test only: what an earlier test left in a room is not for it. */
class Ear {
  readonly #own = randomUUID()
  readonly heard: string[] = []
  /** Called with each bell as it is heard; the bell is in hand until it settles. */
  during: (name: string) => Promise<void> = async () => undefined
  id = (name: string): string => `${this.#own}/${name}`
  onBell = async (id: string): Promise<void> => {
    if (!id.startsWith(this.#own)) return
    const name = id.slice(this.#own.length + 1)
    this.heard.push(name)
    await this.during(name)
  }
}

const soon = { timeout: 10_000, interval: 10 }

/** The contract of `src/ports/bell.ts`, for every queue that Dale can stand on. */
export function bellContract({ name, open, outage }: BellUnderTest): void {
  async function opened(log: Log = new Told()): Promise<OpenBell> {
    const bell = await open(log)
    onTestFinished(() => bell[Symbol.asyncDispose]())
    return bell
  }

  describe(`a bell on ${name}`, () => {
    test('rings once', async () => {
      const [bell, ear] = [await opened(), new Ear()]
      await bell.work('turns', ear.onBell)
      await bell.ring('turns', ear.id('first'))
      await expect.poll(() => ear.heard, soon).toEqual(['first'])
      await bell.ring('turns', ear.id('second'))
      await expect.poll(() => ear.heard, soon).toEqual(['first', 'second'])
    })

    test('rings again for an id that has rung before, whatever the id looks like (BQ-001, BQ-003, BQ-004, BQ-005, BQ-007)', async () => {
      const [bell, ear] = [await opened(), new Ear()]
      await bell.work('executions', ear.onBell)
      const ids = ['p_7Q2M', 'proposal:p_7Q2M', '12345', '00123', '123', '-5', '1e3']
      for (const id of ids) await bell.ring('executions', ear.id(id))
      await expect.poll(() => ear.heard.toSorted(), soon).toEqual(ids.toSorted())
      for (const id of ids) await bell.ring('executions', ear.id(id))
      await expect.poll(() => ear.heard.toSorted(), soon).toEqual([...ids, ...ids].toSorted())
    })

    test('carries an id as it is, digits and colons included (BQ-001, BQ-003)', async () => {
      const bell = await opened()
      const heard: string[] = []
      await bell.work('deliveries', async (id) => void heard.push(id))
      await bell.ring('deliveries', '12345')
      await bell.ring('deliveries', 'tienda/tg:42000001')
      await expect.poll(() => heard.toSorted(), soon).toEqual(['12345', 'tienda/tg:42000001'])
    })

    test('waits in the queue until somebody works the room', async () => {
      const [bell, ear] = [await opened(), new Ear()]
      await bell.ring('turns', ear.id('early'))
      await bell.work('turns', ear.onBell)
      await expect.poll(() => ear.heard, soon).toEqual(['early'])
    })

    test('is heard in its own room only', async () => {
      const bell = await opened()
      const rooms: readonly Room[] = [
        'turns',
        'executions',
        'deliveries',
        'deliveries:front',
        'deliveries:Front',
        'deliveries:f-_0',
      ]
      const ears = new Map(rooms.map((room) => [room, new Ear()] as const))
      for (const [room, ear] of ears) await bell.work(room, ear.onBell)
      await Promise.all([...ears].map(([room, ear]) => bell.ring(room, ear.id(room))))
      const heard = (): unknown => [...ears.values()].map((ear) => ear.heard)
      await expect.poll(heard, soon).toEqual(rooms.map((room) => [room]))
    })

    test('rings while the worker is busy with another', async () => {
      const [bell, ear, release] = [await opened(), new Ear(), Promise.withResolvers<void>()]
      ear.during = (name) => (name === 'slow' ? release.promise : Promise.resolve())
      await bell.work('turns', ear.onBell)
      await bell.ring('turns', ear.id('slow'))
      await expect.poll(() => ear.heard, soon).toEqual(['slow'])
      await bell.ring('turns', ear.id('quick'))
      await expect.poll(() => ear.heard, soon).toEqual(['slow', 'quick'])
      release.resolve()
    })

    test('is worked ten at a time, never more', async () => {
      const [bell, ear, full] = [await opened(), new Ear(), Promise.withResolvers<void>()]
      let [inHand, most] = [0, 0]
      ear.during = async () => {
        inHand += 1
        most = Math.max(most, inHand)
        if (inHand === 10) full.resolve()
        await full.promise
        inHand -= 1
      }
      await bell.work('turns', ear.onBell)
      await Promise.all(Array.from({ length: 40 }, (_, n) => bell.ring('turns', ear.id(String(n)))))
      await expect.poll(() => ear.heard.length, soon).toBe(40)
      expect(most).toBe(10)
    })

    test('that cannot be answered is logged and not rung again; the next one is answered (BQ-026)', async () => {
      const [told, ear] = [new Told(), new Ear()]
      const bell = await opened(told)
      ear.during = async (name) => {
        if (name === 'bad') throw new Error('the row is gone')
      }
      await bell.work('turns', ear.onBell)
      await bell.ring('turns', ear.id('bad'))
      await expect.poll(() => ear.heard, soon).toEqual(['bad'])
      await bell.ring('turns', ear.id('good'))
      await expect.poll(() => ear.heard, soon).toEqual(['bad', 'good'])
      expect(told.events.filter((event) => event === 'bell_unanswered')).toHaveLength(1)
    })

    test('with a delay does not ring before it', async () => {
      const [bell, ear] = [await opened(), new Ear()]
      let heardAtMs = 0
      ear.during = async () => {
        heardAtMs = performance.now()
      }
      await bell.work('turns', ear.onBell)
      const rungAtMs = performance.now()
      await bell.ring('turns', ear.id('later'), 300)
      await expect.poll(() => ear.heard, soon).toEqual(['later'])
      expect(heardAtMs - rungAtMs).toBeGreaterThan(290)
    })

    test('is shared out between processes, each ring to one of them', async () => {
      const [one, other, ear] = [await opened(), await opened(), new Ear()]
      const shares = [0, 0]
      const both = Promise.withResolvers<void>()
      const counted = (process: 0 | 1) => async (id: string) => {
        await ear.onBell(id)
        shares[process] = (shares[process] ?? 0) + 1
        if (shares.every((share) => share > 0)) both.resolve()
        await both.promise // Neither takes it all before the other has begun.
      }
      await one.work('deliveries', counted(0))
      await other.work('deliveries', counted(1))
      const names = Array.from({ length: 30 }, (_, n) => String(n))
      await Promise.all(names.map((name) => one.ring('deliveries', ear.id(name))))
      await expect.poll(() => ear.heard.length, soon).toBeGreaterThanOrEqual(30)
      expect(ear.heard.toSorted()).toEqual(names.toSorted())
    })

    test("in an account's own room waits while nobody works it, and is heard by whoever works it next", async () => {
      const [one, other, ear] = [await opened(), await opened(), new Ear()]
      const room: Room = `deliveries:${randomUUID().slice(0, 8)}`
      await one.ring(room, ear.id('early'))
      const heard: string[] = []
      for (let changes = 0; changes < 12; changes += 1) {
        const holder = changes % 2 === 0 ? one : other
        const shift = await holder.work(room, ear.onBell)
        heard.push(changes === 0 ? 'early' : `meanwhile ${changes}`)
        await expect.poll(() => ear.heard, soon).toEqual(heard)
        await other.ring(room, ear.id(`here ${changes}`))
        heard.push(`here ${changes}`)
        await expect.poll(() => ear.heard, soon).toEqual(heard)
        await shift[Symbol.asyncDispose]()
        await one.ring(room, ear.id(`meanwhile ${changes + 1}`))
      }
      expect(ear.heard).toEqual(heard)
    })

    test("in an account's own room is waited for by whoever stops working it, and nothing more is taken there", async () => {
      const [bell, ear, release] = [await opened(), new Ear(), Promise.withResolvers<void>()]
      const room: Room = `deliveries:${randomUUID().slice(0, 8)}`
      ear.during = (name) => (name === 'in hand' ? release.promise : Promise.resolve())
      const shift = await bell.work(room, ear.onBell)
      await bell.ring(room, ear.id('in hand'))
      await expect.poll(() => ear.heard, soon).toEqual(['in hand'])
      let stopped = false
      const stopping = shift[Symbol.asyncDispose]().then(() => {
        stopped = true
      })
      await bell.work('turns', ear.onBell)
      await bell.ring(room, ear.id('next'))
      await bell.ring('turns', ear.id('elsewhere'))
      await expect.poll(() => ear.heard, soon).toContain('elsewhere')
      expect(stopped).toBe(false)
      release.resolve()
      await stopping
      // One more may have been fetched in the moment of stopping; after it nothing is.
      const taken = ear.heard.length
      await bell.ring(room, ear.id('after'))
      await bell.ring('turns', ear.id('turn after'))
      await expect.poll(() => ear.heard, soon).toContain('turn after')
      expect(ear.heard.slice(taken)).toEqual(['turn after'])
    })

    test("says that it can be used whether or not an account's own room is worked", async () => {
      const [bell, ear] = [await opened(), new Ear()]
      await bell.work('turns', ear.onBell)
      await expect.poll(() => bell.isUp(), soon).toBe(true)
      const seen = new Set<boolean>()
      for (let changes = 0; changes < 5; changes += 1) {
        const working = bell.work('deliveries:comes-and-goes', ear.onBell)
        seen.add(bell.isUp())
        const shift = await working
        seen.add(bell.isUp())
        const stopping = shift[Symbol.asyncDispose]()
        seen.add(bell.isUp())
        await stopping
        seen.add(bell.isUp())
      }
      expect([...seen]).toEqual([true])
      expect(bell.doubt()).toBeUndefined()
    })

    test('that is in hand is waited for by whoever stops working, and the next one rings once, here or at another (BQ-014, BQ-025)', async () => {
      const [bell, ear, release] = [await opened(), new Ear(), Promise.withResolvers<void>()]
      ear.during = (name) => (name === 'in hand' ? release.promise : Promise.resolve())
      const shift = await bell.work('executions', ear.onBell)
      await bell.ring('executions', ear.id('in hand'))
      await expect.poll(() => ear.heard, soon).toEqual(['in hand'])
      let stopped = false
      const stopping = shift[Symbol.asyncDispose]().then(() => {
        stopped = true
      })
      await bell.ring('executions', ear.id('next'))
      expect(stopped).toBe(false)
      release.resolve()
      await stopping
      await bell.work('executions', ear.onBell)
      await bell.ring('executions', ear.id('last'))
      await expect.poll(() => ear.heard, soon).toEqual(['in hand', 'next', 'last'])
    })

    test('that is closed waits for what is in hand, even if that then fails, and leaves no bell half answered (BQ-025, BQ-026)', async () => {
      const [closing, ear, release] = [await open(new Told()), new Ear(), Promise.withResolvers<void>()]
      ear.during = (name) => (name === 'in hand' ? release.promise : Promise.resolve())
      await closing.work('executions', ear.onBell)
      await closing.ring('executions', ear.id('in hand'))
      await expect.poll(() => ear.heard, soon).toEqual(['in hand'])
      const closed = closing[Symbol.asyncDispose]()
      release.reject(new Error('the last one fails'))
      await closed
      const next = await opened()
      await next.work('executions', ear.onBell)
      await next.ring('executions', ear.id('after'))
      await expect.poll(() => ear.heard, soon).toEqual(['in hand', 'after'])
    })

    test('rung after the end is lost without an error', async () => {
      const told = new Told()
      const bell = await open(told)
      await bell[Symbol.asyncDispose]()
      await bell.ring('turns', 'nobody')
      expect(told.events.filter((event) => event === 'bell_lost')).toHaveLength(1)
      expect(bell.isUp()).toBe(false)
    })

    if (outage === undefined) return

    test('says when the queue goes away, loses rings at once and without an error, and works on by itself (BQ-018, BQ-020)', async () => {
      const [told, ear] = [new Told(), new Ear()]
      const bell = await opened(told)
      await bell.work('executions', ear.onBell)
      await bell.work('turns', ear.onBell)
      await bell.ring('executions', ear.id('before'))
      await expect.poll(() => ear.heard, soon).toEqual(['before'])
      await expect.poll(() => bell.isUp(), soon).toBe(true)

      await outage.begin()
      await expect.poll(() => bell.isUp(), soon).toBe(false)
      const rungAtMs = performance.now()
      await bell.ring('executions', ear.id('lost'))
      expect(performance.now() - rungAtMs).toBeLessThan(3500)
      expect(told.events).toContain('bell_lost')
      ear.heard.length = 0

      await outage.end()
      await expect.poll(() => bell.isUp(), soon).toBe(true)
      await Promise.all([bell.ring('executions', ear.id('after')), bell.ring('turns', ear.id('after too'))])
      await expect.poll(() => ear.heard, soon).toEqual(expect.arrayContaining(['after', 'after too']))
    })

    test('opens while the queue is away, without waiting for it, and comes up when it is there', async () => {
      const ear = new Ear()
      await outage.begin()
      const bell = await opened()
      await bell.work('turns', ear.onBell)
      await bell.ring('turns', ear.id('lost'))
      expect(bell.isUp()).toBe(false)
      await outage.end()
      await expect.poll(() => bell.isUp(), soon).toBe(true)
      await bell.ring('turns', ear.id('rung'))
      await expect.poll(() => ear.heard, soon).toEqual(['rung'])
    })

    test('closes while the queue is away', async () => {
      const [bell, ear] = [await open(new Told()), new Ear()]
      await bell.work('turns', ear.onBell)
      await bell.ring('turns', ear.id('before'))
      await expect.poll(() => ear.heard, soon).toEqual(['before'])
      await outage.begin()
      await bell[Symbol.asyncDispose]()
      expect(bell.isUp()).toBe(false)
      await outage.end()
    })
  })
}
