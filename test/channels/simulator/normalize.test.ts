import { describe, expect, it } from 'vitest'
import { normalize } from '../../../src/channels/simulator/normalize.ts'

const receiver = { account: 'shop', handle: 'dale' }
const base = {
  update: 'u1',
  at: 1000,
  chat: { id: 'equipo', group: true },
  from: { id: 'ana', name: 'Ana' },
  message: 'equipo/7',
  order: 7,
  kind: 'text',
}
const said = (text: string, over: object = {}) => normalize({ ...base, text, ...over }, receiver)[0]

describe('a payload of the simulated provider', () => {
  it('becomes a message with all that the gateway asks for', () => {
    expect(said('hola', { chat: { id: 'ana', group: false }, reply: { message: 'ana/3' } })).toEqual({
      kind: 'message',
      conversation: { account: 'shop', chat: 'ana' },
      providerId: 'u1',
      sender: { id: 'sim:ana', name: 'Ana' },
      messageId: 'equipo/7',
      moment: { atMs: 1000, order: 7 },
      group: false,
      addressed: true,
      reply: { kind: 'message', id: 'ana/3' },
      body: { kind: 'text', text: 'hola' },
    })
  })

  it.each([
    ['@dale sí', true, 'sí'],
    ['@Dale, sí', true, 'sí'],
    ['@dale: sí', true, 'sí'],
    ['sí @dale', true, 'sí @dale'],
    ['@dalesa sí', false, '@dalesa sí'],
    ['ana@dale sí', false, 'ana@dale sí'],
    ['sí', false, 'sí'],
    ['@dale', true, ''],
  ])('in a group, %j addresses the account: %j, and says %j', (text, addressed, content) => {
    expect(said(text)).toMatchObject({ addressed, body: { kind: 'text', text: content } })
  })

  it.each([
    ['a bot', { ...base, text: 'sí', from: { id: 'b', bot: true } }, 'bot'],
    ['a kind it does not know', { ...base, kind: 'call' }, 'unknown_update'],
    ['a text without a person', { ...base, text: 'sí', from: undefined }, 'unknown_update'],
    ['nothing', undefined, 'unknown_update'],
  ])('of %s is ignored, with the reason', (_what, payload, reason) => {
    expect(normalize(payload, receiver)).toEqual([{ kind: 'ignored', reason }])
  })

  it('keeps a reply to something that it cannot name apart from no reply', () => {
    expect(said('sí', { reply: { elsewhere: true } })).toMatchObject({ reply: { kind: 'elsewhere' } })
    expect(said('sí')).toMatchObject({ reply: { kind: 'none' } })
  })

  it('gives an edit a time and no order, for the provider numbers messages', () => {
    expect(said('sí', { kind: 'edit' })).toMatchObject({
      messageId: 'equipo/7',
      moment: { atMs: 1000 },
      body: { kind: 'other', form: 'edited', text: 'sí' },
    })
    expect(said('sí', { kind: 'edit' })).not.toHaveProperty('moment.order')
  })
})
