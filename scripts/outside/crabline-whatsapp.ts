import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { baileysChannel } from '../../src/channels/whatsapp-baileys/channel.ts'
import { type Library, loadBaileys } from '../../src/channels/whatsapp-baileys/library.ts'
import { openVault } from '../../src/store/vault.ts'
import { anEmptyStore } from '../../test/support/embedded.ts'
import { until } from '../../test/support/until.ts'
import { anInbox } from '../../test/support/whatsapp-stage.ts'
import type { Checks } from './bot.ts'

/** What is used of the package. */
interface Crabline {
  startWhatsAppServer(about: { readonly recorderPath: string; readonly selfJid: string }): Promise<{
    close(): Promise<void>
    readonly manifest: {
      readonly adminToken: string
      readonly endpoints: { readonly adminInboundUrl: string; readonly baileysWebSocketUrl: string }
    }
  }>
}

const account = 'tienda'
const self = '15550001111@s.whatsapp.net'
const ana = '15550002222@s.whatsapp.net'
/** The server gives a LID of the same digits for every number. */
const theirs = ['wa:15550002222@lid', ['wa:15550002222']]

/** Credentials as they are after a pairing: this server pairs nobody and takes whoever shows its token. */
function pairedCreds({ initAuthCreds, proto, BufferJSON }: Library): Uint8Array {
  const bytes = () => new Uint8Array(randomBytes(32))
  const signed = { details: bytes(), accountSignatureKey: bytes(), accountSignature: bytes(), deviceSignature: bytes() }
  const creds = {
    ...initAuthCreds(),
    me: { id: self.replace('@', ':1@') },
    account: proto.ADVSignedDeviceIdentity.create(signed),
  }
  return new Uint8Array(Buffer.from(JSON.stringify(creds, BufferJSON.replacer)))
}

/**
 * A number on a WhatsApp server that shares no code with ours. What it does otherwise than WhatsApp: it pairs nobody; a person's message
 * comes in the open; its acknowledgement has no time; LIDs are made of the number's digits; there are no receipts and no
 * messages out to groups.
 */
export async function runCrablineWhatsApp(folder: string, check: Checks): Promise<void> {
  const home = join(folder, 'node_modules', '@openclaw', 'crabline')
  const { main }: { readonly main: string } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const { startWhatsAppServer }: Crabline = await import(pathToFileURL(join(home, main)).href)
  const recorderPath = join(folder, 'whatsapp.jsonl')
  await using opening = new AsyncDisposableStack()
  const server = await startWhatsAppServer({ recorderPath, selfJid: self })
  opening.defer(() => server.close())
  const { adminToken, endpoints } = server.manifest
  const test = opening.use(await anEmptyStore())
  const vault = opening.use(openVault({ kind: 'pglite', db: test.db }, { current: new Uint8Array(randomBytes(32)) }))
  await vault.write(account, [{ kind: 'creds', id: 'creds', value: pairedCreds(await loadBaileys(account)) }])
  const channel = baileysChannel({
    account,
    controls: 'words',
    serverUrl: endpoints.baileysWebSocketUrl,
    vault,
    leases: test.store,
    owner: 'outside',
    log: { info: () => {}, warn: () => {}, error: () => {} },
  })
  const inbox = anInbox()
  const says = async (what: object) => {
    const answer = await fetch(endpoints.adminInboundUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-crabline-admin-token': adminToken },
      body: JSON.stringify({ chatJid: ana, senderJid: ana, ...what }),
    })
    assert.equal(answer.status, 200, await answer.text())
  }
  const messages = () => inbox.events.filter((event) => event.kind === 'message')
  const heard = async (isIt: (message: ReturnType<typeof messages>[number]) => boolean) => {
    await inbox.until(() => messages().some(isIt))
    return messages().find(isIt)
  }
  const recorded = () =>
    readFileSync(recorderPath, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"accepted":true'))

  const running = await channel.start(inbox.receive)
  await check('whatsapp: a socket shakes hands and logs in', () => until(() => channel.health().state === 'up'))
  await check('whatsapp: what a person writes comes in under their LID, with the number beside it', async () => {
    await says({ text: 'dale' })
    const message = await heard(({ body }) => body.kind === 'text' && body.text === 'dale')
    assert.deepEqual([message?.sender.id, message?.sender.also], theirs)
  })
  await check('whatsapp: a voice note comes in, and is no text', async () => {
    await says({
      audio: { contentBase64: Buffer.from('OggS').toString('base64'), mimeType: 'audio/ogg; codecs=opus', ptt: true },
    })
    const message = await heard(({ body }) => body.kind === 'other')
    assert.deepEqual(message?.body, { kind: 'other', form: 'voice' })
  })
  await check('whatsapp: what is written in a group names the group and the person', async () => {
    await says({ chatJid: '120363001234567890@g.us', text: 'hola grupo' })
    const message = await heard(({ group }) => group)
    assert.deepEqual(
      [message?.conversation.chat, message?.sender.id, message?.sender.also],
      ['120363001234567890@g.us', ...theirs],
    )
  })
  await check('whatsapp: what is sent is accepted, and read there by the person alone', async () => {
    const accepted = await channel.send({ account, chat: ana }, { kind: 'text', text: '¿Transferir 10?' })
    const [line = ''] = recorded().filter((one) => one.includes(accepted.messageIds[0] ?? ''))
    assert.ok(line.includes('¿Transferir 10?'), line)
  })
  await running[Symbol.asyncDispose]()
  await check('whatsapp: what was written while nobody was there comes at the next login', async () => {
    await says({ text: 'mientras tanto' })
    await using _again = await channel.start(inbox.receive)
    await heard(({ body }) => body.kind === 'text' && body.text === 'mientras tanto')
  })
}
