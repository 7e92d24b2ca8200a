import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { httpAction } from '../../src/actions/http.ts'
import type { Proposal } from '../../src/core/proposal.ts'
import { attest } from '../../src/gateway/attest.ts'
import { startActionServer } from '../support/action-server.ts'
import { embeddedStage, type TestHouse, unfinished } from '../support/house.ts'
import { aPhonesHouse, type PhonesHouse } from '../support/house-phones.ts'
import { aTelegramHouse } from '../support/house-telegram.ts'
import { bookingAction, Ledger, type LedgerMode } from '../support/ledger.ts'
import { until } from '../support/until.ts'

const asks = 'registrá 3 cajas'

const theOne = async (test: Pick<TestHouse, 'proposals'>): Promise<Proposal> => {
  const [proposal] = await test.proposals()
  if (proposal === undefined) throw new Error('Nothing was proposed')
  return proposal
}

const textsOf = (test: PhonesHouse, person = 'ana'): readonly string[] =>
  test
    .phone(person)
    .sees()
    .map(({ text }) => text)

/** A house whose ledger treats calls so, with Ana's card waiting in it. */
async function withCard(mode: LedgerMode) {
  const ledger = new Ledger()
  const test = await aPhonesHouse({ ledger, actions: [bookingAction(ledger, { mode })] })
  const ana = test.phone('ana')
  await ana.says(asks)
  return { test, ana, ledger }
}

describe('an execution', () => {
  it('BQ-005 B70: is rung for again, before and after its end, and runs once', async () => {
    const { test: opened, ana, ledger } = await withCard('naive')
    await using test = opened
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    ledger.next({ held })
    await ana.says('sí')
    const { id } = await theOne(test)
    for (let n = 0; n < 5; n += 1) await test.house.bell.ring('executions', id)
    release()
    await test.quiet()
    for (let n = 0; n < 5; n += 1) await test.house.bell.ring('executions', id)
    await test.channel.redelivers('ana')
    await test.quiet()
    expect(ledger.calls).toHaveLength(1)
    expect((await theOne(test)).state.name).toBe('succeeded')
  })

  it('BQ-007 B77: that crashes three times before its call is given up and told; asked for again, it is a new one that runs', async () => {
    const ledger = new Ledger()
    let crashes = 3
    await using test = await aPhonesHouse({
      ledger,
      actions: [
        bookingAction(ledger, {
          preflight: async () => {
            crashes -= 1
            if (crashes >= 0) throw new Error('The depot cannot be asked.')
            return { kind: 'ready' }
          },
        }),
      ],
    })
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('sí')
    await test.quiet()
    expect((await theOne(test)).state).toMatchObject({ name: 'failed', reason: 'poison' })
    expect(textsOf(test).at(-1)).toBe('No se pudo empezar: Registrar 3 cajas en el depósito. No se hizo nada.')
    expect(ledger.calls).toEqual([])
    await ana.says(asks)
    await ana.says('sí')
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['failed', 'succeeded'])
    expect(ledger.calls).toHaveLength(1)
  })

  it.each([
    ['idempotent', 'is called again with the same key, has one effect, and the first worker settles nothing', 'succeeded'],
    ['lookup', 'is looked for, has one effect, and the first worker settles nothing', 'succeeded'],
    ['naive', 'is in doubt and told, and is not called again', 'in_doubt'],
  ] as const)('BQ-011 B72: whose worker stands still past its lease (%s) %s', async (mode, _what, end) => {
    const { test: opened, ana, ledger } = await withCard(mode)
    await using test = opened
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    ledger.next({ held })
    await ana.says('sí')
    await until(() => ledger.holding === 1)
    await test.later(120_000)
    await test.quiet()
    expect((await theOne(test)).state.name).toBe(end)
    release()
    await until(() => ledger.holding === 0)
    await test.quiet()
    expect((await theOne(test)).state.name).toBe(end)
    expect(ledger.effects).toHaveLength(1)
    expect(new Set(ledger.calls.map(({ key }) => key)).size).toBe(1)
    expect(ledger.calls.map(({ fence }) => fence)).toEqual(mode === 'idempotent' ? [1, 2] : [1])
    expect(textsOf(test).some((text) => text.includes('pude saber si esto se hizo'))).toBe(true)
    expect(textsOf(test).filter((text) => text.startsWith('Hecho')).length).toBe(end === 'succeeded' ? 1 : 0)
  })

  it('BQ-014: that a deploy interrupts is waited for, and the next deploy runs nothing again', async () => {
    await using test = await aTelegramHouse()
    const ana = test.phone('Ana')
    await ana.says(asks)
    {
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      test.ledger.next({ held })
      await ana.presses('Confirmar')
      await until(() => test.ledger.holding === 1)
      const restarted = test.restart()
      release()
      await restarted
    }
    await test.restart()
    expect(test.ledger.calls).toHaveLength(1)
    expect((await theOne(test)).state.name).toBe('succeeded')
  })

  it('BQ-015 B71: whose answer is lost is called again with the same key and bytes, and has one effect', async () => {
    const { test: opened, ana, ledger } = await withCard('idempotent')
    await using test = opened
    ledger.next('lost')
    await ana.says('sí')
    expect((await theOne(test)).state.name).toBe('in_doubt')
    await test.later(10_000)
    await test.quiet()
    expect((await theOne(test)).state.name).toBe('succeeded')
    expect(ledger.effects).toHaveLength(1)
    expect(ledger.calls).toMatchObject([{ attempt: 1 }, { attempt: 2 }])
    expect(ledger.calls[1]).toMatchObject({ key: ledger.calls[0]?.key, args: ledger.calls[0]?.args })
  })

  it('BQ-021: of a decision whose bell was lost with its process is begun by another', async () => {
    const stage = await embeddedStage()
    const ledger = new Ledger()
    {
      await using test = await aPhonesHouse({ stage, ledger })
      await test.phone('ana').says(asks)
      await test.read()
      // From here on nobody works: the decision is committed, and whoever would have rung is gone.
      const code = (await theOne(test)).code
      await using gateway = await aPhonesHouse({ stage, ledger, start: { gateway: true, workers: false } })
      await test[Symbol.asyncDispose]()
      await gateway.channel.says('ana', 'ana', `sí #${code}`)
      await until(async () => (await theOne(gateway)).state.name === 'approved')
    }
    await stage.run(`delete from bullmq.job`)
    expect(ledger.calls).toEqual([])
    await using worker = await aPhonesHouse({ stage, ledger })
    await worker.quiet()
    expect((await theOne(worker)).state.name).toBe('succeeded')
    expect(ledger.calls).toHaveLength(1)
  })

  it('BQ-027 B81: that is answered with 200 and a failure is told as not done, once the action knows such answers', async () => {
    await using far = await startActionServer()
    far.next({
      kind: 'status',
      status: 200,
      body: '{"success":false,"error":"no stock"}',
      headers: { 'content-type': 'application/json' },
    })
    const { preview } = bookingAction(new Ledger())
    const action = httpAction({
      name: 'registrar',
      version: '1',
      description: 'Books boxes into the depot.',
      input: z.object({ cajas: z.int() }),
      reversibility: 'reversible',
      preview: async (args, context) => await preview(args, context),
      method: 'POST',
      url: `${far.url}/boxes`,
      allowPrivate: ['127.0.0.1'],
      okWhen: ({ body }) => (body as { readonly success?: unknown }).success === true,
    })
    await using test = await aPhonesHouse({ actions: [action] })
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('sí')
    expect((await theOne(test)).state).toMatchObject({ name: 'failed', reason: 'refused' })
    expect(textsOf(test).some((text) => text.startsWith('Hecho'))).toBe(false)
    expect(textsOf(test).at(-1)).toMatch(/^No se pudo hacer: Registrar 3 cajas en el depósito\. No tuvo ningún efecto\./)
  })

  it('BQ-029: that fails twice and then works is told as done once', async () => {
    const { test: opened, ana, ledger } = await withCard('idempotent')
    await using test = opened
    ledger.next('busy', 'busy')
    await ana.says('sí')
    for (let n = 0; n < 2; n += 1) {
      await test.later(30_000)
      await test.quiet()
    }
    expect(ledger.calls).toHaveLength(3)
    expect(textsOf(test).filter((text) => text.startsWith('Hecho'))).toHaveLength(1)
    expect(textsOf(test).filter((text) => text.includes('pude saber si esto se hizo'))).toHaveLength(1)
    expect(textsOf(test).some((text) => text.startsWith('No se pudo'))).toBe(false)
  })

  it('BQ-031 B80: that was approved in time and not begun within half an hour is not run: the person is told', async () => {
    const stage = await embeddedStage()
    const ledger = new Ledger()
    {
      await using test = await aPhonesHouse({ stage, ledger })
      await test.phone('ana').says(asks)
      await test.read()
      const code = (await theOne(test)).code
      await using gateway = await aPhonesHouse({ stage, ledger, start: { gateway: true, workers: false } })
      await test[Symbol.asyncDispose]()
      await gateway.channel.says('ana', 'ana', `sí #${code}`)
      await until(async () => (await theOne(gateway)).state.name === 'approved')
    }
    await stage.moveClock(6 * 60 * 60_000)
    await using worker = await aPhonesHouse({ stage, ledger })
    await worker.quiet()
    expect((await theOne(worker)).state).toEqual({ name: 'expired', reason: 'approval_stale' })
    expect(ledger.calls).toEqual([])
    expect(textsOf(worker)).toContain('Se confirmó pero no se pudo empezar a tiempo: no se hizo nada.')
  })
})

describe('an outcome', () => {
  it('BQ-017 B87: that cannot be sent three times is sent the fourth time, and nothing runs again', async () => {
    const { test: opened, ana, ledger } = await withCard('naive')
    await using test = opened
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    ledger.next({ held })
    await ana.says('sí')
    for (let n = 0; n < 3; n += 1) test.fails({ kind: 'refuse', code: 'server_error', permanent: false })
    release()
    for (let n = 0; n < 4; n += 1) {
      await test.quiet()
      await test.later(60_000)
    }
    await test.quiet()
    expect(await unfinished(test.stage)).toBe(0)
    expect(textsOf(test).filter((text) => text.startsWith('Hecho'))).toHaveLength(1)
    expect(ledger.calls).toHaveLength(1)
  })
})

describe('a decision', () => {
  it('BQ-030: one hour after the deadline is none, however late whoever tidies up is', async () => {
    const { test: opened, ledger } = await withCard('naive')
    await using test = opened
    await test.stage.run(`update dale.lease set owner = 'nobody', until = 9e15 where name = 'sweep'`)
    await test.later(90 * 60_000)
    const card = test.phone('ana').card()
    expect(card.labels).toEqual(['Confirmar', 'Cancelar'])
    const toast = Promise.withResolvers<string>()
    test.channel.on((event) => {
      if (event.kind === 'answer') toast.resolve(event.text)
    })
    await test.channel.presses('ana', 'ana', card.id, 'Confirmar')
    expect(await toast.promise).toBe('Venció sin respuesta: no se hizo nada.')
    expect((await theOne(test)).state.name).toBe('expired')
    await test.quiet()
    expect(ledger.calls).toEqual([])
  })
})

describe('what is in doubt', () => {
  it('BQ-013: is told, and stays so until a person settles it with evidence', async () => {
    const { test: opened, ana, ledger } = await withCard('naive')
    await using test = opened
    ledger.next('dropped')
    await ana.says('sí')
    for (let n = 0; n < 3; n += 1) {
      await test.later(3_600_000)
      await test.quiet()
    }
    const { id, state } = await theOne(test)
    expect(state.name).toBe('in_doubt')
    expect(ledger.calls).toHaveLength(1)
    expect(textsOf(test).filter((text) => text.includes('pude saber si esto se hizo'))).toHaveLength(1)
    expect(await attest(test.house, id, { end: 'failed', by: 'carla', evidence: 'depot log 12' })).toMatchObject({
      kind: 'settled',
    })
    await test.quiet()
    expect(textsOf(test).at(-1)).toBe('Una persona lo revisó: esto no se hizo: Registrar 3 cajas en el depósito.')
    expect((await theOne(test)).state).toMatchObject({ name: 'failed', reason: 'attested' })
  })
})
