import { lastSaid } from './armed.ts'
import { isSamePerson } from './authority.ts'
import type { Via } from './decision.ts'
import type { Edit } from './edit.ts'
import type { InboundMessage } from './inbound.ts'
import type { Situation } from './situation.ts'

/** What a question of the runtime is for, with what it needs to go on from the answer. */
export type Asks =
  | { readonly kind: 'edit'; readonly edit: Edit }
  /** A value of the card, typed as it stands there; `wrong`: how often another one was. */
  | { readonly kind: 'typed'; readonly cardRevision: number; readonly wrong: number }
  /** Why it is refused; `via`: how whoever refuses said that they do. */
  | { readonly kind: 'reason'; readonly via: Via }

/** A question of the runtime to one person about one card. It waits for their answer until it got one, or something else was said. */
export interface Question {
  /** Names it in the store. */
  readonly id: number
  readonly person: string
  readonly proposalId: string
  readonly asks: Asks
  /** Its messages, once they were accepted. */
  readonly messageIds: readonly string[]
}

/**
 * The question that a text answers (RULES 3): the one to this person that is the last thing said, or the one that it replies to natively.
 * In a group who answers says to whom. Undefined where nothing was asked of them, or other things were said since.
 */
export function questionFor({ reply, moment, group, addressed }: InboundMessage, situation: Situation): Question | undefined {
  if (reply.kind === 'elsewhere') return undefined
  const asked = situation.said.flatMap(({ what }) => (what.kind === 'question' && what.asked !== undefined ? [what.asked] : []))
  const mine = asked.filter(({ person }) => isSamePerson(situation.person, person))
  if (reply.kind === 'message') return mine.find(({ messageIds }) => messageIds.includes(reply.id))
  const last = lastSaid(situation, moment)?.what
  if (last?.kind !== 'question' || (group && !addressed)) return undefined
  return mine.find(({ id }) => id === last.asked?.id)
}
