import { refusalsAllowed } from '../core/lifecycle.ts'
import { isWaiting, type Proposal } from '../core/proposal.ts'
import type { Change, Failure, OutboxDraft, OutboxRow, Report } from '../ports/store.ts'
import { showingDraft } from './cards.ts'
import type { House } from './house.ts'
import { type Applied, move } from './move.ts'
import { outcomeDrafts } from './outcome.ts'
import { ring } from './ring.ts'
import { endUndeliverable, isCardRow } from './settle-sending.ts'

/** Begins the key of a message that is sent once more. */
const againPrefix = 'again:'

/**
 * The provider took a message of ours and then failed to deliver it. A card goes back to draft and is sent again without controls, at most
 * twice, then its proposal ends; a receipt or an outcome is sent once more. Outside the provider's window either waits until the person
 * writes. `also` is written in the same transaction. Repeated, it writes nothing new.
 */
export async function takeFailure(house: House, report: Report, also: Change = {}): Promise<void> {
  const reported = await house.store.report(report)
  const failure = reported.kind === 'ours' ? reported.failed : undefined
  if (failure === undefined || failure.isSeenTo) return void (await house.store.commit(also))
  const { sent } = failure
  if (isCardRow(sent)) await cardFailed(house, failure, sent, also)
  else await house.store.commit({ ...also, say: againDrafts(house, failure) })
  await ring(house, { deliveries: [sent.conversation] })
}

function againDrafts(house: House, { sent, code, final }: Failure): readonly OutboxDraft[] {
  const { conversation, lane, body, proposalId, once } = sent
  const again = { conversation, lane, body, once: againPrefix + sent.id, ...(proposalId === undefined ? {} : { proposalId }) }
  if (code === 'window_closed') return [parked(house, again)]
  const isWorthIt = (lane === 'receipt' || lane === 'outcome') && !final && once?.startsWith(againPrefix) !== true
  return isWorthIt ? [again] : []
}

function parked(house: House, draft: OutboxDraft): OutboxDraft {
  const { account } = draft.conversation
  house.log.warn({ account, lane: draft.lane, proposal: draft.proposalId }, 'parked')
  house.count('parked', { account, lane: draft.lane })
  return { ...draft, parked: true }
}

async function cardFailed(
  house: House,
  failure: Failure,
  sent: OutboxRow & { readonly proposalId: string },
  also: Change,
): Promise<void> {
  const { store } = house
  const read = await store.proposal(sent.proposalId)
  if (read === undefined || !isWaiting(read.proposal) || sent.cardRevision !== read.proposal.cardRevision)
    return void (await store.commit(also))
  const { proposal, nowMs } = read
  const mayTry = !failure.final && failure.times <= refusalsAllowed
  const say = mayTry ? [againOf(house, proposal, failure, nowMs)] : []
  const stands = (await store.showings(proposal.id)).some(({ cardRevision }) => cardRevision === proposal.cardRevision)
  if (proposal.state.name !== 'pending' || stands) {
    if (mayTry || !(await endUndeliverable(house, sent, proposal.id, also, 0))) await store.commit({ ...also, say })
    return
  }
  const by = { by: 'channel', note: { code: failure.code } }
  // Another chat may still get it: then this one is only not asked any more.
  if (mayTry || (await store.cardsWaiting(proposal.id)) > 0) {
    const withheld = await move(house, proposal, { name: 'withhold' }, nowMs, by, () => ({ ...also, say }))
    if (withheld.kind !== 'refused' || withheld.because !== 'refused less than twice before')
      return await unlessApplied(house, withheld, failure, sent, also)
  }
  const ended = await move(house, proposal, { name: 'undeliverable' }, nowMs, by, (after) => ({
    ...also,
    say: outcomeDrafts(house, after, [], nowMs),
  }))
  await unlessApplied(house, ended, failure, sent, also)
  if (ended.kind !== 'applied') return
  house.log.error({ proposal: proposal.id, account: sent.conversation.account }, 'card_undeliverable')
  await ring(house, { deliveries: [proposal.conversation] })
}

/** Where the move was not made: somebody was faster, and what is true now is judged anew; or the time is over, and the sweep tells that. */
async function unlessApplied(
  house: House,
  applied: Applied,
  failure: Failure,
  sent: OutboxRow & { readonly proposalId: string },
  also: Change,
): Promise<void> {
  if (applied.kind === 'lost' && applied.what === 'proposal') return await cardFailed(house, failure, sent, also)
  if (applied.kind === 'refused') await house.store.commit(also)
}

/** As text alone, for what carried controls did not get there; or as it was, once the person writes. */
function againOf(house: House, proposal: Proposal, { sent, code }: Failure, nowMs: number): OutboxDraft {
  const draft = { ...showingDraft(house, proposal, sent.conversation, nowMs), once: againPrefix + sent.id }
  if (code === 'window_closed') return parked(house, draft)
  const { body } = draft
  return body.do === 'say' && body.message.kind === 'card'
    ? { ...draft, body: { do: 'say', message: { ...body.message, plain: true } } }
    : draft
}
