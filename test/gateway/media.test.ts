import { expect, it } from 'vitest'
import { handleInbound } from '../../src/gateway/handle-inbound.ts'
import { receive } from '../../src/gateway/receive.ts'
import { ring } from '../../src/gateway/ring.ts'
import { aPhonesHouse } from '../support/house-phones.ts'

it('an agent is told which file came with a message, and gets its caption as something that is no plain text', async () => {
  await using test = await aPhonesHouse()
  const conversation = { account: 'demo', chat: 'ana' }
  const media = { kind: 'image', ref: 'AgACAgEAAx1', mimeType: 'image/jpeg', size: 42_000 } as const
  await receive(test.house, 'demo', [
    {
      kind: 'message',
      conversation,
      providerId: 'm1',
      sender: { id: 'sim:ana' },
      messageId: 'm1',
      moment: { atMs: await test.stage.store.now() },
      group: false,
      addressed: true,
      reply: { kind: 'none' },
      body: { kind: 'other', form: 'caption', text: 'dale', media },
    },
  ])
  await handleInbound(test.house, conversation)
  await ring(test.house, { turns: [conversation] })
  await test.quiet()
  expect(test.turns.map(({ messages }) => messages)).toEqual([
    [{ text: 'dale', form: 'caption', atMs: expect.any(Number), media }],
  ])
})
