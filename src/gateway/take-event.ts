import type { Origin } from '../core/origin.ts'
import type { Proposal } from '../core/proposal.ts'
import type { AgentEvent } from '../ports/agent.ts'
import type { AskedUntil } from '../ports/asking.ts'
import type { Change, Move, OutboxDraft, TurnRow } from '../ports/store.ts'
import { channelHere } from './channel-here.ts'
import type { House } from './house.ts'
import { noticeDraft } from './notice.ts'
import { propose, type Refused } from './propose.ts'
import { withdraw } from './withdraw.ts'

/** What the events of an agent have come to, and nobody has stored yet. */
export interface Written {
  readonly say: OutboxDraft[]
  readonly create: Proposal[]
  readonly moves: Move[]
  readonly until: AskedUntil[]
  /** What of the agent's words it came from, to be written once more. */
  readonly heard: Repeatable[]
}

/** Events that are taken once more where the first writing was lost. */
type Repeatable = Extract<AgentEvent, { kind: 'text' | 'propose' }>

export const nothingWritten = (): Written => ({ say: [], create: [], moves: [], until: [], heard: [] })

/** The part of a change that they are. */
export const changeOf = ({ say, create, moves, until }: Written): Change => ({ say, create, moves, askedUntil: until })

/**
 * Takes one event of the agent, of a turn that runs or of one that it answers later: what comes of it is put into `written`, for one transaction.
 * True when the turn ends with it.
 */
export async function takeEvent(
  house: House,
  turn: TurnRow,
  event: Exclude<AgentEvent, { kind: 'remember' }>,
  written: Written,
): Promise<boolean> {
  const { conversation, person } = turn
  if (event.kind === 'text' || event.kind === 'propose') written.heard.push(event)
  switch (event.kind) {
    case 'text':
      if (event.text.trim() !== '')
        written.say.push({ conversation, lane: 'chatter', body: { do: 'say', message: { kind: 'text', text: event.text } } })
      return false
    case 'state':
      // Best effort, and nobody waits for it.
      channelHere(house, conversation.account)
        ?.typing?.(conversation)
        .catch((error: unknown) => house.log.info({ turn: turn.id, err: error }, 'typing_not_shown'))
      return false
    case 'withdraw':
      await withdraw(house, turn, event.code)
      return false
    case 'propose': {
      const name = turn.messages[0]?.message.sender.name
      const proposed = await propose(
        house,
        {
          conversation,
          requester: person,
          ...(name === undefined ? {} : { requesterName: name }),
          ...runOf(turn),
          action: event.action,
          args: event.args,
        },
        written.create,
      )
      if (proposed.kind === 'refused') return refused(house, turn, proposed, written) && event.more !== true
      if (proposed.kind === 'new') {
        written.create.push(proposed.proposal)
        written.moves.push(...proposed.moves)
        if (proposed.until !== undefined) written.until.push(proposed.until)
      }
      written.say.push(...proposed.say)
      return event.more !== true
    }
  }
}

/** A proposal that came to nothing is told in the chat: an agent that promised it must not be the last word. */
function refused(house: House, { conversation, id }: TurnRow, { code, message }: Refused, written: Written): boolean {
  house.log.warn({ turn: id, code }, 'proposal_refused')
  house.count('proposal_refused', { code })
  const locale = house.localeOf(conversation.account)
  const told = house.texts
    .say(locale, `refused.${code}`, { message: code === 'denied' || code === 'completed' ? message : '' })
    .trim()
  // Behind what the agent said in this turn, not before it as a receipt would be.
  written.say.push(noticeDraft(conversation, 'chatter', told))
  return true
}

/** What started the turn. */
export const originOfTurn = ({ resumed }: TurnRow): Origin => (resumed === undefined ? 'human' : 'agent')

/** Where what it proposes comes from. A turn that an outcome started has no message since which it may replace anything (RULES 7). */
const runOf = (turn: TurnRow): { readonly origin: Origin; readonly depth: number; readonly sinceMs?: number } => ({
  origin: originOfTurn(turn),
  depth: turn.resumed === undefined ? 0 : (turn.resumed.resumes?.depth ?? 0) + 1,
  ...(turn.sinceMs === undefined ? {} : { sinceMs: turn.sinceMs }),
})
