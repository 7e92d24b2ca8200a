import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Library, loadBaileys } from '../../../src/channels/whatsapp-baileys/library.ts'
import {
  type OwnPhone,
  type Phone,
  startWhatsAppServer,
  trusting,
  type WhatsAppServer,
} from '../../support/whatsapp-server/index.ts'
import { type Client, connect, newRegistration, type Registration } from './socket.ts'

let baileys: Library
beforeAll(async () => {
  baileys = await loadBaileys('test')
})

const left: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of left.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

interface Stage {
  readonly server: WhatsAppServer
  readonly own: OwnPhone
  readonly ana: Phone
  readonly registration: Registration
  connects(more?: object): Client
}

async function stage(): Promise<Stage> {
  const server = await startWhatsAppServer()
  left.push(server)
  trusting(server)
  const own = await server.number('+1 555 000 1111')
  const ana = await server.person('Ana', { lid: '99900002222', phone: '15550002222' })
  const registration = newRegistration(baileys)
  return {
    server,
    own,
    ana,
    registration,
    connects(more) {
      const client = connect(baileys, server, registration, more)
      left.push(client)
      return client
    },
  }
}

/** A stage whose number has one linked device, logged in. */
async function linked(): Promise<Stage & { readonly client: Client }> {
  const made = await stage()
  const first = made.connects()
  await made.own.scans(await first.qr)
  await first.closed
  const client = made.connects()
  await client.opened
  await made.server.connected(made.own.phone)
  await client.until(() => client.history.length > 0)
  return { ...made, client }
}

describe('linking', () => {
  test('by QR: the device signs, is asked to restart, and logs in', async () => {
    const { server, own, registration, connects } = await stage()
    const first = connects()
    await own.scans(await first.qr)
    expect(await first.closed).toBe(515)
    const second = connects()
    await second.opened
    await server.connected(own.phone)
    expect(registration.creds.me).toMatchObject({ id: '15550001111:1@s.whatsapp.net', lid: own.lid.replace('@', ':1@') })
    expect(server.sockets(own.phone)).toEqual({ open: 1, most: 1, logins: 1, pairings: 1 })
    expect(server.problems).toEqual([])
  })

  test('by code: the phone and the device agree on a secret that nobody else has', async () => {
    const { server, own, connects } = await stage()
    const first = connects()
    await first.qr
    const code = await first.socket.requestPairingCode(own.phone)
    await own.enters(`${code.slice(0, 4)}-${code.slice(4)}`)
    expect(await first.closed).toBe(515)
    const second = connects()
    await second.opened
    expect(server.sockets(own.phone)).toMatchObject({ logins: 1, pairings: 1 })
    expect(server.problems).toEqual([])
  })

  test('another code links nothing', async () => {
    const { server, own, connects } = await stage()
    const first = connects()
    await first.qr
    await first.socket.requestPairingCode(own.phone, 'ABCD2345')
    await expect(own.enters('ABCD2346')).rejects.toThrow('The device shows another code.')
    expect(server.sockets(own.phone)).toMatchObject({ pairings: 0 })
  })
})

describe('a message of a person', () => {
  test('arrives under the LID, with the phone beside it', async () => {
    const { client, ana, server, own } = await linked()
    const { key, message, arrivedAs, pushName } = await client.message(await ana.says('dale'))
    expect(key).toMatchObject({ remoteJid: ana.lid, remoteJidAlt: ana.jid, fromMe: false, addressingMode: 'lid' })
    expect({ text: message?.conversation, arrivedAs, pushName }).toEqual({ text: 'dale', arrivedAs: 'notify', pushName: 'Ana' })
    expect(server.sockets(own.phone).most).toBe(1)
    expect(server.problems).toEqual([])
  })

  test('arrives under the phone where the chat is addressed so, in the same session', async () => {
    const { client, ana } = await linked()
    await client.message(await ana.says('uno'))
    ana.addressing = 'pn'
    const { key } = await client.message(await ana.says('dos'))
    expect(key).toMatchObject({ remoteJid: ana.jid, remoteJidAlt: ana.lid, addressingMode: 'pn' })
    ana.addressing = 'lid'
    expect((await client.message(await ana.says('tres'))).key.remoteJid).toBe(ana.lid)
  })

  test('comes from a LID alone where the person shows no number', async () => {
    const { client, server } = await linked()
    const eve = await server.person('Eve', { lid: '99900004444' })
    const { key } = await client.message(await eve.says('hola'))
    expect(key).toMatchObject({ remoteJid: '99900004444@lid', remoteJidAlt: undefined })
    await client.socket.sendMessage(eve.lid, { text: '¿Sí?' })
    expect((await eve.until(() => true)).text).toBe('¿Sí?')
  })

  test('is a reply, a forward, a disappearing text, something to look at once', async () => {
    const { client, ana } = await linked()
    const card = await client.socket.sendMessage(ana.lid, { text: '¿Transferir 10?' })
    const id = card?.key.id ?? ''
    expect((await ana.until((seen) => seen.id === id)).text).toBe('¿Transferir 10?')
    const reply = await client.message(await ana.replies(id, 'sí'))
    expect(reply.message?.extendedTextMessage).toMatchObject({ text: 'sí', contextInfo: { stanzaId: id } })
    const forward = await client.message(await ana.forwards('dale'))
    expect(forward.message?.extendedTextMessage?.contextInfo?.isForwarded).toBe(true)
    const ephemeral = await client.message(await ana.says('dale', { ephemeral: true }))
    expect(ephemeral.message?.ephemeralMessage?.message?.extendedTextMessage?.text).toBe('dale')
    const once = await client.message(await ana.sends('image', 'dale', { viewOnce: true }))
    expect(once.message?.viewOnceMessageV2?.message?.imageMessage?.caption).toBe('dale')
  })

  test('is a voice note, a picture, a sticker, a status', async () => {
    const { client, ana } = await linked()
    expect((await client.message(await ana.sends('voice'))).message?.audioMessage?.ptt).toBe(true)
    expect((await client.message(await ana.sends('image', 'dale'))).message?.imageMessage?.caption).toBe('dale')
    expect((await client.message(await ana.sends('sticker'))).message?.stickerMessage).toBeTruthy()
    expect((await client.message(await ana.posts('de vacaciones'))).key).toMatchObject({
      remoteJid: 'status@broadcast',
      participant: ana.lid,
    })
  })

  test('reacts and takes it back; both come as a message and as an event', async () => {
    const { client, ana } = await linked()
    const id = (await client.socket.sendMessage(ana.lid, { text: 'Hola' }))?.key.id ?? ''
    await ana.until((seen) => seen.id === id)
    await client.message(await ana.reacts(id, '👍'))
    await client.message(await ana.unreacts(id))
    await client.until(() => client.reactions.length === 2)
    expect(client.reactions.map(({ key, reaction }) => [key.id, reaction.text])).toEqual([
      [id, '👍'],
      [id, ''],
    ])
  })

  test('edits in the open, edits in an envelope, takes back', async () => {
    const { client, ana } = await linked()
    const id = await ana.says('dael')
    await client.message(id)
    await client.message(await ana.edits(id, 'dale'))
    await client.until(() => client.updates.some(({ key }) => key.id === id))
    expect(client.updates.find(({ key }) => key.id === id)?.update.message?.editedMessage?.message?.conversation).toBe('dale')
    const envelope = await client.message(await ana.edits(id, 'dale!', 'encrypted'))
    expect(envelope.message?.secretEncryptedMessage?.targetMessageKey?.id).toBe(id)
    await client.message(await ana.deletes(id))
    await client.until(() => client.updates.some(({ update }) => update.messageStubType === baileys.WAMessageStubType.REVOKE))
  })

  test('twice under one id is two events', async () => {
    const { client, ana } = await linked()
    const id = await ana.says('dale')
    await client.message(id)
    await ana.repeats(id)
    await client.until(() => client.arrived.filter(({ key }) => key.id === id).length === 2)
    expect(client.arrived.filter(({ key }) => key.id === id).map(({ message }) => message?.conversation)).toEqual([
      'dale',
      'dale',
    ])
  })

  test('that cannot be decrypted is a stub, and comes again under its id', async () => {
    const { client, ana } = await linked()
    await client.message(await ana.says('hola'))
    const id = await ana.says('dale', { garbled: 'once' })
    const stub = await client.message(id, ({ messageStubType }) => messageStubType === baileys.WAMessageStubType.CIPHERTEXT)
    expect(stub.message ?? undefined).toBeUndefined()
    expect((await client.message(id)).message?.conversation).toBe('dale')
  })
})

describe('a message that the device could not read', () => {
  test('in a group comes again too', async () => {
    const { client, ana, server } = await linked()
    const group = await server.group('120363000000000001', [ana])
    const id = await ana.says('dale', { group, garbled: 'once' })
    await client.message(id, ({ messageStubType }) => messageStubType === baileys.WAMessageStubType.CIPHERTEXT)
    expect((await client.message(id, ({ message }) => message?.conversation === 'dale')).key.participant).toBe(ana.lid)
  })

  // The buffer in which Baileys collects events keeps the messages alone, not the request that they answer.
  test('because it came without content is handed over by the own phone, and nothing says that it was asked for', async () => {
    const { client, ana, own } = await linked()
    const id = await ana.says('dale', { garbled: 'absent' })
    const stub = await client.message(id, ({ messageStubType }) => messageStubType === baileys.WAMessageStubType.CIPHERTEXT)
    expect(stub.messageStubParameters).toEqual(['Message absent from node'])
    const { key, message, requestId } = await client.message(id)
    expect({ key: key.remoteJid, text: message?.conversation, requestId }).toEqual({
      key: ana.lid,
      text: 'dale',
      requestId: undefined,
    })
    expect(own.sees()).toEqual([])
  })

  test('because it has lost the key that it was sealed for, comes in a new session', async () => {
    const { client, ana, registration, server } = await linked()
    const lost = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [String(index + 1), null]))
    await registration.keys.set({ 'pre-key': lost })
    expect((await client.message(await ana.says('dale'))).message?.conversation).toBe('dale')
    expect((await client.message(await ana.says('sí'))).message?.conversation).toBe('sí')
    expect(server.problems).toEqual([])
  })
})

describe('polls', () => {
  test.each([
    ['lid', 'lid', 'lid'],
    ['lid', 'pn', 'pn'],
    ['pn', 'pn', 'pn'],
    ['lid', 'pn', 'lid'],
  ] as const)(
    'a vote with the creator by %s and the voter by %s in a chat by %s can be read',
    async (creator, voter, addressing) => {
      const { client, ana, own } = await linked()
      const poll = await client.socket.sendMessage(ana.lid, {
        poll: { name: '¿Transferir?', values: ['Confirmar', 'Cancelar'], selectableCount: 1 },
      })
      const id = poll?.key.id ?? ''
      const seen = await ana.until((one) => one.id === id)
      expect(seen).toMatchObject({ text: '¿Transferir?', poll: { options: ['Confirmar', 'Cancelar'], selectable: 1 } })
      const jidOf = { lid: { ana: ana.lid, own: own.lid }, pn: { ana: ana.jid ?? '', own: own.jid } }
      const chosen = async (voteId: string) => {
        const vote = (await client.message(voteId)).message?.pollUpdateMessage?.vote
        const { selectedOptions } = baileys.decryptPollVote(vote ?? {}, {
          pollCreatorJid: jidOf[creator].own,
          voterJid: jidOf[voter].ana,
          pollMsgId: id,
          pollEncKey: poll?.message?.messageContextInfo?.messageSecret as Uint8Array,
        })
        return selectedOptions?.map((hash) => Buffer.from(hash).toString('hex'))
      }
      const about = { creator, voter, addressing }
      expect(await chosen(await ana.votes(id, 'Confirmar', about))).toEqual([
        baileys.sha256(Buffer.from('Confirmar')).toString('hex'),
      ])
      expect(await chosen(await ana.unvotes(id, about))).toEqual([])
      await expect(ana.votes(id, 'Quizás')).rejects.toThrow('is not on the poll: Confirmar, Cancelar')
    },
  )
})

describe('several', () => {
  test('devices of one number have what each of them sends', async () => {
    const { client, ana, own, server } = await linked()
    const second = newRegistration(baileys)
    const linking = connect(baileys, server, second)
    left.push(linking)
    await own.scans(await linking.qr)
    await linking.closed
    const other = connect(baileys, server, second)
    left.push(other)
    await other.opened
    await other.until(() => other.history.length > 0)
    const fromAna = await ana.says('hola')
    await Promise.all([client.message(fromAna), other.message(fromAna)])
    const id = (await other.socket.sendMessage(ana.lid, { text: 'Hola' }))?.key.id ?? ''
    expect((await ana.until((seen) => seen.id === id)).text).toBe('Hola')
    expect((await client.message(id)).key).toMatchObject({ fromMe: true, remoteJid: ana.lid })
    expect(server.sockets(own.phone)).toEqual({ open: 2, most: 2, logins: 2, pairings: 2 })
    expect(server.problems).toEqual([])
  })

  test('numbers are kept apart', async () => {
    const { client, ana, server, own } = await linked()
    const shop = await server.number('15550009999')
    await expect(ana.says('hola')).rejects.toThrow('There are several numbers.')
    const registration = newRegistration(baileys)
    const linking = connect(baileys, server, registration)
    left.push(linking)
    await shop.scans(await linking.qr)
    await linking.closed
    const other = connect(baileys, server, registration)
    left.push(other)
    await other.opened
    await other.message(await ana.says('a la tienda', { to: shop.phone }))
    await client.message(await ana.says('a la cuenta', { to: own.phone }))
    expect([client, other].map(({ arrived }) => arrived.map(({ message }) => message?.conversation).filter(Boolean))).toEqual([
      ['a la cuenta'],
      ['a la tienda'],
    ])
    expect(server.sockets(own.phone).most).toBe(1)
  })

  test('links of one number after another: the unlinked device is gone, the new one is another', async () => {
    const { client, ana, own, server } = await linked()
    await own.unlinks()
    await client.closed
    const registration = newRegistration(baileys)
    const linking = connect(baileys, server, registration)
    left.push(linking)
    await own.scans(await linking.qr)
    await linking.closed
    const again = connect(baileys, server, registration)
    left.push(again)
    await again.opened
    expect(registration.creds.me?.id).toBe('15550001111:2@s.whatsapp.net')
    await again.message(await ana.says('hola'))
    await again.socket.sendMessage(ana.lid, { text: 'Hola' })
    await ana.until(({ text }) => text === 'Hola')
    expect(server.problems).toEqual([])
  })
})

describe('groups', () => {
  test('messages, replies and votes go both ways, and the second needs no new key', async () => {
    const { client, ana, server, own } = await linked()
    const bob = await server.person('Bob', { lid: '99900003333', phone: '15550003333' })
    const group = await server.group('120363000000000001', [ana, bob])
    const { key, message } = await client.message(await bob.says('hola grupo', { group }))
    expect(key).toMatchObject({ remoteJid: group.id, participant: bob.lid, participantAlt: bob.jid })
    expect(message?.conversation).toBe('hola grupo')
    await client.socket.sendMessage(group.id, { text: 'Hola a todos' })
    const poll = await client.socket.sendMessage(group.id, { poll: { name: '¿Sí?', values: ['Sí', 'No'], selectableCount: 1 } })
    const id = poll?.key.id ?? ''
    for (const person of [ana, bob]) {
      await person.until((seen) => seen.id === id)
      expect(person.sees().map(({ text, chat }) => [text, chat])).toEqual([
        ['Hola a todos', group.id],
        ['¿Sí?', group.id],
      ])
    }
    const vote = await client.message(await bob.votes(id, 'No', { group }))
    expect(vote.key.participant).toBe(bob.lid)
    await client.message(await ana.replies(id, 'sí', { group }))
    expect(own.sees().map(({ text }) => text)).toEqual(['Hola a todos', '¿Sí?'])
    expect(server.problems).toEqual([])
  })
})

describe('the account’s own phone', () => {
  test('what is typed there reaches the person, and the device as its own', async () => {
    const { client, ana, own, server } = await linked()
    const id = await own.types(ana, 'Lo hago yo')
    const { key, message } = await client.message(id)
    expect(key).toMatchObject({ remoteJid: ana.lid, fromMe: true })
    expect(message?.conversation).toBe('Lo hago yo')
    expect(ana.sees()).toMatchObject([{ id, by: 'phone', text: 'Lo hago yo' }])
    expect(server.problems).toEqual([])
  })

  test('what is typed there in a group comes as the account’s own', async () => {
    const { client, ana, own, server } = await linked()
    const group = await server.group('120363000000000001', [ana])
    const { key, message } = await client.message(await own.types(group, 'Lo hago yo'))
    expect(key).toMatchObject({ remoteJid: group.id, fromMe: true, participant: own.lid })
    expect(message?.conversation).toBe('Lo hago yo')
    expect(ana.sees()).toMatchObject([{ by: 'phone', chat: group.id }])
    await expect(own.types('nobody@lid', 'hola')).rejects.toThrow('nobody@lid is no person and no group of this server.')
  })

  test('it shows what the device sends', async () => {
    const { client, ana, own } = await linked()
    const id = (await client.socket.sendMessage(ana.lid, { text: 'Hola' }))?.key.id ?? ''
    expect(await own.until((seen) => seen.id === id)).toMatchObject({ by: 'account', text: 'Hola', chat: ana.lid })
  })

  test('what was written before the device was linked comes as history', async () => {
    const { own, ana, connects, server } = await stage()
    const id = await ana.says('dale')
    const first = connects()
    await own.scans(await first.qr)
    await first.closed
    const client = connects()
    await client.until(() => client.history.length > 0)
    expect(client.history[0]?.messages.map(({ key }) => key.id)).toEqual([id])
    expect(client.arrived.some(({ key }) => key.id === id)).toBe(false)
    expect(server.problems).toEqual([])
  })
})

describe('the server’s word on what a device sends', () => {
  test.each([479, 463, 420, 500])('refused with %i: the device is told, nobody gets it', async (error) => {
    const { client, ana, server } = await linked()
    server.answers({ to: ana.lid, with: { error }, times: 1 })
    const id = (await client.socket.sendMessage(ana.lid, { text: 'Hola' }))?.key.id ?? ''
    await client.until(() => client.statusesOf(id).includes(baileys.WAMessageStatus.ERROR))
    expect(client.refusalOf(id)?.[0]).toBe(String(error))
    await client.socket.sendMessage(ana.lid, { text: 'Otra' })
    expect((await ana.until(() => true)).text).toBe('Otra')
    expect(server.sendings.map(({ answer }) => answer)).toEqual([{ error }, 'ack'])
  })

  test('delivered and read are told; away, the phone tells when it is back', async () => {
    const { client, ana } = await linked()
    ana.goesAway()
    const id = (await client.socket.sendMessage(ana.lid, { text: 'Hola' }))?.key.id ?? ''
    expect(ana.sees()).toEqual([])
    await ana.comesBack()
    await client.until(() => client.statusesOf(id).includes(baileys.WAMessageStatus.DELIVERY_ACK))
    await ana.reads(id)
    await client.until(() => client.statusesOf(id).includes(baileys.WAMessageStatus.READ))
  })

  test('held, the answer comes when it is let go; lost, it never does, and the person has it', async () => {
    const { client, ana, server } = await linked()
    const acks: string[] = []
    client.socket.ws.on('CB:ack,class:message', ({ attrs }: { attrs: { id: string } }) => acks.push(attrs.id))
    server.answers({ with: 'held', times: 1 })
    server.answers({ with: 'nothing', times: 1 })
    const [held = '', lost = '', last = ''] = await Promise.all(
      ['uno', 'dos', 'tres'].map(async (text) => (await client.socket.sendMessage(ana.lid, { text }))?.key.id ?? ''),
    )
    await ana.until(({ id }) => id === last)
    expect(server.sendings.map(({ answer }) => answer)).toEqual(['held', 'nothing', 'ack'])
    server.releases()
    await server.acknowledged(await ana.says('hola'))
    expect(acks.toSorted()).toEqual([held, last].toSorted())
    expect(ana.sees().map(({ id }) => id)).toContain(lost)
  })

  test('a phone that has lost its sessions asks again, and gets the message', async () => {
    const { client, ana, server } = await linked()
    await client.socket.sendMessage(ana.lid, { text: 'uno' })
    await ana.until(({ text }) => text === 'uno')
    await client.message(await ana.says('hola'))
    ana.forgets()
    await client.socket.sendMessage(ana.lid, { text: 'dos' })
    expect((await ana.until(({ text }) => text === 'dos')).by).toBe('account')
    await client.message(await ana.says('chau'))
    expect(server.problems).toEqual([])
  })
})

describe('a connection', () => {
  test.each([
    [515, 515],
    [428, 428],
    [408, 408],
    [503, 503],
    [440, 440],
    [405, 405],
    ['cut', 428],
  ] as const)('that ends with %s is reported as %i, and comes back without a new QR', async (how, code) => {
    const { client, own, server, ana, connects } = await linked()
    await client.message(await ana.says('antes'))
    await server.closes(own.phone, how)
    expect(await client.closed).toBe(code)
    const again = connects()
    await again.opened
    expect((await again.message(await ana.says('después'))).message?.conversation).toBe('después')
    expect(server.sockets(own.phone)).toEqual({ open: 1, most: 1, logins: 2, pairings: 1 })
    expect(server.problems).toEqual([])
  })

  test('that was unlinked does not come back', async () => {
    const { client, own, connects } = await linked()
    await own.unlinks()
    expect(await client.closed).toBe(401)
    expect(await connects().closed).toBe(401)
  })

  test('gets what was written while it was away, as appended, in order', async () => {
    const { client, ana, own, server, connects } = await linked()
    await client.message(await ana.says('antes'))
    await server.closes(own.phone, 'cut')
    await client.closed
    const ids = [await ana.says('uno'), await ana.says('dos'), await own.types(ana, 'tres')]
    const again = connects()
    await Promise.all(ids.map((id) => again.message(id)))
    expect(again.arrived.map(({ key, arrivedAs }) => [key.id, arrivedAs])).toEqual(ids.map((id) => [id, 'append']))
    expect(server.problems).toEqual([])
  })

  test('that is cut right behind a message has it once more, or had it', async () => {
    const { client, ana, own, server, connects } = await linked()
    const id = await ana.says('dale')
    await server.closes(own.phone, 'cut')
    await client.closed
    const again = connects()
    await again.opened
    await server.acknowledged(id)
    const had = [...client.arrived, ...again.arrived].filter(
      ({ key, message }) => key.id === id && message?.conversation === 'dale',
    )
    expect(had.length).toBe(1)
  })

  test('tells the server’s time', async () => {
    const { client, ana, server } = await linked()
    server.clock = () => Date.UTC(2027, 0, 1)
    expect((await client.message(await ana.says('dale'))).messageTimestamp).toBe(Date.UTC(2027, 0, 1) / 1000)
    expect((await client.message(await ana.says('dale', { at: 1_795_000_000_000 }))).messageTimestamp).toBe(1_795_000_000)
  })

  test('a second one for the same device ends the first with 440, and both are counted', async () => {
    const { client, own, server, connects } = await linked()
    const second = connects()
    await second.opened
    expect(await client.closed).toBe(440)
    await server.until(() => server.sockets(own.phone).open === 1)
    expect(server.sockets(own.phone)).toEqual({ open: 1, most: 2, logins: 2, pairings: 1 })
  })

  test('of a client that is too old is refused with 405', async () => {
    const { client, own, server, connects } = await linked()
    await server.closes(own.phone, 'cut')
    await client.closed
    server.requires([2, 3000, 2_000_000_000])
    expect(await connects({ version: [2, 3000, 1_999_999_999] }).closed).toBe(405)
    await connects({ version: [2, 3000, 2_000_000_001] }).opened
  })

  test('that is silent is given up by the client with 408', async () => {
    const { own, server, connects, client } = await linked()
    await server.closes(own.phone, 'cut')
    await client.closed
    const impatient = connects({ keepAliveIntervalMs: 100 })
    await impatient.opened
    await server.closes(own.phone, 'silent')
    expect(await impatient.closed).toBe(408)
  })
})
