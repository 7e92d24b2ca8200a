import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { BaileysSettings } from '../../../src/channels/whatsapp-baileys/settings.ts'
import type { Channel } from '../../../src/ports/channel.ts'
import { until } from '../../support/until.ts'
import { anInbox, aWhatsAppStage, stagedPhone, type WhatsAppStage } from '../../support/whatsapp-stage.ts'

let stage: WhatsAppStage
let inbox: ReturnType<typeof anInbox>
beforeEach(async () => {
  stage = await aWhatsAppStage()
  inbox = anInbox()
})
afterEach(async () => {
  await stage[Symbol.asyncDispose]()
})

const ana = () => stage.server.person('ana', { lid: '99900002222', phone: '15550002222' })
const isUp = (channel: Channel) => channel.health().state === 'up'
const loggedAs = (event: string) => stage.logged.filter((line) => line.event === event)

describe('a linked number', () => {
  beforeEach(async () => {
    await stage.pair()
  })

  it('takes in what a person writes and sends what it is told, with the server’s own time', async () => {
    const person = await ana()
    const channel = await stage.gateway(inbox.receive)
    expect([channel.health(), channel.line?.held()]).toEqual([{ state: 'up' }, true])
    const id = await person.says('hola')
    await inbox.until(() => inbox.texts().includes('hola'))
    expect(inbox.events.find(({ kind }) => kind === 'message')).toMatchObject({
      conversation: { account: 'tienda', chat: '99900002222@lid' },
      sender: { id: 'wa:99900002222@lid', also: ['wa:15550002222'] },
      messageId: id,
      body: { kind: 'text', text: 'hola' },
    })
    const accepted = await channel.send({ account: 'tienda', chat: '99900002222@lid' }, { kind: 'text', text: 'buenas' })
    const seen = await person.until(({ text }) => text === 'buenas')
    expect(accepted.messageIds).toEqual([seen.id])
    expect(Math.abs((accepted.moment?.atMs ?? 0) - seen.at)).toBeLessThan(1000)
    expect(stage.server.problems).toEqual([])
  })

  it('does not take the word of its own phone for what a person wrote', async () => {
    const person = await ana()
    await stage.gateway(inbox.receive)
    await person.says('dale', { garbled: 'absent' })
    await inbox.until(() => inbox.events.some((event) => event.kind === 'ignored' && event.reason === 'requested'))
    expect(inbox.texts()).toEqual([])
  })

  it.each([515, 428, 408, 503, 'cut'] as const)(
    'comes back after %s, on the same session, and goes on in both directions',
    async (how) => {
      const person = await ana()
      const channel = await stage.gateway(inbox.receive)
      await stage.server.closes(stagedPhone, how)
      await until(() => channel.line?.held() === false || stage.server.sockets(stagedPhone).logins > 2)
      await person.says('mientras tanto')
      await until(() => isUp(channel) && channel.line?.held() === true)
      await person.says('después')
      await inbox.until(() => inbox.texts().length >= 2)
      expect(inbox.texts()).toEqual(['mientras tanto', 'después'])
      await channel.send({ account: 'tienda', chat: '99900002222@lid' }, { kind: 'text', text: 'sigo acá' })
      await person.until(({ text }) => text === 'sigo acá')
      expect(stage.server.sockets(stagedPhone)).toMatchObject({ pairings: 1, most: 1, open: 1 })
    },
  )

  it('stops after 440, says so, and does not fight for the session', async () => {
    const channel = await stage.gateway(inbox.receive)
    const { logins } = stage.server.sockets(stagedPhone)
    await stage.server.closes(stagedPhone, 440)
    await until(() => channel.health().state === 'down')
    expect(channel.health().detail).toMatch(/^replaced: /)
    expect(channel.line?.held()).toBe(false)
    await until(() => loggedAs('whatsapp_stopped').length === 1)
    // Nor does another gateway: the number is kept.
    const other = await stage.gateway(inbox.receive)
    expect(other.health()).toMatchObject({ state: 'starting', detail: expect.stringContaining('another process') })
    expect(stage.server.sockets(stagedPhone)).toMatchObject({ logins, open: 0 })
  })

  it('forgets its session after 401 and tells what to do; linked anew it goes on without a restart', async () => {
    await stage.vault.write('tienda', [{ kind: 'poll', id: 'p', value: new Uint8Array([1]) }])
    const channel = await stage.gateway(inbox.receive)
    await stage.number.unlinks()
    await until(() => channel.health().detail === 'not paired: run dale pair whatsapp')
    expect(loggedAs('whatsapp_logged_out')).toEqual([
      expect.objectContaining({
        level: 'error',
        about: expect.objectContaining({ detail: expect.stringContaining('dale pair whatsapp') }),
      }),
    ])
    expect(await stage.run(`select distinct kind from dale.secret`)).toEqual([{ kind: 'poll' }])
    await stage.pair()
    await until(() => isUp(channel))
    await (await ana()).says('de nuevo')
    await inbox.until(() => inbox.texts().includes('de nuevo'))
  })

  it('asks for the current version after 405, and keeps its own while that cannot be asked', async () => {
    const serve = vi.fn<typeof fetch>()
    serve
      .mockRejectedValueOnce(new TypeError('fetch failed'))
      .mockImplementation(async () => new Response('{"client_revision": 2000000000}'))
    vi.stubGlobal('fetch', serve)
    try {
      const channel = await stage.gateway(inbox.receive)
      stage.server.requires([2, 3000, 2_000_000_000])
      await stage.server.closes(stagedPhone, 428)
      await until(() => loggedAs('whatsapp_web_version').length === 2 && isUp(channel))
      expect(loggedAs('whatsapp_web_version').map(({ about }) => about.isLatest)).toEqual([false, true])
      expect(serve.mock.calls[0]?.[0]).toBe('https://web.whatsapp.com/sw.js')
    } finally {
      vi.unstubAllGlobals()
    }
  })
})

describe('the number', () => {
  it('is let go before another can have it, when the database does not answer', async () => {
    await stage.pair()
    let isSilent = false
    const through = <T>(ask: () => Promise<T>): Promise<T> => (isSilent ? new Promise<never>(() => {}) : ask())
    const leases: BaileysSettings['leases'] = {
      lease: (...about) => through(() => stage.store.lease(...about)),
      releaseLease: (...about) => through(() => stage.store.releaseLease(...about)),
    }
    const first = await stage.gateway(inbox.receive, { leases, leaseMs: 1500 })
    const second = await stage.gateway(inbox.receive, { leaseMs: 1500 })
    expect([first.line?.held(), second.line?.held()]).toEqual([true, false])
    isSilent = true
    await until(() => second.line?.held() === true)
    expect(first.line?.held()).toBe(false)
    expect(stage.server.sockets(stagedPhone)).toMatchObject({ most: 1, open: 1 })
    isSilent = false
  })

  it('is the next one’s at once when its holder stops', async () => {
    await stage.pair()
    const first = await stage.gateway(inbox.receive, { leaseMs: 60_000 })
    const second = await stage.gateway(inbox.receive)
    await first[Symbol.asyncDispose]()
    expect(first.health()).toEqual({ state: 'down', detail: 'stopped' })
    await until(() => second.line?.held() === true)
    expect(stage.server.sockets(stagedPhone)).toMatchObject({ most: 1, open: 1 })
  })
})

describe('an account without a session', () => {
  it('says what to do, holds nothing, and connects once it is paired', async () => {
    const channel = await stage.gateway(inbox.receive)
    expect(channel.health()).toEqual({ state: 'down', detail: 'not paired: run dale pair whatsapp' })
    expect(await stage.run('select name from dale.lease')).toEqual([])
    await expect(channel.send({ account: 'tienda', chat: '99900002222@lid' }, { kind: 'text', text: 'a' })).rejects.toMatchObject(
      {
        code: 'not_connected',
        permanent: false,
        mayHaveHappened: false,
        retryAfterMs: expect.any(Number),
      },
    )
    const changes: boolean[] = []
    channel.line?.onChange(() => changes.push(channel.line?.held() === true))
    await stage.pair()
    await until(() => isUp(channel))
    expect(changes).toEqual([true])
  })
})

describe('what is taken in', () => {
  beforeEach(async () => {
    await stage.pair()
  })

  it('is kept in hand while the store is down, and handed in once, in order', async () => {
    const person = await ana()
    await stage.gateway(inbox.receive)
    inbox.refuse(3)
    for (const text of ['uno', 'dos', 'tres']) await person.says(text)
    await inbox.until(() => inbox.texts().length === 3)
    expect([inbox.refused(), inbox.texts()]).toEqual([3, ['uno', 'dos', 'tres']])
  })

  it('is in the vault before WhatsApp has it as delivered, and read from there by whoever is next', async () => {
    const person = await ana()
    const first = anInbox()
    first.refuse(Number.POSITIVE_INFINITY)
    const gateway = await stage.gateway(first.receive)
    const id = await person.says('dale')
    await stage.server.acknowledged(id)
    await until(() => first.refused() > 0)
    expect(await stage.run(`select kind from dale.secret where kind = 'inbound'`)).not.toEqual([])
    await gateway[Symbol.asyncDispose]()
    expect(first.texts()).toEqual([])
    const second = await stage.gateway(inbox.receive)
    await inbox.until(() => inbox.texts().includes('dale'))
    expect(inbox.texts()).toEqual(['dale'])
    await person.says('algo más')
    await inbox.until(() => inbox.texts().includes('algo más'))
    await second[Symbol.asyncDispose]()
    // What is stored is not read again by the one after.
    const third = anInbox()
    await stage.gateway(third.receive)
    await person.says('fin')
    await third.until(() => third.texts().includes('fin'))
    expect(third.texts()).toEqual(['fin'])
  })

  it('reads a group, whose messages are encrypted otherwise, the same way', async () => {
    const person = await ana()
    const group = await stage.server.group('120363000000000001', [person])
    const first = anInbox()
    first.refuse(Number.POSITIVE_INFINITY)
    const gateway = await stage.gateway(first.receive)
    const id = await person.says('hola grupo', { group })
    await stage.server.acknowledged(id)
    await until(() => first.refused() > 0)
    await gateway[Symbol.asyncDispose]()
    await stage.gateway(inbox.receive)
    await inbox.until(() => inbox.texts().includes('hola grupo'))
    await person.says('otra vez', { group })
    await inbox.until(() => inbox.texts().includes('otra vez'))
    expect(inbox.texts()).toEqual(['hola grupo', 'otra vez'])
  })
})
