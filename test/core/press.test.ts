import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Press, type PressKey, pressPayloadOf, readPress } from '../../src/core/press.ts'
import { ulidOfBytes } from '../../src/core/ulid.ts'

const key: PressKey = { id: 7, secret: Buffer.alloc(32, 'k') }
const scope = { account: 'tienda', conversationKey: 'tienda/tg%3A42' }
const press: Press = { proposalId: '01KKN000000000000000000001', cardRevision: 3, verdict: 'approve' }
const payload = pressPayloadOf(press, scope, key)

const anyPress: fc.Arbitrary<Press> = fc.record({
  proposalId: fc.uint8Array({ minLength: 16, maxLength: 16 }).map(ulidOfBytes),
  cardRevision: fc.nat({ max: 0xffffffff }),
  verdict: fc.constantFrom('approve', 'reject', 'edit', 'reason'),
})
const anyScope = fc.record({ account: fc.string({ maxLength: 8 }), conversationKey: fc.string({ maxLength: 8 }) })

describe('a press payload', () => {
  test('comes back as it was, in at most 64 bytes of ASCII', () => {
    fc.assert(
      fc.property(
        anyPress,
        anyScope,
        fc.nat({ max: 255 }),
        fc.uint8Array({ minLength: 16, maxLength: 32 }),
        (made, where, id, secret) => {
          const text = pressPayloadOf(made, where, { id, secret })
          expect(text).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
          expect(readPress(text, where, [{ id, secret }])).toEqual(made)
        },
      ),
    )
  })

  test('with any byte changed reads as nothing', () => {
    const bytes = Buffer.from(payload, 'base64url')
    for (const at of bytes.keys()) {
      for (let flip = 1; flip < 256; flip++) {
        const mutated = Buffer.from(bytes)
        mutated.writeUInt8(mutated.readUInt8(at) ^ flip, at)
        expect(readPress(mutated.toString('base64url'), scope, [key])).toBeUndefined()
      }
    }
  })

  test('with any character changed, added or taken reads as nothing, other spellings of the same bytes included', () => {
    const characters = 'ABCXYZabcxyz0189-_+/= \n.'
    for (let at = 0; at <= payload.length; at++) {
      for (const character of characters) {
        const replaced = payload.slice(0, at) + character + payload.slice(at + 1)
        if (replaced !== payload) expect(readPress(replaced, scope, [key])).toBeUndefined()
        expect(readPress(payload.slice(0, at) + character + payload.slice(at), scope, [key])).toBeUndefined()
      }
      if (at < payload.length) expect(readPress(payload.slice(0, at) + payload.slice(at + 1), scope, [key])).toBeUndefined()
    }
  })

  test('means nothing in another account or conversation, however their names run together', () => {
    fc.assert(
      fc.property(anyScope, anyScope, (made, tapped) => {
        const same = made.account === tapped.account && made.conversationKey === tapped.conversationKey
        expect(readPress(pressPayloadOf(press, made, key), tapped, [key]) !== undefined).toBe(same)
      }),
    )
    expect(readPress(payload, { account: 'tiendat', conversationKey: 'ienda/tg%3A42' }, [key])).toBeUndefined()
  })

  test('for one verdict cannot be made into one for another', () => {
    const approving = Buffer.from(payload, 'base64url')
    const rejecting = Buffer.from(pressPayloadOf({ ...press, verdict: 'reject' }, scope, key), 'base64url')
    const spliced = Buffer.concat([approving.subarray(0, 23), rejecting.subarray(23)])
    expect(readPress(spliced.toString('base64url'), scope, [key])).toBeUndefined()
  })

  test('of an old key is good while that key is kept, and not after', () => {
    const newer: PressKey = { id: 8, secret: Buffer.alloc(32, 'n') }
    expect(readPress(payload, scope, [newer, key])).toEqual(press)
    expect(readPress(payload, scope, [newer])).toBeUndefined()
    expect(readPress(payload, scope, [{ ...newer, id: key.id }])).toBeUndefined()
    expect(readPress(payload, scope, [{ ...newer, id: key.id }, key])).toEqual(press)
    expect(readPress(payload, scope, [])).toBeUndefined()
  })

  test('of a foreign shape reads as nothing and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.string({ unit: 'binary' })), (text) => {
        expect(readPress(text, scope, [key])).toBeUndefined()
      }),
    )
  })

  test('is never made with a key or a revision that it cannot hold', () => {
    expect(() => pressPayloadOf(press, scope, { ...key, id: 256 })).toThrow(RangeError)
    expect(() => pressPayloadOf({ ...press, cardRevision: 2 ** 32 }, scope, key)).toThrow(RangeError)
    expect(() => pressPayloadOf({ ...press, proposalId: 'not one' }, scope, key)).toThrow('Invalid ULID')
  })
})
