import { randomBytes } from 'node:crypto'
import { baileysChannel } from '../../src/channels/whatsapp-baileys/channel.ts'
import { pairNumber } from '../../src/channels/whatsapp-baileys/pair.ts'
import type { BaileysSettings } from '../../src/channels/whatsapp-baileys/settings.ts'
import type { Normalized } from '../../src/core/inbound.ts'
import type { Channel, Receive } from '../../src/ports/channel.ts'
import type { Log } from '../../src/ports/log.ts'
import type { Store } from '../../src/ports/store.ts'
import type { Vault } from '../../src/ports/vault.ts'
import { openVault } from '../../src/store/vault.ts'
import { anEmptyStore } from './embedded.ts'
import { type OwnPhone, startWhatsAppServer, trusting, type WhatsAppServer } from './whatsapp-server/index.ts'

/** A line of the log, without its ids. */
export interface Logged {
  readonly level: 'info' | 'warn' | 'error'
  readonly event: string
  readonly about: Readonly<Record<string, unknown>>
}

/** Events that were handed in, and a way to wait for them. `refuse`: a store that is down for so many times. */
export function anInbox() {
  const events: Normalized[] = []
  const looks = new Set<() => void>()
  let refusals = 0
  let refused = 0
  const look = () => {
    for (const one of looks) one()
  }
  const receive: Receive = async (batch) => {
    if (refusals > 0 && batch.some(({ kind }) => kind !== 'ignored')) {
      refusals -= 1
      refused += 1
      look()
      throw new Error('the store is down')
    }
    events.push(...batch)
    look()
  }
  return {
    events,
    receive,
    refuse: (times: number) => {
      refusals = times
    },
    refused: () => refused,
    texts: () => events.flatMap((event) => (event.kind === 'message' ? [event.body.text ?? event.body.kind] : [])),
    until: (holds: () => boolean) =>
      new Promise<void>((resolve) => {
        const one = () => {
          if (!holds()) return
          looks.delete(one)
          resolve()
        }
        looks.add(one)
        one()
      }),
  }
}

/** One WhatsApp number on a server of this machine, and gateways that may hold it. */
export interface WhatsAppStage extends AsyncDisposable {
  readonly server: WhatsAppServer
  readonly number: OwnPhone
  readonly store: Store
  readonly vault: Vault
  readonly logged: readonly Logged[]
  readonly run: (text: string, values?: readonly unknown[]) => Promise<readonly Readonly<Record<string, unknown>>[]>
  settings(more?: Partial<BaileysSettings>): BaileysSettings
  /** Links the account, as `dale pair whatsapp` does. */
  pair(): Promise<void>
  /** A gateway's channel, started; stopped with the stage. */
  gateway(receive: Receive, more?: Partial<BaileysSettings>): Promise<Channel & AsyncDisposable>
}

export const stagedPhone = '15550001111'

export async function aWhatsAppStage(): Promise<WhatsAppStage> {
  await using cleanup = new AsyncDisposableStack()
  const test = cleanup.use(await anEmptyStore())
  const server = cleanup.use(await startWhatsAppServer())
  trusting(server)
  const number = await server.number(stagedPhone)
  const vault = cleanup.use(openVault({ kind: 'pglite', db: test.db }, { current: new Uint8Array(randomBytes(32)) }))
  const logged: Logged[] = []
  const to = (level: Logged['level']) => (about: Readonly<Record<string, unknown>>, event: string) =>
    void logged.push({ level, event, about })
  const log: Log = { info: to('info'), warn: to('warn'), error: to('error') }
  let gateways = 0
  const settings = (more: Partial<BaileysSettings> = {}): BaileysSettings => ({
    account: 'tienda',
    controls: 'words',
    serverUrl: server.url,
    vault,
    leases: test.store,
    owner: 'pairing',
    log,
    lookMs: 50,
    backoffMs: 20,
    ...more,
  })
  const stage = cleanup.move()
  return {
    server,
    number,
    store: test.store,
    vault,
    logged,
    run: test.run,
    settings,
    async pair() {
      const paired = await pairNumber(
        settings(),
        { again: false },
        { qr: (qr) => void number.scans(qr), code: () => {} },
        new AbortController().signal,
      )
      if (paired.kind !== 'paired') throw new Error(`Not paired: ${paired.kind}`)
    },
    async gateway(receive, more = {}) {
      gateways += 1
      const channel = baileysChannel(settings({ owner: `gateway-${gateways}`, ...more }))
      const running = await channel.start(receive)
      stage.use(running)
      return { ...channel, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() }
    },
    [Symbol.asyncDispose]: () => stage.disposeAsync(),
  }
}
