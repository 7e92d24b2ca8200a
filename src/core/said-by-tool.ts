import type { InboundReport, InboundSaid } from './inbound.ts'

/** Ends the id under which a report on a foreign message is kept: one message is said once, however many reports come on it. */
export const foreignSuffix = '#said'

/** What a report on a message that is not ours means: another tool said something through the account (RULES 3). */
export const saidByTool = ({ conversation, messageId, moment, peer }: InboundReport): InboundSaid => ({
  kind: 'said',
  by: 'tool',
  conversation,
  providerId: `${messageId}${foreignSuffix}`,
  moment,
  ...(peer === undefined ? {} : { peer }),
})
