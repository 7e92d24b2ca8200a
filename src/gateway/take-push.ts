import type { Pushed } from '../ports/agent.ts'
import { cardsThatFollow } from './cards-that-follow.ts'
import { drawAgain } from './draw-again.ts'
import type { House } from './house.ts'
import { ring } from './ring.ts'
import { changeOf, nothingWritten, takeEvent } from './take-event.ts'
import { tellWritten } from './tell-written.ts'

/**
 * `taken`; `known`: it was taken before, and nothing came of it again; `over`: the turn takes nothing any more; `busy`: others ask at once
 * again and again, and nothing was written.
 */
export type PushTaken = 'taken' | 'known' | 'over' | 'busy'

/**
 * Takes what an agent says after its turn has ended, as a part of that turn: the same person, the same limits, the same first message. All of
 * a delivery or nothing of it is written, once for its id. A turn ends with a proposal, and after `withinMs`. Throws when the store is down: the
 * agent delivers it again, and what was written is not written twice.
 */
export async function takePush(house: House, { turn: turnId, id, events }: Pushed, withinMs: number): Promise<PushTaken> {
  for (let draws = 1; ; draws += 1) {
    const turn = await house.store.turn(turnId, id)
    if (turn === undefined) return 'over'
    if (turn.isPushed) return 'known'
    if (turn.hasProposed || turn.nowMs >= turn.beganAtMs + withinMs) return 'over'
    const written = nothingWritten()
    for (const event of events) if (await takeEvent(house, turn, event, written)) break
    const isProposal = written.create.length > 0
    if (!isProposal) written.say.push(...cardsThatFollow(house, turn, written.say))
    const committed = await house.store.commit({ push: { turn: turnId, id, proposes: isProposal }, ...changeOf(written) })
    if (committed.kind === 'committed') {
      await tellWritten(house, written.moves)
      await ring(house, {
        deliveries: [turn.conversation, ...written.say.map(({ conversation }) => conversation)],
        hooks: isProposal && house.hooks.onProposed !== undefined,
      })
      return 'taken'
    }
    house.log.warn({ turn: turnId, what: committed.what, attempt: draws }, 'push_lost')
    // Whoever was faster wrote the same delivery, or ended the turn: the next reading tells which.
    if (!drawAgain(committed, draws, ['push', 'proposal'])) return 'busy'
  }
}
