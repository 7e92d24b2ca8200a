import { cloudChannel } from '../../../src/channels/whatsapp-cloud/channel.ts'
import type { CloudSettings } from '../../../src/channels/whatsapp-cloud/settings.ts'
import type { Channel, Receive } from '../../../src/ports/channel.ts'
import type { Log } from '../../../src/ports/log.ts'
import type { FarSide } from '../../contracts/channel.ts'
import { lookOf } from '../../support/graph-look.ts'
import { type Fault, type GraphServer, graphServer } from '../../support/graph-server.ts'

export const quiet: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }
export const verifyToken = 'my-token'

/** The adapter for the number of a local Graph API. */
export const aNumber = (server: GraphServer, about: Partial<CloudSettings> = {}): Channel =>
  cloudChannel({
    account: 'demo',
    token: server.token,
    phoneNumberId: server.phoneNumberId,
    appSecrets: [server.appSecret],
    verifyToken,
    apiRoot: server.url,
    log: quiet,
    ...about,
  })

const faults: Readonly<Record<'rate_limited' | 'blocked' | 'lost_answer', Fault>> = {
  rate_limited: { refuse: 429, code: 130_429 },
  blocked: { refuse: 400, code: 131_026 },
  lost_answer: { reset: 'after' },
}

/** One number with Ana in front of it, for the contract suite. */
export async function openFarSide(receive: Receive): Promise<FarSide> {
  const server = await graphServer()
  const channel = aNumber(server)
  server.webhooks.connect(async (request) => await channel.webhook?.(request, receive))
  const ana = server.person('Ana')
  ana.begins()
  return {
    channel,
    conversation: { account: 'demo', chat: ana.chat },
    person: `wa:${ana.user.userId}`,
    says: async (text, { replyTo } = {}) => ana.says(text, replyTo === undefined ? {} : { replyTo }),
    sees: () =>
      server.shown(ana.chat).map(({ id, body, buttons }) => ({
        id,
        text: lookOf(body).text,
        controls: buttons.map(({ title }) => title),
      })),
    taps: async (messageId, label) => void ana.taps(messageId, label),
    redelivers: async () => server.webhooks.again(),
    faults: (fault) => server.fail(faults[fault]),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
