// A gateway of one WhatsApp number that a test starts to kill it. What it took in is a row before it counts as stored.
import pg from 'pg'
import { baileysChannel } from '../../src/channels/whatsapp-baileys/channel.ts'
import { isStray } from '../../src/channels/whatsapp-baileys/strays.ts'
import type { Log } from '../../src/ports/log.ts'
import { openStore } from '../../src/store/open.ts'
import { openVault } from '../../src/store/vault.ts'
import type { ChildSettings, FromChild, ToChild } from './whatsapp-children.ts'
import { trusting } from './whatsapp-server/index.ts'

const settings = JSON.parse(process.env.DALE_TEST_WHATSAPP ?? '{}') as ChildSettings
const tell = (message: FromChild) => void process.send?.(message)

trusting({ trust: Buffer.from(settings.trust, 'base64') })
process.on('unhandledRejection', (reason) => {
  if (!isStray(reason)) throw reason
})
const log: Log = {
  info: () => {},
  warn: () => {},
  error: (about, event) => void (settings.verbose === true && console.error(event, about)),
}
const footing = { kind: 'postgres', url: settings.databaseUrl } as const
const store = await openStore(footing)
const vault = openVault(footing, { current: Buffer.from(settings.secret, 'hex') })
const rows = new pg.Pool({ connectionString: settings.databaseUrl, max: 2 })
const channel = baileysChannel({
  account: settings.account,
  controls: 'words',
  serverUrl: settings.serverUrl,
  vault,
  leases: store,
  owner: `${process.pid}`,
  log,
  lookMs: 100,
  backoffMs: 50,
})
channel.line?.onChange(() => tell({ line: channel.line?.held() === true ? 'held' : 'let go' }))
const running = await channel.start(async (events) => {
  for (const event of events)
    if (event.kind === 'message')
      await rows.query('insert into received (id, text) values ($1, $2) on conflict do nothing', [
        event.providerId,
        event.body.text,
      ])
})
process.on('message', async ({ send, drain }: ToChild) => {
  if (drain === true) {
    await running[Symbol.asyncDispose]()
    process.exit(0)
  }
  if (send === undefined) return
  const { to, text, ref } = send
  const sent = await channel.send({ account: settings.account, chat: to }, { kind: 'text', text }, { ref, addresses: [] }).then(
    () => 'accepted',
    (error: { readonly code: string }) => error.code,
  )
  tell({ sent: { ref, as: sent } })
})
process.on('disconnect', () => process.exit(0))
tell({ line: channel.line?.held() === true ? 'held' : 'let go' })
