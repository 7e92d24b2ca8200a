import type { HumanEvent } from '../core/human-event.ts'
import type { Proposal } from '../core/proposal.ts'
import type { Question } from '../core/question.ts'
import type { Situation } from '../core/situation.ts'
import type { Given } from '../core/target.ts'
import type { Change, InboxRow } from '../ports/store.ts'
import { answerEditing } from './answer-editing.ts'
import { answerReason } from './answer-reason.ts'
import { type Answered, answerTyping } from './answer-typing.ts'
import { decide } from './decide.ts'
import { drawAgain } from './draw-again.ts'
import type { House } from './house.ts'
import { tellMoved } from './move.ts'
import { noticeDraft } from './notice.ts'
import { questionDraft } from './question-draft.ts'
import { ring } from './ring.ts'

/** What an answer comes to: what is written, or a decision on a proposal as it was just read. */
type Step =
  | { readonly kind: 'told'; readonly change: Change }
  | { readonly kind: 'decides'; readonly given: Given; readonly proposal: Proposal; readonly situation: Situation }

/**
 * Takes a person's answer to what the runtime asked them: the question ends, and what comes of it is written in one transaction with the mark
 * that the message is handled. An answer that is a decision takes the way of every decision.
 */
export async function answerQuestion(
  house: House,
  row: InboxRow,
  event: HumanEvent,
  question: Question,
  situation: Situation,
  handled: NonNullable<Change['handled']>,
): Promise<void> {
  const { conversation } = event
  for (let draws = 1; ; draws += 1) {
    const step = await comesOf(house, row, event, question, situation)
    if (step.kind === 'decides') return decideBy(house, event, question, step, handled)
    const { change } = step
    const committed = await house.store.commit({ ...change, answered: question.id, handled })
    if (committed.kind === 'committed') {
      for (const one of change.moves ?? []) tellMoved(house, one)
      return ring(house, { deliveries: [conversation, ...(change.say ?? []).map((draft) => draft.conversation)] })
    }
    house.log.warn({ inbox: row.id, what: committed.what, attempt: draws }, 'answer_lost')
    if (!drawAgain(committed, draws, ['proposal'])) return
  }
}

const told = (change: Change): Step => ({ kind: 'told', change })

/** The question ends with a decision that counts, and with one that does not; it waits on where the world could not be looked at. */
async function decideBy(
  house: House,
  event: HumanEvent,
  { id }: Question,
  { proposal, given, situation }: Extract<Step, { kind: 'decides' }>,
  handled: NonNullable<Change['handled']>,
): Promise<void> {
  const also = { handled, answered: id }
  const { text, written, eachTime } = await decide(house, event, proposal, given, situation, also)
  if (written) return
  const say = [noticeDraft(event.conversation, 'receipt', text, proposal)]
  await house.store.commit({ ...(eachTime === true ? { handled } : also), say })
  await ring(house, { deliveries: [event.conversation] })
}

async function comesOf(
  house: House,
  row: InboxRow,
  event: HumanEvent,
  { proposalId, person, asks }: Question,
  situation: Situation,
): Promise<Step> {
  const { conversation } = event
  const read = await house.store.proposal(proposalId)
  const text = event.kind === 'message' ? (event.body.text ?? '') : ''
  if (read === undefined) return { kind: 'told', change: {} }
  const now = { ...situation, nowMs: read.nowMs }
  const decided = (answered: Answered): Step =>
    answered.kind === 'decides' ? { ...answered, proposal: read.proposal, situation: now } : answered
  if (asks.kind === 'typed') return decided(answerTyping(house, row, event, now, read.proposal, asks, text))
  if (asks.kind === 'reason') return decided(answerReason(house, event, now, read.proposal, asks, text))
  const editing = { conversation, situation: now, receivedAtMs: row.receivedAtMs }
  const step = await answerEditing(house, read.proposal, asks.edit, text, editing)
  switch (step.kind) {
    case 'ask':
      return told({ say: [questionDraft(conversation, step.text, person, proposalId, { kind: 'edit', edit: step.edit })] })
    case 'over':
      return told({ say: [noticeDraft(conversation, 'receipt', step.text, read.proposal)] })
    case 'copy':
      return told(step.change)
  }
}
