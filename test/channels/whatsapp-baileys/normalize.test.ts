import { proto } from 'baileys'
import { describe, expect, it } from 'vitest'
import { isOwnMessageId, messageIdOf } from '../../../src/channels/whatsapp-baileys/message-id.ts'
import { needsOf } from '../../../src/channels/whatsapp-baileys/needs.ts'
import { normalizeBaileys } from '../../../src/channels/whatsapp-baileys/normalize.ts'
import { contextOf, recorded } from './recorded.ts'

const context = contextOf({})
const atS = 1_795_987_163
const ana = { remoteJid: '15550002222@s.whatsapp.net', remoteJidAlt: '99900002222@lid', fromMe: false, id: '3A01' }
const inGroup = { remoteJid: '120363000000000001@g.us', participant: '99900003333@lid', fromMe: false, id: '3A01' }
const from = (key: object, message: unknown, over: object = {}, type = 'notify') =>
  normalizeBaileys(
    { event: 'messages.upsert', data: { type, messages: [{ key, message, messageTimestamp: atS, ...over }] } },
    context,
  )[0]
const says = (message: unknown, key: object = ana) => from(key, message)
const quoting = (contextInfo: object, text = 'sí') => ({ extendedTextMessage: { text, contextInfo } })

describe('live events and JSON', () => {
  const upserts = [...recorded].filter(([, event]) => (event as { readonly event: string }).event === 'messages.upsert')

  it.each(upserts)('%s is the same event as Baileys’ own object', (_, event) => {
    const { data } = event as { readonly data: { readonly messages: readonly object[] } }
    const messages = data.messages.map((message) => proto.WebMessageInfo.fromObject(message))
    // The key of a live message has fields that are in no protobuf.
    const live = messages.map((message, index) => ({
      ...message,
      key: (data.messages[index] as { readonly key: object }).key,
    }))
    expect(normalizeBaileys({ event: 'messages.upsert', data: { ...data, messages: live } }, contextOf(event))).toEqual(
      normalizeBaileys(event, contextOf(event)),
    )
  })
})

describe('who wrote', () => {
  const lid = { id: 'wa:99900002222@lid', also: ['wa:15550002222'] }

  it.each([
    ['a number beside a LID', { remoteJid: '99900002222@lid', remoteJidAlt: '15550002222@s.whatsapp.net' }, lid],
    ['a LID beside a number', { remoteJid: '15550002222@s.whatsapp.net', remoteJidAlt: '99900002222@lid' }, lid],
    ['the older field for a number', { remoteJid: '99900002222@lid', senderPn: '15550002222@s.whatsapp.net' }, lid],
    ['the older field for a LID', { remoteJid: '15550002222@s.whatsapp.net', senderLid: '99900002222@lid' }, lid],
    ['the mapping store alone', { remoteJid: '15550002222@s.whatsapp.net' }, lid],
    ['devices on both', { remoteJid: '15550002222:23@s.whatsapp.net', remoteJidAlt: '99900002222:0@lid' }, lid],
    ['a hosted device', { remoteJid: '15550002222:99@hosted', remoteJidAlt: '99900002222:99@hosted.lid' }, lid],
    ['a LID alone', { remoteJid: '77700001111@lid' }, { id: 'wa:77700001111@lid', also: [] }],
    ['a number alone', { remoteJid: '15559991111@s.whatsapp.net' }, { id: 'wa:15559991111', also: [] }],
    [
      'the same digits as LID and as number',
      { remoteJid: '77700001111@lid', remoteJidAlt: '77700001111@lid' },
      { id: 'wa:77700001111@lid', also: [] },
    ],
  ])('is told by %s', (_, key, sender) => {
    const chat = sender.id.slice('wa:'.length)
    expect(says({ conversation: 'hola' }, { fromMe: false, id: '3A01', ...key })).toEqual({
      kind: 'message',
      conversation: { account: 'demo', chat },
      providerId: `${chat}:3A01`,
      peer: sender,
      sender,
      messageId: '3A01',
      moment: { atMs: atS * 1000 },
      group: false,
      addressed: true,
      reply: { kind: 'none' },
      body: { kind: 'text', text: 'hola' },
    })
  })

  it.each([
    ['participantAlt', { participantAlt: '15550007777@s.whatsapp.net' }],
    ['participantPn', { participantPn: '15550007777:3@s.whatsapp.net' }],
  ])('is in a group the participant, with %s as the other name', (_, more) => {
    expect(says({ conversation: 'hola' }, { ...inGroup, participant: '88800007777:5@lid', ...more })).toMatchObject({
      conversation: { account: 'demo', chat: '120363000000000001@g.us' },
      providerId: '120363000000000001@g.us:88800007777:3A01',
      sender: { id: 'wa:88800007777@lid', also: ['wa:15550007777'] },
      group: true,
      addressed: false,
    })
    expect(says({ conversation: 'hola' }, { ...inGroup, ...more })).not.toHaveProperty('peer')
  })

  it('is never joined by equal digits: a LID is no number', () => {
    const one = says({ conversation: 'hola' }, { ...ana, remoteJid: '77700001111@lid', remoteJidAlt: undefined })
    const other = says({ conversation: 'hola' }, { ...ana, remoteJid: '77700001111@s.whatsapp.net', remoteJidAlt: undefined })
    expect([one, other].map((event) => event?.kind === 'message' && event.sender)).toEqual([
      { id: 'wa:77700001111@lid', also: [] },
      { id: 'wa:77700001111', also: [] },
    ])
  })

  it.each([
    ['an assistant of WhatsApp', { ...ana, remoteJid: '13135550002@s.whatsapp.net' }],
    ['an assistant by its own address', { ...ana, remoteJid: '867051314767696@bot' }],
    ['WhatsApp itself', { ...ana, remoteJid: '0@s.whatsapp.net' }],
    ['nobody in a group', { ...inGroup, participant: '' }],
    ['a group in a group', { ...inGroup, participant: '120363000000000002@g.us' }],
  ])('is nobody for %s', (_, key) => {
    expect(says({ conversation: 'sí' }, key)).toEqual({ kind: 'ignored', reason: 'not_a_person' })
  })

  it('is the account itself on another device, and then nobody who writes to it', () => {
    expect(says({ conversation: 'sí' }, { ...ana, remoteJid: '15550001111:9@s.whatsapp.net' })).toEqual({
      kind: 'ignored',
      reason: 'own_message',
    })
  })
})

describe('what is left out', () => {
  const text = { conversation: 'sí' }

  it.each([
    ['history', from(ana, text, {}, 'prepend')],
    ['status', from({ ...ana, remoteJid: 'status@broadcast', participant: ana.remoteJid }, text)],
    ['broadcast', from({ ...ana, remoteJid: '1234567890@broadcast', participant: ana.remoteJid }, text)],
    ['broadcast', from(ana, text, { broadcast: true })],
    ['newsletter', from({ ...ana, remoteJid: '120363000000000777@newsletter' }, text)],
    ['protocol', from(ana, text, { category: 'peer' })],
    ['protocol', from(ana, { protocolMessage: { type: 5, historySyncNotification: {} } })],
    ['deleted', from(ana, { protocolMessage: { type: 0, key: { id: '3A00' } } })],
    ['deleted', from(ana, null, { messageStubType: 1 })],
    ['service', from(ana, text, { messageStubType: 27 })],
    ['undecryptable', from(ana, undefined, { messageStubType: 'CIPHERTEXT' })],
    ['no_content', from(ana, undefined)],
    ['no_content', from(ana, { messageContextInfo: {} })],
    ['no_content', from(ana, { conversation: '' })],
    ['without_time', from(ana, text, { messageTimestamp: 0 })],
    ['without_time', from(ana, text, { messageTimestamp: undefined })],
    ['unknown_content', from(ana, { hologramMessage: { text: 'sí' } })],
    ['unknown_content', from(ana, { constructor: { text: 'sí' } })],
    ['malformed', from({ ...ana, fromMe: undefined }, text)],
    ['malformed', from({ ...ana, id: '' }, text)],
    ['reaction_removed', from(ana, { reactionMessage: { key: { id: '3EB0AA' }, text: '' } })],
    ['mixed', from(ana, { buttonsResponseMessage: { selectedButtonId: 'x' }, conversation: 'sí' })],
    ['mixed', from(ana, { viewOnceMessage: { message: { buttonsResponseMessage: { selectedButtonId: 'x' } } } })],
    ['forwarded', from(ana, { buttonsResponseMessage: { selectedButtonId: 'x', contextInfo: { isForwarded: true } } })],
    ['malformed', from(ana, { interactiveResponseMessage: { nativeFlowResponseMessage: { paramsJson: '{"id":' } } })],
  ])('%s', (reason, event) => {
    expect(event).toEqual({ kind: 'ignored', reason })
  })

  it('is all that the phone was asked for and hands over in the name of others', () => {
    const data = { type: 'notify', requestId: '3EB0FF', messages: [{ key: ana, message: text, messageTimestamp: atS }] }
    expect(normalizeBaileys({ event: 'messages.upsert', data }, context)).toEqual([{ kind: 'ignored', reason: 'requested' }])
  })

  it.each([
    ['connection.update', 'connection'],
    ['messaging-history.set', 'history'],
    ['messages.reaction', 'seen_in_upsert'],
    ['toString', 'unknown_event'],
    ['next.year', 'unknown_event'],
  ])('is the event %s: %s', (event, reason) => {
    expect(normalizeBaileys({ event, data: {} }, context)).toEqual([{ kind: 'ignored', reason }])
  })
})

describe('what a message is', () => {
  const forms: readonly (readonly [string, object, object])[] = [
    ['a text', { conversation: 'sí' }, { kind: 'text', text: 'sí' }],
    ['a text of the web client', { extendedTextMessage: { text: 'sí' } }, { kind: 'text', text: 'sí' }],
    ['a text where messages disappear', { ephemeralMessage: { message: { conversation: 'sí' } } }, { kind: 'text', text: 'sí' }],
    [
      'a text with a key for the group beside it',
      { conversation: 'sí', senderKeyDistributionMessage: {}, messageContextInfo: {} },
      { kind: 'text', text: 'sí' },
    ],
    ['a text beside something else', { conversation: 'sí', hologramMessage: {} }, { kind: 'other', form: 'media', text: 'sí' }],
    [
      'a text to be seen once',
      { viewOnceMessageV2: { message: { conversation: 'sí' } } },
      { kind: 'other', form: 'media', text: 'sí' },
    ],
    ['a forwarded text', quoting({ isForwarded: true }), { kind: 'other', form: 'forwarded', text: 'sí' }],
    ['a text that was forwarded often', quoting({ forwardingScore: 127 }), { kind: 'other', form: 'forwarded', text: 'sí' }],
    [
      'a text out of a channel',
      quoting({ forwardedNewsletterMessageInfo: {} }),
      { kind: 'other', form: 'forwarded', text: 'sí' },
    ],
    [
      'a text that an assistant wrote',
      { botForwardedMessage: { message: { conversation: 'sí' } } },
      { kind: 'other', form: 'forwarded', text: 'sí' },
    ],
    ['an edited text', { editedMessage: { message: { conversation: 'sí' } } }, { kind: 'other', form: 'edited', text: 'sí' }],
    [
      'an edit',
      { protocolMessage: { type: 14, key: { id: '3A00' }, editedMessage: { conversation: 'sí' } } },
      { kind: 'other', form: 'edited', text: 'sí' },
    ],
    [
      'a sealed edit of an unknown message',
      { secretEncryptedMessage: { secretEncType: 2, targetMessageKey: { id: '3A00' }, encPayload: 'AAAA', encIv: 'AAAA' } },
      { kind: 'other', form: 'edited' },
    ],
    ['a picture with a caption', { imageMessage: { caption: 'sí' } }, { kind: 'other', form: 'caption', text: 'sí' }],
    ['a picture without', { viewOnceMessage: { message: { imageMessage: {} } } }, { kind: 'other', form: 'media' }],
    [
      'a document with a caption',
      { documentWithCaptionMessage: { message: { documentMessage: { caption: 'sí' } } } },
      { kind: 'other', form: 'caption', text: 'sí' },
    ],
    ['a voice note', { audioMessage: { ptt: true } }, { kind: 'other', form: 'voice' }],
    ['a video note', { ptvMessage: {} }, { kind: 'other', form: 'voice' }],
    ['a song', { audioMessage: {} }, { kind: 'other', form: 'media' }],
    ['a sticker', { lottieStickerMessage: { message: { stickerMessage: {} } } }, { kind: 'other', form: 'sticker' }],
    ['a contact', { contactMessage: { displayName: 'sí' } }, { kind: 'other', form: 'contact' }],
    ['a place', { locationMessage: { name: 'sí' } }, { kind: 'other', form: 'location' }],
    ['a poll of theirs', { pollCreationMessageV3: { name: 'sí', options: [] } }, { kind: 'other', form: 'poll', text: 'sí' }],
    ['a reaction', { reactionMessage: { key: { id: '3EB0AA' }, text: '👍' } }, { kind: 'other', form: 'reaction', text: '👍' }],
  ]

  it.each(forms)('%s', (_, message, body) => {
    expect(says(message)).toMatchObject({ kind: 'message', body })
  })

  it('keeps of an edit which message it is of, and of a reaction which it is to', () => {
    expect(says({ protocolMessage: { type: 14, key: { id: '3A00' }, editedMessage: { conversation: 'sí' } } })).toMatchObject({
      messageId: '3A00',
      providerId: '99900002222@lid:3A01',
    })
    expect(says({ reactionMessage: { key: { id: '3EB0AA' }, text: '👍' } })).toMatchObject({
      messageId: '3A01',
      reply: { kind: 'message', id: '3EB0AA' },
    })
  })

  it('holds nothing that cannot be stored', () => {
    expect(says({ conversation: 's\0í\ud83d' })).toMatchObject({ body: { text: 'sí\ufffd' } })
  })
})

describe('what a message answers', () => {
  const card = '3EB0CARD'

  it.each([
    ['a message of ours', { stanzaId: card, participant: '15550001111@s.whatsapp.net' }, { kind: 'message', id: card }],
    ['one of theirs', { stanzaId: '3A00', participant: ana.remoteJid }, { kind: 'message', id: '3A00' }],
    [
      'one of ours, in the chat as their phone names it',
      { stanzaId: card, remoteJid: '15550001111@s.whatsapp.net' },
      { kind: 'message', id: card },
    ],
    ['one of another chat', { stanzaId: card, remoteJid: '120363000000000001@g.us' }, { kind: 'elsewhere' }],
    ['a status', { stanzaId: card, remoteJid: 'status@broadcast' }, { kind: 'elsewhere' }],
    [
      'somebody else’s under the id of ours',
      { stanzaId: card, participant: '15550003333@s.whatsapp.net' },
      { kind: 'elsewhere' },
    ],
    ['something without an id', { quotedMessage: { conversation: 'x' } }, { kind: 'elsewhere' }],
    ['nothing', { expiration: 86_400 }, { kind: 'none' }],
  ])('is %s', (_, contextInfo, reply) => {
    expect(says(quoting(contextInfo))).toMatchObject({ reply })
  })

  it.each([
    ['@99900001111 sí', ['99900001111@lid'], 'sí'],
    ['@15550001111, sí', ['15550001111:7@s.whatsapp.net'], 'sí'],
    ['@99900001111: sí', ['99900001111@lid'], 'sí'],
    ['sí @99900001111', ['99900001111@lid'], 'sí'],
    ['decile a @99900001111 que no', ['99900001111@lid'], 'decile a @99900001111 que no'],
    ['@999000011112 sí', ['99900001111@lid'], '@999000011112 sí'],
  ])('in a group: %j mentions the account, and says %j', (text, mentionedJid, said) => {
    expect(says(quoting({ mentionedJid }, text), inGroup)).toMatchObject({ addressed: true, body: { kind: 'text', text: said } })
  })

  it('in a group: a reply to the account is to it; a mention of another, or only its digits, is not', () => {
    expect(says(quoting({ stanzaId: card }), inGroup)).toMatchObject({ addressed: true })
    expect(says(quoting({ stanzaId: '3A00', participant: '15550001111@s.whatsapp.net' }), inGroup)).toMatchObject({
      addressed: true,
    })
    expect(says(quoting({ stanzaId: '3A00', participant: ana.remoteJid }), inGroup)).toMatchObject({ addressed: false })
    expect(says(quoting({ mentionedJid: ['15550003333@s.whatsapp.net'] }, '@15550003333 sí'), inGroup)).toMatchObject({
      addressed: false,
    })
    expect(says({ conversation: '@99900001111 sí' }, inGroup)).toMatchObject({ addressed: false })
  })
})

describe('what the account’s own phone does', () => {
  const own = { remoteJid: '15550002222@s.whatsapp.net', remoteJidAlt: '99900001111@lid', fromMe: true, id: '3AOWN' }
  const said = {
    kind: 'said',
    by: 'owner',
    conversation: { account: 'demo', chat: '99900002222@lid' },
    providerId: '99900002222@lid:3AOWN',
    peer: { id: 'wa:99900002222@lid', also: ['wa:15550002222'] },
    moment: { atMs: atS * 1000 },
  }

  it.each([
    ['writes', { conversation: 'sí' }],
    ['sends a picture', { imageMessage: {} }],
    ['edits', { protocolMessage: { type: 14, key: { id: '3A00' }, editedMessage: { conversation: 'sí' } } }],
    ['sends what is not known here', { hologramMessage: {} }],
  ])('is said when it %s, to the person whom it is to', (_, message) => {
    expect(from(own, message)).toEqual(said)
  })

  it('is said too when it cannot be decrypted', () => {
    expect(from(own, undefined, { messageStubType: 2 })).toEqual(said)
  })

  it('is said in a group', () => {
    expect(from({ ...inGroup, participant: '99900001111@lid', fromMe: true }, { conversation: 'sí' })).toEqual({
      kind: 'said',
      by: 'owner',
      conversation: { account: 'demo', chat: '120363000000000001@g.us' },
      providerId: '120363000000000001@g.us:99900001111:3A01',
      moment: { atMs: atS * 1000 },
    })
  })

  it.each([
    ['an echo of ours', 'own_message', from({ ...own, id: '3EB0AA' }, { conversation: 'hola' })],
    ['a note to oneself', 'own_chat', from({ ...own, remoteJid: '15550001111@s.whatsapp.net' }, { conversation: 'sí' })],
    ['a reaction', 'own_message', from(own, { reactionMessage: { key: { id: '3A00' }, text: '👍' } })],
    ['a deletion', 'deleted', from(own, { protocolMessage: { type: 'REVOKE', key: { id: '3A00' } } })],
    ['a setting', 'protocol', from(own, { protocolMessage: { type: 3 } })],
  ])('is not said: %s', (_, reason, event) => {
    expect(event).toEqual({ kind: 'ignored', reason })
  })
})

describe('what became of a message of ours', () => {
  const key = { remoteJid: '15550002222:3@s.whatsapp.net', fromMe: true, id: '3EB0AA' }
  const updated = (update: object, over: object = {}) =>
    normalizeBaileys({ event: 'messages.update', data: [{ key: { ...key, ...over }, update }] }, context)[0]

  it.each([
    [2, 'sent'],
    [3, 'delivered'],
    [4, 'read'],
    [5, 'read'],
    ['DELIVERY_ACK', 'delivered'],
  ])('status %j is %s', (status, told) => {
    expect(updated({ status, messageTimestamp: atS })).toEqual({
      kind: 'report',
      conversation: { account: 'demo', chat: '99900002222@lid' },
      peer: { id: 'wa:99900002222@lid', also: ['wa:15550002222'] },
      providerId: `99900002222@lid:3EB0AA#${told}`,
      messageId: '3EB0AA',
      status: told,
      moment: { atMs: atS * 1000 },
    })
  })

  it('without a time has ours', () => {
    expect(updated({ status: 3, messageTimestamp: 0 })).toMatchObject({ status: 'delivered', moment: { atMs: context.nowMs } })
  })

  it.each([
    ['463', { code: '463', final: true }],
    ['479', { code: '479' }],
  ])('refused with %s it failed', (code, told) => {
    const event = updated({ status: 0, messageStubParameters: [code, 'words'] })
    expect(event).toMatchObject({ kind: 'report', status: 'failed', ...told })
    expect(event !== undefined && 'final' in event).toBe('final' in told)
  })

  it('in a group is told by each member', () => {
    const receipt = (over: object) =>
      normalizeBaileys(
        {
          event: 'message-receipt.update',
          data: [
            {
              key: { ...key, remoteJid: inGroup.remoteJid, participant: '99900003333:2@lid' },
              receipt: { userJid: '99900003333@lid', ...over },
            },
          ],
        },
        context,
      )[0]
    expect(receipt({ receiptTimestamp: atS })).toEqual({
      kind: 'report',
      conversation: { account: 'demo', chat: '120363000000000001@g.us' },
      providerId: '120363000000000001@g.us:3EB0AA#delivered:99900003333',
      messageId: '3EB0AA',
      status: 'delivered',
      moment: { atMs: atS * 1000 },
    })
    expect(receipt({ readTimestamp: atS })).toMatchObject({ status: 'read' })
    expect(receipt({})).toEqual({ kind: 'ignored', reason: 'malformed' })
  })

  it.each([
    ['of a message that our own phone sent', updated({ status: 3 }, { id: '3AOWN' })],
    ['of a message that they sent and our phone read', updated({ status: 4 }, { fromMe: false })],
  ])('is not told %s', (_, event) => {
    expect(event).toEqual({ kind: 'ignored', reason: 'not_ours' })
  })

  it('is no content: an update alone makes no text, unless its message could not be read when it came', () => {
    const text = { message: { conversation: 'sí' } }
    const theirs = { fromMe: false, id: '3ASTUB' }
    expect(updated(text, theirs)).toEqual({ kind: 'ignored', reason: 'no_stub' })
    const withStub = { ...context, stubAtMsOf: () => atS * 1000 }
    expect(
      normalizeBaileys({ event: 'messages.update', data: [{ key: { ...key, ...theirs }, update: text }] }, withStub),
    ).toEqual([expect.objectContaining({ kind: 'message', moment: { atMs: atS * 1000 }, body: { kind: 'text', text: 'sí' } })])
  })
})

describe('the id of a message that is sent', () => {
  const part = { account: 'demo', ref: '01KKN000000000000000000001', part: 0 }

  it('looks like one of WhatsApp’s web client, and is the same at every sending', () => {
    expect(messageIdOf(part)).toMatch(/^3EB0[0-9A-F]{18}$/)
    expect(messageIdOf({ ...part })).toBe(messageIdOf(part))
    const others = [
      { ...part, part: 1 },
      { ...part, ref: '01KKN000000000000000000002' },
      { ...part, account: 'other' },
    ]
    expect(new Set([part, ...others].map(messageIdOf)).size).toBe(4)
  })

  it('is known as ours without memory, and by its own account alone', () => {
    expect(isOwnMessageId(messageIdOf(part), 'demo')).toBe(true)
    expect(isOwnMessageId(messageIdOf(part), 'other')).toBe(false)
    for (const id of ['3EB08890C2A84911C5C077', '3A7A9A6BD03890572951', '', messageIdOf(part).toLowerCase()])
      expect(isOwnMessageId(id, 'demo')).toBe(false)
  })
})

describe('what has to be looked up before', () => {
  const vote = recorded.get('poll_vote_cancel_group') as { readonly data: unknown }
  const edit = recorded.get('edited_encrypted_envelope') as { readonly data: unknown }

  it('for a vote: whose LID the voter has, and the poll', () => {
    expect(needsOf({ event: 'messages.upsert', data: vote.data })).toEqual({
      jids: ['99900003333@lid', '99900001111@lid'],
      polls: ['3EB0E42148497BA47A7655'],
      secrets: [],
    })
  })

  it('for a sealed edit: the secret of the message that it is of', () => {
    expect(needsOf({ event: 'messages.upsert', data: edit.data })).toEqual({
      jids: ['15550002222@s.whatsapp.net', '15550001111@s.whatsapp.net'],
      polls: [],
      secrets: ['3A56E0AA359A9485B264'],
    })
  })

  it('for anything else at most addresses', () => {
    expect(needsOf(undefined)).toEqual({ jids: [], polls: [], secrets: [] })
    expect(needsOf({ event: 'x', data: [{ key: { remoteJid: 7 } }] })).toEqual({ jids: [], polls: [], secrets: [] })
  })
})
