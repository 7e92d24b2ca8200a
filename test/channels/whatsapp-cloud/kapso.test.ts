import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { WhatsAppClient } from '@kapso/whatsapp-cloud-api'
import { normalizeWebhook as kapsoWebhook, verifySignature } from '@kapso/whatsapp-cloud-api/server'
import { describe, expect, it } from 'vitest'
import { normalizeWebhook } from '../../../src/channels/whatsapp-cloud/normalize.ts'
import { isSigned } from '../../../src/channels/whatsapp-cloud/webhook.ts'
import { aCard } from '../../contracts/channel.ts'
import { graphServer } from '../../support/graph-server.ts'
import { aNumber } from './far-side.ts'

const folder = new URL('../../fixtures/whatsapp-cloud/', import.meta.url)
const bodies = readdirSync(folder)
  .filter((file) => file !== 'expected.json')
  .map((file) => [file, readFileSync(new URL(file, folder), 'utf8')] as const)

describe('another client of the Cloud API', () => {
  it('asks for the same messages as this one', async () => {
    await using server = await graphServer()
    const ana = server.person('Ana')
    ana.begins()
    const number = aNumber(server)
    const kapso = new WhatsAppClient({
      accessToken: server.token,
      baseUrl: new URL(server.url).origin,
      graphVersion: 'v26.0',
    })
    const ours = { ref: 'r1', addresses: [`wa:${ana.user.waId}`], lastInboundAtMs: Date.now() }
    const to = ana.user.waId ?? ''
    const card = aCard()
    await number.send({ account: 'demo', chat: to }, { kind: 'text', text: 'hola' }, ours)
    await kapso.messages.sendText({
      phoneNumberId: server.phoneNumberId,
      to,
      body: 'hola',
      previewUrl: false,
      bizOpaqueCallbackData: 'r1',
    })
    await number.send({ account: 'demo', chat: to }, { kind: 'card', card }, ours)
    const [, , sent] = server.shown(ana.chat)
    await kapso.messages.sendInteractiveButtons({
      phoneNumberId: server.phoneNumberId,
      to,
      bodyText: sent?.body ?? '',
      buttons: card.controls.map(({ label, payload }) => ({ id: payload, title: label })),
      bizOpaqueCallbackData: 'r1',
    })
    const [text, theirText, buttons, theirButtons] = server.calls
      .filter(({ method }) => method === 'POST')
      .map(({ path, payload }) => ({ path, payload }))
    expect(theirText).toEqual(text)
    expect(theirButtons).toEqual(buttons)
  })

  it.each(bodies)('reads the same messages and statuses in %s, by id and in order', (_, body) => {
    const theirs = kapsoWebhook(JSON.parse(body))
    const events = normalizeWebhook(JSON.parse(body), { account: 'demo' })
    const messages = events.flatMap((event) => (event.kind === 'message' || event.kind === 'press' ? [event.providerId] : []))
    const statuses = events.flatMap((event) => (event.kind === 'report' ? [`${event.messageId} ${event.status}`] : []))
    // What says nothing to Dale is a message there as well.
    expect(theirs.messages.map(({ id }) => id)).toEqual(expect.arrayContaining([...messages]))
    expect(theirs.statuses.map(({ id, status }) => `${id} ${status}`)).toEqual(statuses)
  })

  it.each(bodies)('agrees on the signature of %s', (_, body) => {
    const raw = Buffer.from(body)
    const signature = `sha256=${createHmac('sha256', 's').update(raw).digest('hex')}`
    for (const [signatureHeader, isGood] of [
      [signature, true],
      [`sha256=${'0'.repeat(64)}`, false],
    ] as const) {
      expect(isSigned(raw, signatureHeader, ['s'])).toBe(isGood)
      expect(verifySignature({ appSecret: 's', rawBody: raw, signatureHeader })).toBe(isGood)
    }
  })
})
