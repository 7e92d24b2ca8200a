import type { Conversation } from '../../../src/core/conversation.ts'
import type { InboundMessage, InboundPress } from '../../../src/core/inbound.ts'
import type { Outgoing } from '../../../src/core/outgoing.ts'
import type { Proposal } from '../../../src/core/proposal.ts'
import type { Showing } from '../../../src/core/situation.ts'
import type { OutboxDraft, OutboxRow, Store } from '../../../src/ports/store.ts'
import type { TestStore } from '../../support/database.ts'
import { aConversation, someTimeMs } from '../../support/proposals.ts'

/** Gives the store of the test at hand. */
export type UnderTest = () => TestStore

let arrived = 0

/** A message of ana in a one-to-one chat; its provider id is its own. */
export function aMessage(text: string, over: Partial<InboundMessage> = {}): InboundMessage {
  arrived += 1
  return {
    kind: 'message',
    conversation: aConversation,
    providerId: `u${arrived}`,
    sender: { id: 'ana' },
    messageId: `m${arrived}`,
    moment: { atMs: someTimeMs },
    group: false,
    addressed: true,
    reply: { kind: 'none' },
    body: { kind: 'text', text },
    ...over,
  }
}

export function aPress(over: Partial<InboundPress> = {}): InboundPress {
  arrived += 1
  return {
    kind: 'press',
    conversation: aConversation,
    providerId: `p${arrived}`,
    sender: { id: 'ana' },
    pressId: `t${arrived}`,
    payload: 'x',
    group: false,
    ...over,
  }
}

/** Keeps a message and marks it as handled, for the agent; returns its id in the inbox. */
export async function toAgent(store: Store, message: InboundMessage): Promise<number> {
  const [row] = await store.keep('main', [message])
  if (row === undefined) throw new Error('The message was there already')
  await store.commit({ handled: { inboxId: row.id, road: 'converse', toAgent: true, by: 'here' } })
  return row.id
}

export const text = (words: string): Outgoing => ({ kind: 'text', text: words })
export const notice = (words: string): Outgoing => ({ kind: 'notice', text: words })

export const chatter = (words: string, conversation: Conversation = aConversation): OutboxDraft => ({
  conversation,
  lane: 'chatter',
  body: { do: 'say', message: text(words) },
})
export const receipt = (words: string, conversation: Conversation = aConversation): OutboxDraft => ({
  conversation,
  lane: 'receipt',
  body: { do: 'say', message: notice(words) },
})
export const outcome = (words: string): OutboxDraft => ({
  conversation: aConversation,
  lane: 'outcome',
  body: { do: 'say', message: notice(words) },
})

export const cardOf = ({ id, code, cardRevision }: Proposal, conversation: Conversation = aConversation): OutboxDraft => ({
  conversation,
  lane: 'card',
  proposalId: id,
  cardRevision,
  body: {
    do: 'say',
    message: {
      kind: 'card',
      card: { code, lines: [{ part: 'summary', text: 'Plan de 3 cuotas' }], controls: [], severity: 'normal' },
    },
  },
})

/** What a row says, for comparing. */
export const wordsOf = (row: OutboxRow | undefined): string | undefined =>
  row === undefined
    ? undefined
    : row.body.do === 'say' && 'text' in row.body.message
      ? row.body.message.text
      : (row.proposalId ?? 'card')

/** Takes the next message and has the channel accept it. */
export async function sendNext(
  store: Store,
  messageIds: readonly string[] = [],
  conversation: Conversation = aConversation,
): Promise<OutboxRow | undefined> {
  const row = await store.nextOutgoing(conversation, 10_000)
  if (row !== undefined)
    await store.commit({
      delivered: {
        id: row.id,
        fence: row.fence,
        delivery: { kind: 'accepted', messageIds, moment: { atMs: someTimeMs, order: row.id } },
      },
    })
  return row
}

export const aShowing = (proposal: Proposal, over: Partial<Showing> = {}): Showing => ({
  proposalId: proposal.id,
  cardRevision: proposal.cardRevision,
  conversation: proposal.conversation,
  messageIds: [`card-${proposal.id}`],
  acceptedAtMs: someTimeMs,
  moment: { atMs: someTimeMs, order: 5 },
  ...over,
})
