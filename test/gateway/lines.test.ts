import { describe, expect, it } from 'vitest'
import { simulatorChannel } from '../../src/channels/simulator/channel.ts'
import { deliver } from '../../src/gateway/deliver.ts'
import { handleInbound } from '../../src/gateway/handle-inbound.ts'
import type { House } from '../../src/gateway/house.ts'
import { noticeDraft } from '../../src/gateway/notice.ts'
import { sweep } from '../../src/gateway/sweep.ts'
import type { Agent } from '../../src/ports/agent.ts'
import type { Channel } from '../../src/ports/channel.ts'
import { aPress } from '../store/contract/under-test.ts'
import { aHouse, embeddedStage, type HouseSettings, type Stage, type TestHouse } from '../support/house.ts'
import { linedChannel } from '../support/lined-channel.ts'
import { until } from '../support/until.ts'

const ana = { account: 'demo', chat: 'ana' }
const quietLog = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** One simulated provider behind a line, and processes that may hold it, by name. */
async function aLine() {
  const stage = await embeddedStage()
  const far = simulatorChannel({ account: 'demo', clock: stage.store })
  const did: string[] = []
  const holds = new Map<string, () => boolean>()
  return {
    stage,
    far,
    /** What each process did through the line: `<process> sends`, `types`, `answers`. */
    did,
    holds: (owner: string) => holds.get(owner)?.() === true,
    open: async (owner: string, settings: HouseSettings = {}): Promise<TestHouse> => {
      const near: Channel = {
        ...far,
        kind: 'lined',
        account: 'demo',
        send: async (to, message) => {
          did.push(`${owner} sends`)
          return await far.send(to, message)
        },
        typing: async () => void did.push(`${owner} types`),
        answerPress: async (pressId, text) => {
          did.push(`${owner} answers`)
          await far.answerPress(pressId, text)
        },
      }
      const channel = linedChannel(near, { leases: stage.store, owner, log: quietLog, ttlMs: 900 })
      holds.set(owner, channel.line.held)
      return await aHouse({ stage, channels: new Map([['demo', channel]]), ...settings })
    },
  }
}

const textsOf = ({ far }: { readonly far: ReturnType<typeof simulatorChannel> }): readonly string[] =>
  far.transcript('ana').flatMap(({ content, by }) => (by.kind === 'account' && 'text' in content ? [content.text ?? ''] : []))

/** Shows that it works, says what it heard, and shows nothing else. */
const slow: Agent = {
  async *run() {
    yield { kind: 'state', state: 'typing' }
    yield { kind: 'text', text: 'Entendido.' }
  },
}

describe('an account whose connection lives in one process', () => {
  it('speaks and types only there, whoever wrote what is to be said', { timeout: 30_000 }, async () => {
    const line = await aLine()
    await using _gateway = await line.open('gateway', { agent: slow, start: { gateway: true, workers: false } })
    await until(() => line.holds('gateway'))
    await using _worker = await line.open('worker', { agent: slow, start: { gateway: false, workers: true } })
    await line.far.says('ana', 'ana', 'hola')
    await until(() => textsOf(line).length === 1)
    await line.far.says('ana', 'ana', 'seguís ahí')
    await until(() => textsOf(line).length === 2)
    // The turn was run by the worker, which has no line to type through.
    expect(line.did).toEqual(['gateway sends', 'gateway sends'])
  })

  it('types where the process that runs the turn holds the line', { timeout: 30_000 }, async () => {
    const line = await aLine()
    await using _both = await line.open('both', { agent: slow })
    await until(() => line.holds('both'))
    await line.far.says('ana', 'ana', 'hola')
    await until(() => textsOf(line).length === 1)
    expect(line.did).toEqual(['both types', 'both sends'])
  })

  it('is taken over with everything that waits, in order, when its process ends, and by none before', {
    timeout: 30_000,
  }, async () => {
    const line = await aLine()
    await using cleanup = new AsyncDisposableStack()
    const first = await line.open('first')
    await until(() => line.holds('first'))
    const second = cleanup.use(await line.open('second'))
    await line.far.says('ana', 'ana', 'cuánto sale')
    await until(() => textsOf(line).length === 1)
    expect(line.holds('second')).toBe(false)
    await first[Symbol.asyncDispose]()
    await second.stage.store.commit({ say: ['uno', 'dos', 'tres'].map((text) => noticeDraft(ana, 'receipt', text)) })
    await until(() => textsOf(line).length === 4)
    expect(textsOf(line)).toEqual(['Cada caja sale 10 pesos.', 'uno', 'dos', 'tres'])
    expect(line.did.filter((what) => what.endsWith('sends'))).toEqual(['first sends', ...Array(3).fill('second sends')])
    await line.far.says('ana', 'ana', 'qué hace eso')
    await until(() => textsOf(line).length === 5)
    expect(line.did.at(-1)).toBe('second sends')
  })

  it('ends the sending in hand before its line is given up, and begins no other', { timeout: 30_000 }, async () => {
    const line = await aLine()
    const [began, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { send } = line.far
    line.far.send = async (to, message) => {
      began.resolve()
      await goOn.promise
      return await send(to, message)
    }
    const first = await line.open('first')
    await until(() => line.holds('first'))
    await first.stage.store.commit({ say: ['uno', 'dos'].map((text) => noticeDraft(ana, 'receipt', text)) })
    await began.promise
    const ending = first[Symbol.asyncDispose]()
    expect(line.holds('first')).toBe(true)
    goOn.resolve()
    await ending
    expect(textsOf(line)).toEqual(['uno'])
    expect(await attemptsOf(first.stage)).toEqual([
      { settled: true, attempts: 1 },
      { settled: false, attempts: 0 },
    ])
    line.far.send = send
    await using _second = await line.open('second')
    await until(() => textsOf(line).length === 2)
    expect(textsOf(line)).toEqual(['uno', 'dos'])
  })
})

const attemptsOf = async ({ run }: Stage) =>
  await run('select settled_at is not null as settled, attempts from dale.outbox order by id')

describe('a process that does not hold the line', () => {
  /** A house that does nothing by itself, and a channel whose line is held or not as the test says. */
  async function idle() {
    const test = await aHouse({ start: { gateway: false, workers: false } })
    const far = simulatorChannel({ account: 'demo', clock: test.stage.store })
    const line = { isHeld: false }
    const sent: string[] = []
    const answered: string[] = []
    const channel: Channel = {
      ...far,
      account: 'demo',
      line: { held: () => line.isHeld, onChange: () => undefined },
      answerPress: async (pressId) => void answered.push(pressId),
      send: async (to, message) => {
        sent.push('text' in message ? message.text : message.kind)
        return await far.send(to, message)
      },
    }
    const house: House = { ...test.house, channels: new Map([['demo', channel]]) }
    await test.stage.store.commit({ say: ['uno', 'dos', 'tres'].map((text) => noticeDraft(ana, 'chatter', text)) })
    return { test, house, line, sent, answered, channel }
  }

  it('sends nothing and counts no attempt', async () => {
    const { test, house, line, sent } = await idle()
    await using _test = test
    await deliver(house, ana)
    expect(sent).toEqual([])
    expect(await attemptsOf(test.stage)).toEqual(Array(3).fill({ settled: false, attempts: 0 }))
    line.isHeld = true
    await deliver(house, ana)
    expect(sent).toEqual(['uno', 'dos', 'tres'])
  })

  it('leaves a tap unanswered, which is no trouble, and judges it all the same', async () => {
    const { test, house, line, answered } = await idle()
    await using _test = test
    const taps = ['1', '2'].map((pressId) =>
      aPress({ conversation: ana, sender: { id: 'sim:ana' }, providerId: pressId, pressId }),
    )
    for (const [place, tap] of taps.entries()) {
      line.isHeld = place === 1
      await test.stage.store.keep('default', [tap])
      await handleInbound(house, ana)
    }
    expect(answered).toEqual(['2'])
    expect(await test.stage.run('select road from dale.inbox order by id')).toEqual([{ road: 'no_such' }, { road: 'no_such' }])
    expect(test.counted.map(({ what }) => what)).not.toContain('press_unanswered')
  })

  it('stops between two messages when it loses the line', async () => {
    const { test, house, line, sent, channel } = await idle()
    await using _test = test
    line.isHeld = true
    const losing: Channel = {
      ...channel,
      send: async (to, message) => {
        const accepted = await channel.send(to, message)
        line.isHeld = sent.length < 2
        return accepted
      },
    }
    await deliver({ ...house, channels: new Map([['demo', losing]]) }, ana)
    expect(sent).toEqual(['uno', 'dos'])
    expect(await attemptsOf(test.stage)).toEqual([
      { settled: true, attempts: 1 },
      { settled: true, attempts: 1 },
      { settled: false, attempts: 0 },
    ])
  })

  it('leaves what waits to its holder when it sweeps: nothing is sent, and no bells pile up', async () => {
    const { test, house, line, sent } = await idle()
    await using _test = test
    await until(() => house.bell.isUp())
    const bells = async () => await test.stage.run('select queue, count(*)::int as bells from bullmq.job group by 1 order by 1')
    const before = await bells()
    for (let sweeps = 0; sweeps < 3; sweeps += 1) await sweep(house)
    line.isHeld = true
    await sweep(house)
    expect(await bells()).toEqual(before)
    expect(sent).toEqual([])
    expect(await test.stage.store.dueDeliveries('demo', 10)).toEqual([ana])
  })
})
