import { conversationKeyOf } from '../core/conversation.ts'
import type { Inbound, InboundReport } from '../core/inbound.ts'
import { saidByTool } from '../core/said-by-tool.ts'
import type { Report } from '../ports/store.ts'
import type { House } from './house.ts'
import { ring } from './ring.ts'
import { settleSending } from './settle-sending.ts'

/** A row whose answer was lost may be taken again between the reading and the settling: then it is looked at once more. */
const looksAllowed = 3

/**
 * Writes a report down at the door, not behind what waits in its conversation: a bare yes may wait for it, and so may the next message.
 * Returns what of it is still to be handled: a failure, or that another tool said something. Safe to repeat.
 */
export async function recordReport(house: House, report: InboundReport): Promise<readonly Inbound[]> {
  const { account } = report.conversation
  house.count('reported', { account, status: report.status })
  const reported = await recorded(house, reportOf(report))
  // What the provider has refused was not said.
  if (reported.kind !== 'ours') return report.status === 'failed' ? [] : [saidByTool(report)]
  house.reports.tell(conversationKeyOf(reported.conversation))
  if (reported.waits) await ring(house, { deliveries: [reported.conversation] })
  const { peer: _peer, ...ours } = report
  return report.status === 'failed' ? [{ ...ours, conversation: reported.conversation }] : []
}

/** A report as the store takes it. */
export const reportOf = ({ conversation, messageId, status, moment, ref, code, final }: InboundReport): Report => ({
  account: conversation.account,
  messageId,
  status,
  atMs: moment.atMs,
  ...(ref === undefined ? {} : { ref }),
  ...(code === undefined ? {} : { code }),
  ...(final === undefined ? {} : { final }),
})

/** A report that names a sending whose answer was lost is that answer: the message was taken, and is not sent again. */
async function recorded(house: House, report: Report) {
  let reported = await house.store.report(report)
  for (let looks = 1; reported.kind === 'unanswered' && looks < looksAllowed; looks += 1) {
    const { sent } = reported
    house.log.info({ outbox: sent.id, account: report.account, lane: sent.lane }, 'answer_found')
    await settleSending(house, sent, { kind: 'accepted', messageIds: [report.messageId], moment: { atMs: report.atMs } })
    reported = await house.store.report(report)
  }
  return reported
}
