import { conversationKeyOf } from '../core/conversation.ts'
import type { Inbound, InboundReport } from '../core/inbound.ts'
import { saidByTool } from '../core/said-by-tool.ts'
import type { Report } from '../ports/store.ts'
import type { House } from './house.ts'
import { ring } from './ring.ts'

/**
 * Writes a report down at the door, not behind what waits in its conversation: a bare yes may wait for it, and so may the next message.
 * Returns what of it is still to be handled: a failure, or that another tool said something. Safe to repeat.
 */
export async function recordReport(house: House, report: InboundReport): Promise<readonly Inbound[]> {
  const { account } = report.conversation
  house.count('reported', { account, status: report.status })
  const reported = await house.store.report(reportOf(report))
  // What the provider has refused was not said.
  if (reported.kind !== 'ours') return report.status === 'failed' ? [] : [saidByTool(report)]
  house.reports.tell(conversationKeyOf(reported.conversation))
  if (reported.waits) await ring(house, { deliveries: [reported.conversation] })
  if (reported.failed === undefined) return []
  const { peer: _peer, ...failed } = report
  return [{ ...failed, conversation: reported.conversation }]
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
