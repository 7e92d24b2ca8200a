import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BrokenInvariantError, ConfigError, StoreAwayError } from '../../src/core/errors.ts'
import type { VaultEntry } from '../../src/ports/vault.ts'
import type { Footing } from '../../src/store/database.ts'
import { type OpenVault, openVault, type VaultSecrets } from '../../src/store/vault.ts'
import { aDatabase, storeOn, type TestDatabase, type TestStore } from '../support/database.ts'
import { describeOn } from '../support/describe-on.ts'
import { anEmptyStore } from '../support/embedded.ts'

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))
const textOf = (values: ReadonlyMap<string, Uint8Array>): Readonly<Record<string, string>> =>
  Object.fromEntries([...values].map(([id, value]) => [id, Buffer.from(value).toString()]))

function vaultSuite(open: () => Promise<{ readonly test: TestStore; readonly footing: Footing }>): void {
  let test: TestStore
  let footing: Footing
  const opened: OpenVault[] = []
  const current = new Uint8Array(randomBytes(32))
  const vaultWith = (secrets: VaultSecrets): OpenVault => {
    const vault = openVault(footing, secrets)
    opened.push(vault)
    return vault
  }

  beforeEach(async () => {
    ;({ test, footing } = await open())
    return async () => {
      for (const vault of opened.splice(0)) await vault[Symbol.asyncDispose]()
      await test[Symbol.asyncDispose]()
    }
  })

  it('gives back what was kept, by account and kind, and nothing of another', async () => {
    const vault = vaultWith({ current })
    await vault.write('tienda', [
      { kind: 'session', id: 'a.0', value: bytes('uno') },
      { kind: 'session', id: 'b.0', value: bytes('dos') },
      { kind: 'creds', id: 'a.0', value: bytes('tres') },
    ])
    await vault.write('otra', [{ kind: 'session', id: 'a.0', value: bytes('cuatro') }])
    expect(textOf(await vault.read('tienda', 'session', ['a.0', 'b.0', 'c.0', 'a.0']))).toEqual({ 'a.0': 'uno', 'b.0': 'dos' })
    expect(textOf(await vault.read('tienda', 'creds', ['a.0']))).toEqual({ 'a.0': 'tres' })
    expect(textOf(await vault.readAll('tienda', 'session'))).toEqual({ 'a.0': 'uno', 'b.0': 'dos' })
    expect(textOf(await vault.read('tienda', 'session', []))).toEqual({})
  })

  it('keeps any bytes, of any length', async () => {
    const vault = vaultWith({ current })
    const values = [new Uint8Array(), new Uint8Array([0, 255, 0]), new Uint8Array(randomBytes(100_000))]
    await vault.write(
      'tienda',
      values.map((value, id) => ({ kind: 'k', id: String(id), value })),
    )
    expect([...(await vault.readAll('tienda', 'k')).values()]).toEqual(values)
  })

  it('writes the last word on an entry, and erases what has no value, in one go', async () => {
    const vault = vaultWith({ current })
    await vault.write('tienda', [
      { kind: 'k', id: 'stays', value: bytes('1') },
      { kind: 'k', id: 'goes', value: bytes('1') },
    ])
    await vault.write('tienda', [
      { kind: 'k', id: 'stays', value: bytes('2') },
      { kind: 'k', id: 'stays', value: bytes('3') },
      { kind: 'k', id: 'goes' },
      { kind: 'k', id: 'never was' },
      { kind: 'k', id: 'comes', value: bytes('4') },
      { kind: 'k', id: 'comes' },
    ])
    expect(textOf(await vault.readAll('tienda', 'k'))).toEqual({ stays: '3' })
  })

  it('erases one kind, or all of an account, and leaves the others', async () => {
    const vault = vaultWith({ current })
    const entries: readonly VaultEntry[] = [
      { kind: 'poll', id: 'p', value: bytes('1') },
      { kind: 'creds', id: 'c', value: bytes('2') },
    ]
    await vault.write('tienda', entries)
    await vault.write('otra', entries)
    await vault.erase('tienda', ['poll', 'session'])
    expect([(await vault.readAll('tienda', 'poll')).size, (await vault.readAll('tienda', 'creds')).size]).toEqual([0, 1])
    await vault.erase('tienda')
    expect([(await vault.readAll('tienda', 'creds')).size, (await vault.readAll('otra', 'creds')).size]).toEqual([0, 1])
  })

  it('stores nothing that can be read, and never the same bytes twice', async () => {
    const vault = vaultWith({ current })
    const value = bytes('a session key that must not be seen')
    await vault.write('tienda', [
      { kind: 'k', id: '1', value },
      { kind: 'k', id: '2', value },
    ])
    const rows = await test.run('select value from dale.secret')
    const stored = rows.map((row) => Buffer.from(String(row.value), 'base64'))
    expect(stored.some((one) => one.includes(Buffer.from(value)))).toBe(false)
    expect(stored[0]).not.toEqual(stored[1])
  })

  it.each([
    ['moved to another account', `update dale.secret set account = 'otra'`, 'otra', 'k', 'id'],
    ['moved to another kind', `update dale.secret set kind = 'other'`, 'tienda', 'other', 'id'],
    ['moved to another id', `update dale.secret set id = 'other'`, 'tienda', 'k', 'other'],
    ['changed', `update dale.secret set value = 'AAAA' || substr(value, 5)`, 'tienda', 'k', 'id'],
    ['cut short', `update dale.secret set value = 'AAAA'`, 'tienda', 'k', 'id'],
  ])('opens nothing that was %s', async (_what, change, account, kind, id) => {
    const vault = vaultWith({ current })
    await vault.write('tienda', [{ kind: 'k', id: 'id', value: bytes('x') }])
    await test.run(change)
    await expect(vault.read(account, kind, [id])).rejects.toThrow(BrokenInvariantError)
  })

  it('reads under the previous key, and keeps what it read or wrote under the new one', async () => {
    const old = current
    const fresh = new Uint8Array(randomBytes(32))
    await vaultWith({ current: old }).write('tienda', [
      { kind: 'k', id: 'read', value: bytes('1') },
      { kind: 'k', id: 'written', value: bytes('1') },
      { kind: 'k', id: 'left', value: bytes('1') },
    ])
    const changing = vaultWith({ current: fresh, previous: old })
    expect(textOf(await changing.read('tienda', 'k', ['read']))).toEqual({ read: '1' })
    await changing.write('tienda', [{ kind: 'k', id: 'written', value: bytes('2') }])
    const after = vaultWith({ current: fresh })
    expect(textOf(await after.read('tienda', 'k', ['read', 'written']))).toEqual({ read: '1', written: '2' })
    const error = await after.read('tienda', 'k', ['left']).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as ConfigError).problems).toEqual([
      { path: 'DALE_SECRET_KEY', message: expect.stringMatching(/account tienda.*DALE_SECRET_KEY_PREVIOUS/) },
    ])
    expect(textOf(await changing.readAll('tienda', 'k'))).toEqual({ left: '1', read: '1', written: '2' })
  })

  it('puts everything under the new key when it is told to, once, so that the old one can go', async () => {
    const fresh = new Uint8Array(randomBytes(32))
    await vaultWith({ current }).write(
      'tienda',
      Array.from({ length: 120 }, (_, id) => ({ kind: 'k', id: String(id), value: bytes(`value ${id}`) })),
    )
    const changing = vaultWith({ current: fresh, previous: current })
    await changing.write('tienda', [{ kind: 'k', id: '7', value: bytes('new') }])
    expect(await changing.rekey()).toBe(119)
    expect(await changing.rekey()).toBe(0)
    expect(textOf(await vaultWith({ current: fresh }).read('tienda', 'k', ['7', '119']))).toEqual({ 7: 'new', 119: 'value 119' })
  })

  it('writes under a lease while its fence is the newest, and nothing after another has taken it', async () => {
    const vault = vaultWith({ current })
    const name = 'whatsapp:tienda'
    const first = await test.store.lease(name, 'a', 1000)
    const mine = { name, fence: first?.fence ?? -1 }
    expect(await vault.write('tienda', [{ kind: 'k', id: '1', value: bytes('a') }], mine)).toBe(true)
    await test.moveClock(2000)
    // Over, but nobody else's yet: what the holder still writes is nobody's loss.
    expect(await vault.write('tienda', [{ kind: 'k', id: '2', value: bytes('a') }], mine)).toBe(true)
    await test.store.lease(name, 'b', 1000)
    expect(
      await vault.write(
        'tienda',
        [
          { kind: 'k', id: '1' },
          { kind: 'k', id: '3', value: bytes('a') },
        ],
        mine,
      ),
    ).toBe(false)
    expect(textOf(await vault.readAll('tienda', 'k'))).toEqual({ 1: 'a', 2: 'a' })
    expect(await vault.write('tienda', [], { name: 'whatsapp:nobody', fence: 1 })).toBe(false)
    expect(await vault.erase('tienda', undefined, mine)).toBe(false)
    expect(textOf(await vault.readAll('tienda', 'k'))).toEqual({ 1: 'a', 2: 'a' })
    expect(await vault.erase('tienda', ['k'], { ...mine, fence: mine.fence + 1 })).toBe(true)
    expect(textOf(await vault.readAll('tienda', 'k'))).toEqual({})
  })
}

describe('a vault on PGlite', () => {
  vaultSuite(async () => {
    const test = await anEmptyStore()
    return { test, footing: { kind: 'pglite', db: test.db } }
  })
})

describeOn('postgres', 'a vault on PostgreSQL', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await aDatabase()
  })
  afterAll(async () => {
    await database[Symbol.asyncDispose]()
  })
  vaultSuite(async () => ({ test: await storeOn(database), footing: { kind: 'postgres', url: database.url } }))

  it('lets whoever takes the lease see all that was written before, or stops it', async () => {
    await using test = await storeOn(database)
    const footing = { kind: 'postgres', url: database.url } as const
    await using vault = openVault(footing, { current: new Uint8Array(32) })
    const name = 'whatsapp:tienda'
    const held = await test.store.lease(name, 'a', 1000)
    await test.moveClock(2000)
    const writes = Array.from({ length: 20 }, (_, id) =>
      vault.write('tienda', [{ kind: 'k', id: String(id), value: bytes('a') }], { name, fence: held?.fence ?? -1 }),
    )
    const taken = (async () => {
      await test.store.lease(name, 'b', 1000)
      return await vault.readAll('tienda', 'k')
    })()
    const written = (await Promise.all(writes)).filter(Boolean).length
    const seen = await taken
    expect(seen.size).toBe(written)
    expect((await vault.readAll('tienda', 'k')).size).toBe(written)
  })
})

describe('a vault without a database', () => {
  it('says that it cannot be asked', async () => {
    await using vault = openVault(
      { kind: 'postgres', url: 'postgres://nobody@127.0.0.1:1/none' },
      { current: new Uint8Array(32) },
    )
    await expect(vault.read('tienda', 'k', ['1'])).rejects.toThrow(StoreAwayError)
  })
})
