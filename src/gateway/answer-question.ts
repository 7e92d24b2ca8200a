import type { HumanEvent } from '../core/human-event.ts'
import type { Question } from '../core/question.ts'
import type { Situation } from '../core/situation.ts'
import type { Change, InboxRow } from '../ports/store.ts'
import { answerEditing } from './answer-editing.ts'
import type { House } from './house.ts'
import { tellMoved } from './move.ts'
import { noticeDraft } from './notice.ts'
import { questionDraft } from './question-draft.ts'
import { ring } from './ring.ts'

/** So many draws of codes that somebody else just took, and of sums that grew meanwhile, are no chance any more. */
const drawsAllowed = 5

/**
 * Takes a person's answer to what the runtime asked them: the question ends, and what comes of it is written in one transaction with the mark
 * that the message is handled. It decides nothing.
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
  for (let draws = 1; draws <= drawsAllowed; draws += 1) {
    const change = await comesOf(house, row, event, question, situation)
    const committed = await house.store.commit({ ...change, answered: question.id, handled })
    if (committed.kind === 'committed') {
      for (const one of change.moves ?? []) tellMoved(house, one)
      return ring(house, { deliveries: [conversation, ...(change.say ?? []).map((draft) => draft.conversation)] })
    }
    house.log.warn({ inbox: row.id, what: committed.what, attempt: draws }, 'answer_lost')
    if (committed.what === 'fence') return
  }
}

async function comesOf(
  house: House,
  row: InboxRow,
  event: HumanEvent,
  { proposalId, person, asks }: Question,
  situation: Situation,
): Promise<Change> {
  const { conversation } = event
  const read = await house.store.proposal(proposalId)
  const text = event.kind === 'message' ? (event.body.text ?? '') : ''
  if (read === undefined) return {}
  const editing = { conversation, situation: { ...situation, nowMs: read.nowMs }, receivedAtMs: row.receivedAtMs }
  const step = await answerEditing(house, read.proposal, asks.edit, text, editing)
  switch (step.kind) {
    case 'ask':
      return { say: [questionDraft(conversation, step.text, person, proposalId, { kind: 'edit', edit: step.edit })] }
    case 'over':
      return { say: [noticeDraft(conversation, 'receipt', step.text, read.proposal)] }
    case 'copy':
      return step.change
  }
}
