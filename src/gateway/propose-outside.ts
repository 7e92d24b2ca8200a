import { type Conversation, isNowhere } from '../core/conversation.ts'
import { isNamedBy } from '../core/identity.ts'
import type { Origin } from '../core/origin.ts'
import { isUnderWay, type Proposal, type StateName } from '../core/proposal.ts'
import type { Change } from '../ports/store.ts'
import { drawAgain } from './draw-again.ts'
import type { House } from './house.ts'
import { tellMoved } from './move.ts'
import { type Asked, type Proposed, propose, type Refused } from './propose.ts'
import { ring } from './ring.ts'

/** What a program asks for. There is no message since which it may replace anything. `proposedBy` names the program, and is kept. */
export type AskedOutside = Pick<Asked, 'id' | 'conversation' | 'requester' | 'requesterName' | 'action' | 'args'> & {
  readonly origin: Extract<Origin, 'api' | 'mcp' | 'schedule'>
  readonly proposedBy: string
}

/** What a program gets for a proposal: where it stands, and that nothing has been done. `repeated`: the very same call waited already. */
export interface Receipt {
  readonly kind: 'proposed'
  readonly proposalId: string
  readonly code: string
  readonly status: Extract<StateName, 'pending' | 'approved' | 'executing' | 'in_doubt'>
  readonly executed: false
  readonly repeated: boolean
}

/**
 * Proposes for a run that no message started (RULES 7 and 8): what a person is reading is never replaced, and the card is written in the
 * transaction that stores the proposal. Of several calls at once for one requester in one conversation each sees what the others wrote:
 * the same call twice is one proposal, and no quota is passed. Throws `StoreAwayError`; asked for again, it is the same proposal.
 */
export async function proposeOutside(house: House, asked: AskedOutside): Promise<Receipt | Refused> {
  if (!(await canBeHere(house, asked))) return refused(house, elsewhere)
  for (let draws = 1; ; draws += 1) {
    const made = asked.id === undefined ? undefined : await house.store.proposal(asked.id)
    if (made !== undefined) return receiptOf(made.proposal, true)
    // Read before it is judged: what opens after this is met by the commit.
    const { waiting } = await house.store.beside(asked.conversation, asked.requester, asked.action, '')
    const proposed = await propose(house, asked, [])
    if (proposed.kind === 'refused') return refused(house, proposed)
    const committed = await house.store.commit(changeOf(proposed, asked, waiting))
    if (committed.kind === 'committed') return told(house, proposed, asked.conversation)
    if (!drawAgain(committed, draws)) return refused(house, crowded)
  }
}

const crowded: Refused = { kind: 'refused', code: 'slot_busy', message: 'Others ask for the same at this moment; ask again.' }

const elsewhere: Refused = {
  kind: 'refused',
  code: 'nobody_can_decide',
  message:
    'The requester never wrote in this conversation, and it is not the chat of any id of theirs: they could not answer there.',
}

/** Can who it is for ever write where it is asked? They have, or it is the one-to-one chat that an id of theirs names. */
async function canBeHere(house: House, { conversation, requester }: AskedOutside): Promise<boolean> {
  if (requester === undefined || isNowhere(conversation)) return true
  const kind = house.channels.get(conversation.account)?.kind ?? ''
  if (isNamedBy(requester, kind, conversation.chat)) return true
  if (await house.store.hasWritten(conversation, requester)) return true
  const known = (await house.store.people()).find(({ id }) => id === requester)
  return known?.identities.some(({ value, taken }) => taken === undefined && isNamedBy(value, kind, conversation.chat)) === true
}

function changeOf(
  proposed: Exclude<Proposed, Refused>,
  { conversation, requester }: AskedOutside,
  waiting: readonly Proposal[],
): Change {
  const { say } = proposed
  if (proposed.kind === 'same') return { say }
  return {
    say,
    create: [proposed.proposal],
    moves: proposed.moves,
    openUntil: { conversation, ...(requester === undefined ? {} : { requester }), waiting: waiting.map(({ id }) => id) },
    ...(proposed.until === undefined ? {} : { askedUntil: [proposed.until] }),
  }
}

async function told(house: House, proposed: Exclude<Proposed, Refused>, conversation: Conversation): Promise<Receipt> {
  const { proposal, say } = proposed
  if (proposed.kind === 'new') {
    for (const move of proposed.moves) tellMoved(house, move)
    house.count('proposed_outside', { action: proposal.action, origin: proposal.origin ?? 'api' })
  }
  await ring(house, { deliveries: [conversation, ...say.map((draft) => draft.conversation)] })
  return receiptOf(proposal, proposed.kind === 'same')
}

const receiptOf = (proposal: Proposal, repeated: boolean): Receipt => ({
  kind: 'proposed',
  proposalId: proposal.id,
  code: proposal.code,
  status: isUnderWay(proposal) ? proposal.state.name : 'pending',
  executed: false,
  repeated,
})

function refused(house: House, refusal: Refused): Refused {
  house.count('proposal_refused', { code: refusal.code })
  return refusal
}
