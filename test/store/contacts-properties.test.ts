import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mayApprove } from '../../src/core/authority.ts'
import type { InboundMessage } from '../../src/core/inbound.ts'
import type { Store } from '../../src/ports/store.ts'
import { anEmptyStore } from '../support/embedded.ts'
import { bsuid, lid, phone, writesAs } from '../support/parties.ts'
import { aProposal, placed, someTimeMs } from '../support/proposals.ts'
import { aShowing } from './contract/under-test.ts'

/** Runs of a store are slow; `DALE_RUNS` makes them many. */
const runs = { numRuns: Number(process.env.DALE_RUNS ?? 12), interruptAfterTimeLimit: 600_000, markInterruptAsFailure: true }
const people = 4

/** What people do. Their lasting ids never change; who has which number does. */
type Step =
  /** Through one transport, which may or may not tell the number. The provider may keep it back for so many steps, or deliver it twice. */
  | {
      readonly do: 'write'
      readonly who: number
      readonly through: 'baileys' | 'cloud'
      readonly tells: boolean
      readonly late: number
      readonly twice: boolean
    }
  | { readonly do: 'ask'; readonly who: number }
  /** The number of one goes to another, whose own is free from then on and may be anybody's later. */
  | { readonly do: 'recycle'; readonly from: number; readonly to: number }

const who = fc.nat(people - 1)
const step = (transports: readonly ('baileys' | 'cloud')[]): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('write' as const),
        who,
        through: fc.constantFrom(...transports),
        tells: fc.constantFrom(true, true, false),
        late: fc.constantFrom(0, 0, 2, 6, 15),
        twice: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('ask' as const), who }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('recycle' as const), from: who, to: who }) },
  )

/** Half of the talks in order, half with messages that come late. */
const talk = (...transports: readonly ('baileys' | 'cloud')[]): fc.Arbitrary<readonly Step[]> =>
  fc
    .tuple(fc.boolean(), fc.array(step(transports), { minLength: 10, maxLength: 50, size: 'max' }))
    .map(([inOrder, steps]) => (inOrder ? steps.map((one) => (one.do === 'write' ? { ...one, late: 0 } : one)) : steps))

/** The world as it is, and what it makes of the store. */
class World {
  readonly store: Store
  readonly #numbers: (string | undefined)[]
  #nowS = 0
  readonly #kept: { readonly event: InboundMessage; readonly who: number; readonly atS: number; readonly atStep: number }[] = []
  readonly #opened = new Map<string, number>()
  readonly #chats = new Map<number, string>()
  readonly #persons = new Map<number, string>()
  /** What the provider has said of numbers: who had which when they wrote. */
  readonly #said: { readonly who: number; readonly number: string; readonly atS: number }[] = []
  #step = 0

  constructor(store: Store, numbers: readonly (string | undefined)[]) {
    this.store = store
    this.#numbers = [...numbers]
  }

  async take(step: Step): Promise<void> {
    this.#step += 1
    this.#nowS += 1
    switch (step.do) {
      case 'recycle':
        if (step.from === step.to) return
        this.#numbers[step.to] = this.#numbers[step.from]
        this.#numbers[step.from] = undefined
        return
      case 'ask':
        return await this.#ask(step.who)
      case 'write': {
        const number = this.#numbers[step.who]
        const event = writesAs(
          [idOf(step.who, step.through), ...(step.tells && number !== undefined ? [number] : [])],
          'sí',
          this.#nowS,
        )
        const sent = { event, who: step.who, atS: this.#nowS }
        this.#kept.push({ ...sent, atStep: this.#step + step.late })
        if (step.twice) this.#kept.push({ ...sent, atStep: this.#step + step.late + 2 })
      }
    }
    await this.deliver()
  }

  /** Everything that the provider does not keep back any more. */
  async deliver(all = false): Promise<void> {
    const due = this.#kept.filter(({ atStep }) => all || atStep <= this.#step)
    this.#kept.splice(0, this.#kept.length, ...this.#kept.filter((one) => !due.includes(one)))
    for (const { event, who, atS } of due) {
      const [row] = await this.store.keep('main', [event])
      if (row === undefined) continue
      for (const number of event.sender.also ?? []) this.#said.push({ who, number, atS })
      await this.check(who, event.sender.id, row.event.conversation.chat)
    }
  }

  /** Somebody who writes finds every card of theirs, and may decide these and no other. */
  async check(who: number, identity: string, chat: string): Promise<void> {
    const { open, person } = await this.store.situation({
      conversation: { account: 'tienda', chat },
      identity,
      before: { atMs: someTimeMs + 3_600_000 },
      inboxId: 0,
    })
    const theirs = [...this.#opened].filter(([, opener]) => opener === who).map(([id]) => id)
    expect(open.map(({ proposal }) => proposal.id)).toEqual(theirs)
    for (const [id, opener] of this.#opened) {
      const proposal = (await this.store.proposal(id))?.proposal
      expect(proposal !== undefined && mayApprove(proposal, person)).toBe(opener === who)
    }
    this.#chats.set(who, chat)
    const before = this.#persons.get(who) ?? person.id
    expect([person.id, ...person.formerly]).toContain(before)
    this.#persons.set(who, person.id)
    expect(new Set(this.#persons.values()).size).toBe(this.#persons.size)
  }

  /** Where the provider keeps the order, a number is of whom it last said it of, unless it said another of them after that. */
  async checkNumbers(): Promise<void> {
    const latest = (said: readonly { readonly who: number; readonly number: string; readonly atS: number }[]) =>
      said.toSorted((a, b) => a.atS - b.atS).at(-1)
    if (this.#said.some(({ atS }, place) => atS < (this.#said[place - 1]?.atS ?? 0))) return
    for (const number of new Set(this.#said.map((one) => one.number))) {
      const last = latest(this.#said.filter((one) => one.number === number))
      const isTheirs = last !== undefined && latest(this.#said.filter(({ who }) => who === last.who))?.number === number
      const { id } = await this.store.person(number)
      if (isTheirs) expect(id).toBe(this.#persons.get(last.who))
      else expect([...this.#persons.values()]).not.toContain(id)
    }
  }

  async #ask(who: number): Promise<void> {
    const chat = this.#chats.get(who)
    if (chat === undefined) return
    const { id } = await this.store.person(idOf(who, 'baileys'))
    const { id: other } = await this.store.person(idOf(who, 'cloud'))
    // Known through the transport that they wrote by.
    const requester = id === idOf(who, 'baileys') && other !== idOf(who, 'cloud') ? other : id
    const proposal = await placed(this.store, aProposal({ conversation: { account: 'tienda', chat }, requester }))
    await this.store.commit({ showing: aShowing(proposal) })
    this.#opened.set(proposal.id, who)
  }
}

const idOf = (who: number, through: 'baileys' | 'cloud'): string => (through === 'baileys' ? lid(`${who}`) : bsuid(`${who}`))
const numbers = Array.from({ length: people }, (_, place) => phone(`000${place}`))

test('through one transport a person is one human, whoever has which number and in whatever order the provider delivers', async () => {
  await fc.assert(
    fc.asyncProperty(talk('baileys'), async (steps) => {
      await using under = await anEmptyStore()
      const world = new World(under.store, numbers)
      for (const one of steps) await world.take(one)
      await world.deliver(true)
      await world.checkNumbers()
    }),
    runs,
  )
}, 600_000)

test('through two transports, once each number was seen with both of its holder’s ids', async () => {
  await fc.assert(
    fc.asyncProperty(talk('baileys', 'cloud'), async (steps) => {
      await using under = await anEmptyStore()
      const world = new World(under.store, numbers)
      for (let who = 0; who < people; who += 1)
        for (const through of ['baileys', 'cloud'] as const)
          await world.take({ do: 'write', who, through, tells: true, late: 0, twice: false })
      for (const one of steps) await world.take(one)
      await world.deliver(true)
      await world.checkNumbers()
    }),
    runs,
  )
}, 600_000)

test('whoever had no number of their own yet is found again by any form of address', async () => {
  const forms = fc.array(fc.constantFrom('lid', 'phone', 'both', 'cloud'), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(forms, async (shown) => {
      await using under = await anEmptyStore()
      const world = new World(under.store, numbers)
      const ids = {
        lid: [lid('0')],
        phone: [phone('0000')],
        both: [lid('0'), phone('0000')],
        cloud: [bsuid('0'), phone('0000')],
      } as const
      let atS = 0
      for (const form of [...shown, 'both', 'cloud', 'lid', 'phone'] as const) {
        atS += 1
        await under.store.keep('main', [writesAs(ids[form], 'hola', atS)])
      }
      const chats = new Set((await under.store.due(100)).inbound.map(({ chat }) => chat))
      expect(chats.size).toBe(1)
      for (const id of [lid('0'), phone('0000'), bsuid('0')]) await world.check(0, id, [...chats][0] ?? '')
    }),
    runs,
  )
}, 600_000)
