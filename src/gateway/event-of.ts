import { isNowhere } from '../core/conversation.ts'
import { originOf } from '../core/origin.ts'
import { isSettled, type State } from '../core/proposal.ts'
import type { MovedRow } from '../ports/webhooks.ts'
import { outcomeOf } from './outcome-of.ts'

/**
 * A move of a proposal as programs outside are told of it. The same whenever it is made: but for the end, which nothing changes any more,
 * only what the move itself was and what never changes is in it.
 */
export function eventOf({ id, type, row, proposal }: MovedRow) {
  const { conversation, requester } = proposal
  const final = isSettled({ name: row.to } as State)
  const { reason, result } = final ? outcomeOf(proposal) : {}
  return {
    id: `evt_${id}`,
    type,
    timestamp: new Date(row.atMs).toISOString(),
    data: {
      proposalId: proposal.id,
      code: proposal.code,
      action: proposal.action,
      args: JSON.parse(proposal.canonicalArgs) as unknown,
      origin: originOf(proposal),
      ...(isNowhere(conversation) ? {} : { conversation }),
      ...(requester === undefined ? {} : { requester }),
      state: row.to,
      final,
      executed: row.to === 'succeeded',
      by: row.by,
      ...(reason === undefined ? {} : { reason }),
      ...(result === undefined ? {} : { result }),
    },
  }
}
