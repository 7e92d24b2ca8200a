import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FencedWriter, NotHolder } from '../../../src/channels/whatsapp-baileys/fenced-writer.ts'
import { StoreAwayError } from '../../../src/core/errors.ts'
import type { Vault } from '../../../src/ports/vault.ts'
import { type OpenVault, openVault } from '../../../src/store/vault.ts'
import type { TestStore } from '../../support/database.ts'
import { anEmptyStore } from '../../support/embedded.ts'

const name = 'whatsapp:tienda'
let test: TestStore
let vault: OpenVault
let fence: number
beforeEach(async () => {
  const empty = await anEmptyStore()
  test = empty
  vault = openVault({ kind: 'pglite', db: empty.db }, { current: new Uint8Array(randomBytes(32)) })
  fence = (await test.store.lease(name, 'a', 10_000))?.fence ?? -1
})
afterEach(async () => {
  await vault[Symbol.asyncDispose]()
  await test[Symbol.asyncDispose]()
})

const entry = (id: string) => ({ kind: 'session', id, value: new Uint8Array(Buffer.from(id)) })
const kept = async () => [...(await vault.readAll('tienda', 'session')).keys()]

/** A writer on the vault, with the first writes failing, and the size of each that came. */
function aWriter({ failures = 0 } = {}) {
  const sizes: number[] = []
  const lost = new AbortController()
  let left = failures
  const counted: Pick<Vault, 'write'> = {
    write: async (account, entries, lease) => {
      sizes.push(entries.length)
      left -= 1
      if (left >= 0) throw new StoreAwayError('away')
      return await vault.write(account, entries, lease)
    },
  }
  return { writer: new FencedWriter(counted, 'tienda', { name, fence, lost: lost.signal }), sizes, lost }
}

it('writes what is asked at once together, in its order', async () => {
  const { writer, sizes } = aWriter()
  await Promise.all(['a', 'b', 'c', 'd'].map((id) => writer.write([entry(id)])))
  await writer.write([{ kind: 'session', id: 'a' }])
  expect(sizes).toEqual([4, 1])
  expect(await kept()).toEqual(['b', 'c', 'd'])
})

it('waits for a store that is away', async () => {
  const { writer, sizes } = aWriter({ failures: 2 })
  await writer.write([entry('a')])
  expect([sizes, await kept()]).toEqual([[1, 1, 1], ['a']])
})

it('writes nothing once another holds the number', async () => {
  const { writer } = aWriter()
  await test.moveClock(20_000)
  await test.store.lease(name, 'b', 10_000)
  await expect(writer.write([entry('a')])).rejects.toThrow(NotHolder)
  expect(await kept()).toEqual([])
})

it('does not wait for a store that is away longer than the number is held', async () => {
  const { writer, lost } = aWriter({ failures: Number.POSITIVE_INFINITY })
  const refused = expect(writer.write([entry('a')])).rejects.toThrow(NotHolder)
  lost.abort()
  await refused
})

it('stores what was asked before it was closed, and takes nothing after', async () => {
  const { writer } = aWriter()
  const before = writer.write([entry('a')])
  const closed = writer.close()
  await expect(writer.write([entry('b')])).rejects.toThrow(NotHolder)
  await closed
  await before
  expect(await kept()).toEqual(['a'])
})
