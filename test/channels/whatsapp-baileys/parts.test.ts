import { describe, expect, it } from 'vitest'
import { addressOf } from '../../../src/channels/whatsapp-baileys/channel.ts'
import { afterClose } from '../../../src/channels/whatsapp-baileys/close-codes.ts'
import { Lately } from '../../../src/channels/whatsapp-baileys/lately.ts'
import type { BinaryNode, SignalDataTypeMap } from '../../../src/channels/whatsapp-baileys/library.ts'
import { installedVersion, versionFault } from '../../../src/channels/whatsapp-baileys/library.ts'
import { OfflineFirst } from '../../../src/channels/whatsapp-baileys/offline-first.ts'
import { quietLog } from '../../../src/channels/whatsapp-baileys/quiet-log.ts'
import type { signalKinds } from '../../../src/channels/whatsapp-baileys/session.ts'

describe('the address', () => {
  it.each([
    ['the chat’s own name', '99900002222@lid', [], '99900002222@lid'],
    ['a number', '15550002222', [], '15550002222@s.whatsapp.net'],
    ['a LID that is known since', '15550002222', ['wa:15550002222', 'wa:99900002222@lid'], '99900002222@lid'],
    ['the newest LID', '99900002222@lid', ['wa:99900009999@lid', 'wa:99900002222@lid'], '99900009999@lid'],
    [
      'the newest number, where no LID is known',
      '15550002222',
      ['wa:15550003333', 'wa:15550002222'],
      '15550003333@s.whatsapp.net',
    ],
    ['a group', '120363000000000001@g.us', ['wa:99900002222@lid'], '120363000000000001@g.us'],
  ])('is %s', (_what, name, addresses, expected) => {
    expect(addressOf({ account: 'tienda', chat: name }, { addresses })).toBe(expected)
  })
})

describe('after a close', () => {
  it.each([
    [515, 'now'],
    [428, 'later'],
    [408, 'later'],
    [503, 'later'],
    [500, 'later'],
    [undefined, 'later'],
    [599, 'later'],
    [440, 'stop'],
    [403, 'stop'],
    [411, 'stop'],
    [401, 'forget'],
    [405, 'update'],
  ] as const)('with %s what follows is: %s', (code, next) => {
    expect(afterClose(code).next).toBe(next)
  })
})

describe('the version of Baileys', () => {
  it('is one that can be trusted', () => {
    expect(installedVersion()).toBe('7.0.0-rc14')
    expect(versionFault(installedVersion())).toBeUndefined()
  })

  it.each(['7.0.0-rc12', '7.0.0-rc.9', '6.17.16', '6.7.18', '7.0.0-alpha.1', 'main'])(
    '%s is refused, with what is wrong and what to run',
    (version) => {
      expect(versionFault(version)).toMatch(/CVE-2026-48063.*npm install --save-exact baileys@7\.0\.0-rc14/)
    },
  )

  it.each(['7.0.0-rc13', '7.0.0-rc14', '7.0.0', '7.0.1', '8.0.0-rc1'])('%s is taken', (version) => {
    expect(versionFault(version)).toBeUndefined()
  })

  it('that is not installed is told with what to run', () => {
    expect(versionFault(undefined)).toBe('needs Baileys, which is not installed: npm install --save-exact baileys@7.0.0-rc14')
  })
})

describe('what is remembered for a while', () => {
  it('is forgotten when it is old, and when there is much that is newer', () => {
    const lately = new Lately<number>(2, 60_000)
    for (const [at, id] of ['a', 'b', 'a', 'c'].entries()) lately.set(id, at)
    expect(['a', 'b', 'c'].map((id) => lately.get(id))).toEqual([2, undefined, 3])
    const gone = new Lately<number>(2, -1)
    gone.set('a', 1)
    expect(gone.get('a')).toBeUndefined()
  })
})

describe('what is written now', () => {
  const old = (id: string) => ({ tag: 'message', attrs: { id, offline: '0' } })
  const now = (id: string) => ({ tag: 'message', attrs: { id } })
  const play = () => {
    const taken: string[] = []
    const queue = new OfflineFirst()
    return { taken, queue, take: (node: BinaryNode) => queue.take(node, () => taken.push(node.attrs.id ?? '')) }
  }

  it('waits until the whole backlog is read, and then keeps its order', () => {
    const { taken, queue, take } = play()
    for (const node of [old('1'), now('a'), old('2'), now('b')]) take(node)
    expect(taken).toEqual(['1', '2'])
    queue.passed(['1'])
    take(now('c'))
    expect(taken).toEqual(['1', '2'])
    queue.passed(['2'])
    take(now('d'))
    expect(taken).toEqual(['1', '2', 'a', 'b', 'c', 'd'])
  })

  it('does not wait for one of the backlog that was passed over', () => {
    const { taken, queue, take } = play()
    for (const node of [old('1'), old('unreadable'), old('3'), now('a')]) take(node)
    queue.passed(['1', '3'])
    expect(taken).toEqual(['1', 'unreadable', '3', 'a'])
  })

  it('is left to come again when the connection is over before', () => {
    const { taken, queue, take } = play()
    for (const node of [old('1'), now('a')]) take(node)
    queue.drop()
    queue.passed(['1'])
    expect(taken).toEqual(['1'])
  })
})

describe('Baileys’ own log', () => {
  it('comes through with the fixed words of its errors, and no number, stanza or key', () => {
    const lines: unknown[] = []
    const write = (about: unknown, event: string) => void lines.push([about, event])
    const log = quietLog('tienda', { info: write, warn: write, error: write })
    log.info({ helloMsg: 'secret' }, 'connected to WA')
    log.warn({ jid: '15550002222@s.whatsapp.net' }, 'x')
    log
      .child({ class: 'a' })
      .error({ node: '<message from="15550002222@s.whatsapp.net">' }, 'failed for 15550002222@s.whatsapp.net now')
    expect(lines).toEqual([[{ account: 'tienda', said: 'failed for … now' }, 'baileys_error']])
  })
})

// Types only: a kind of key that Baileys adds would be kept and never erased.
type Missing = Exclude<keyof SignalDataTypeMap, (typeof signalKinds)[number]>
const nothingIsMissing: [Missing] extends [never] ? true : Missing = true

describe('the kinds of keys', () => {
  it('are all that Baileys has', () => {
    expect(nothingIsMissing).toBe(true)
  })
})
