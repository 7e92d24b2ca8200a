import { isSamePerson } from '../core/authority.ts'
import type { Conversation } from '../core/conversation.ts'
import type { Situation } from '../core/situation.ts'
import type { House } from './house.ts'
import { move } from './move.ts'
import { outcomeDrafts } from './outcome.ts'
import { ring } from './ring.ts'

/**
 * What a message that goes to the agent does to what waits: under the policy `discard` it ends this person's open cards here, and
 * within `holdMs` of a bare phrase it halts what that phrase approved. By default it only disarms, which needs no writing.
 */
export async function otherMessage(house: House, { nowMs, person, open, lastEnded }: Situation): Promise<void> {
  const ended: { readonly conversation: Conversation }[] = []
  if (house.limits.onOtherMessage === 'discard') {
    for (const { proposal } of open.filter((shown) => isSamePerson(person, shown.proposal.requester))) {
      const showings = await house.store.showings(proposal.id)
      const applied = await move(
        house,
        proposal,
        { name: 'discard', reason: 'other_message' },
        nowMs,
        { by: person.id },
        (after) => ({
          say: outcomeDrafts(house, after, showings, nowMs),
        }),
      )
      if (applied.kind === 'applied') ended.push(proposal)
    }
  }
  const held = lastEnded?.proposal
  if (
    held?.state.name === 'approved' &&
    isSamePerson(person, held.state.decision.person) &&
    nowMs < (held.state.holdUntilMs ?? 0)
  ) {
    const showings = await house.store.showings(held.id)
    const applied = await move(
      house,
      held,
      { name: 'stop', by: 'refusal', person: person.id },
      nowMs,
      { by: person.id },
      (after) => ({
        say: outcomeDrafts(house, after, showings, nowMs),
      }),
    )
    if (applied.kind === 'applied') ended.push(held)
  }
  await ring(house, { deliveries: ended.map(({ conversation }) => conversation) })
}
