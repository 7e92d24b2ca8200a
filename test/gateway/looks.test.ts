import { describe, expect, it } from 'vitest'
import { aPhonesHouse } from '../support/house-phones.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'

const never = new Promise<never>(() => undefined)

describe('the looks of an action around its call', () => {
  it('have a time-out of their own: what they take is not taken from the call', async () => {
    const ledger = new Ledger()
    const signals: AbortSignal[] = []
    const action = bookingAction(ledger, {
      preflight: async (_args, { signal }) => {
        signals.push(signal)
        return { kind: 'ready' }
      },
      execute: async (_args, { signal }) => void signals.push(signal),
    })
    await using test = await aPhonesHouse({ ledger, actions: [action] })
    const ana = test.phone('ana')
    await ana.says('registrá 3 cajas')
    await ana.says('sí')
    expect(new Set(signals).size).toBe(2)
  })

  it('end with the time-out, even where the action ignores it: a success that cannot be looked at is told as just that', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [bookingAction(ledger, { timeoutMs: 100, verify: () => never })] })
    const ana = test.phone('ana')
    await ana.says('registrá 3 cajas')
    await ana.says('sí')
    await test.quiet()
    expect((await test.proposals()).map(({ state }) => state)).toMatchObject([{ name: 'succeeded', verification: 'failed' }])
    expect(ledger.effects).toHaveLength(1)
  })

  it('are made again where they did not end, and the call waits for one that did', async () => {
    const ledger = new Ledger()
    let looks = 0
    const action = bookingAction(ledger, {
      timeoutMs: 100,
      preflight: async () => {
        looks += 1
        return looks === 1 ? await never : { kind: 'ready' }
      },
    })
    await using test = await aPhonesHouse({ ledger, actions: [action] })
    const ana = test.phone('ana')
    await ana.says('registrá 3 cajas')
    await ana.says('sí')
    await test.quiet()
    expect([looks, ledger.calls.length]).toEqual([2, 1])
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['succeeded'])
  })
})

describe('a rule that fails', () => {
  it('denies, and says in the log what failed', async () => {
    const ledger = new Ledger()
    const failing = () => {
      throw new Error('no exchange rate')
    }
    const policies = [{ action: '*', when: failing, then: 'confirm', reason: { code: 'HIGH_COST' } } as const]
    await using test = await aPhonesHouse({ ledger, policies, trouble: true, actions: [bookingAction(ledger)] })
    await test.phone('ana').says('registrá 3 cajas')
    expect(await test.proposals()).toEqual([])
    const [line] = test.logged.filter(({ event }) => event === 'policy_failed')
    expect(line).toMatchObject({ level: 'error', about: { action: 'registrar', err: { message: 'no exchange rate' } } })
  })
})
