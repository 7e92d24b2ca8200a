import type { Receive } from '../../../src/ports/channel.ts'
import type { FarSide } from '../../contracts/channel.ts'
import type { AnswerRule } from '../../support/whatsapp-server/index.ts'
import { aWhatsAppStage } from '../../support/whatsapp-stage.ts'

const faults: Readonly<Record<'rate_limited' | 'blocked' | 'lost_answer', AnswerRule>> = {
  rate_limited: { with: { error: 429 }, times: 1 },
  blocked: { with: { error: 463 }, times: 1 },
  lost_answer: { with: 'nothing', times: 1 },
}

/**
 * One linked number with Ana in front of it, for the contract suite. The number is connected from the beginning, since nothing can be
 * sent without a connection; what comes in is handed on once the suite starts the channel, and no more once it has stopped it.
 */
export async function openFarSide(receive: Receive): Promise<FarSide> {
  const stage = await aWhatsAppStage()
  await stage.pair()
  const ana = await stage.server.person('Ana', { lid: '99900002222', phone: '15550002222' })
  const said: string[] = []
  const channel = await stage.gateway(receive, { ackMs: 500 })
  return {
    channel: { ...channel, start: async () => channel },
    conversation: { account: 'tienda', chat: '99900002222@lid' },
    person: `wa:${ana.lid}`,
    says: async (text, { replyTo } = {}) => {
      const id = await ana.says(text, replyTo === undefined ? {} : { replyTo })
      said.push(id)
      return id
    },
    sees: () => ana.sees().map(({ id, text, poll }) => ({ id, text: text ?? '', controls: poll?.options ?? [] })),
    redelivers: async () => {
      for (const id of said) await ana.repeats(id)
    },
    faults: (fault) => stage.server.answers(faults[fault]),
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  }
}
