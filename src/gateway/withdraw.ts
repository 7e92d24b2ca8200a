import { isSamePerson } from '../core/authority.ts'
import { conversationKeyOf } from '../core/conversation.ts'
import type { TurnRow } from '../ports/store.ts'
import type { House } from './house.ts'
import { move } from './move.ts'
import { outcomeDrafts } from './outcome.ts'
import { ring } from './ring.ts'

/**
 * The agent takes back a proposal that it made for the person it talks to. Only a run that this person's own later message started may (RULES 7); any
 * other withdrawal changes nothing. The end is told with the move itself.
 */
export async function withdraw(house: House, turn: TurnRow, code: string): Promise<void> {
  const here = conversationKeyOf(turn.conversation)
  const mine = turn.proposals.find(
    (proposal) =>
      proposal.code === code &&
      // What a program asked for in this chat is the program's to take back.
      proposal.proposedBy === undefined &&
      isSamePerson({ id: turn.person, formerly: turn.formerly }, proposal.requester) &&
      conversationKeyOf(proposal.conversation) === here,
  )
  if (mine === undefined || turn.sinceMs === undefined || turn.sinceMs <= mine.createdAtMs) {
    house.log.warn({ turn: turn.id }, 'withdrawal_refused')
    return
  }
  const showings = await house.store.showings(mine.id)
  const applied = await move(house, mine, { name: 'discard', reason: 'withdrawn' }, turn.nowMs, { by: 'agent' }, (after) => ({
    say: outcomeDrafts(house, after, showings, turn.nowMs),
  }))
  if (applied.kind === 'applied')
    await ring(house, { deliveries: [mine.conversation, ...showings.map(({ conversation }) => conversation)] })
}
