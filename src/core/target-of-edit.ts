import { asksSomethingElse, lastSaid, wasShownBefore } from './armed.ts'
import { isColleague, mayRefuse, type Person } from './authority.ts'
import type { InboundMessage } from './inbound.ts'
import { isDecidable, type Proposal } from './proposal.ts'
import type { Situation } from './situation.ts'
import type { Reading, Target } from './target.ts'
import { knownHere } from './target-checks.ts'

/**
 * Judges a phrase of `edit` by what it names, else by the cards that wait here for this person. It decides nothing, so a card need not be
 * armed; but where somebody else asked something since, it answers that.
 */
export function targetOfEdit(event: InboundMessage, { code }: NonNullable<Reading['editing']>, situation: Situation): Target {
  const { named, person } = situation
  if (event.reply.kind === 'message' && named !== undefined) {
    if (code !== undefined && code !== named.proposal.code) return { road: 'contradiction', code }
    return editOf(named.proposal, person)
  }
  if (code !== undefined) {
    const known = event.reply.kind === 'none' ? knownHere(event, situation) : undefined
    if (event.reply.kind !== 'none') return { road: 'contradiction', code }
    return known === undefined ? { road: 'no_such', code } : editOf(known.proposal, person)
  }
  if (event.group && !event.addressed) return { road: 'ignore', reason: 'not_addressed' }
  if (event.reply.kind !== 'none') return { road: 'converse' }
  const proposals = situation.open
    .filter(
      ({ proposal, showings }) => concerns(proposal, person) && showings.some((showing) => wasShownBefore(showing, event.moment)),
    )
    .map(({ proposal }) => proposal)
  const [only, ...more] = proposals
  if (only === undefined || asksSomethingElse(lastSaid(situation, event.moment))) return { road: 'converse' }
  if (situation.operators) return { road: 'name_it', proposals, by: 'edit' }
  return more.length > 0 ? { road: 'which', proposals } : { road: 'edit', proposal: only }
}

/** A card that is named by a phrase or a control: is it this person's to speak of, and does it still wait? What may be changed is asked later. */
export function editOf(proposal: Proposal, person: Person): Target {
  if (!concerns(proposal, person)) return { road: 'not_yours', proposal }
  return isDecidable(proposal) ? { road: 'edit', proposal } : { road: 'state', proposal }
}

const concerns = (proposal: Proposal, person: Person): boolean => mayRefuse(proposal, person) || isColleague(proposal, person)
