import { asksSomethingElse, lastSaid, wasShownBefore } from './armed.ts'
import { isColleague, mayRefuse, type Person } from './authority.ts'
import type { Via } from './decision.ts'
import type { InboundMessage } from './inbound.ts'
import { isDecidable, type Proposal } from './proposal.ts'
import type { Situation } from './situation.ts'
import type { Reading, Target } from './target.ts'
import { knownHere, unlessDecidable } from './target-checks.ts'

/** Judges a phrase of `edit`. */
export const targetOfEdit = (event: InboundMessage, asked: NonNullable<Reading['editing']>, situation: Situation): Target =>
  targetOfAsking(event, asked, situation, 'edit', (proposal) => editOf(proposal, situation.person))

/** Judges a phrase of `reason`. */
export const targetOfReason = (event: InboundMessage, asked: NonNullable<Reading['refusing']>, situation: Situation): Target =>
  targetOfAsking(event, asked, situation, 'reason', (proposal, via) => reasonOf(proposal, situation.person, via))

/**
 * By what it names, else by the cards that wait here for this person. It decides nothing, so a card need not be armed; but where somebody
 * else asked something since, it answers that.
 */
function targetOfAsking(
  event: InboundMessage,
  { code }: { readonly code?: string },
  situation: Situation,
  by: 'edit' | 'reason',
  about: (proposal: Proposal, via: Via) => Target,
): Target {
  const { named, person } = situation
  if (event.reply.kind === 'message' && named !== undefined) {
    if (code !== undefined && code !== named.proposal.code) return { road: 'contradiction', code }
    return about(named.proposal, 'reply')
  }
  if (code !== undefined) {
    const known = event.reply.kind === 'none' ? knownHere(event, situation) : undefined
    if (event.reply.kind !== 'none') return { road: 'contradiction', code }
    return known === undefined ? { road: 'no_such', code } : about(known.proposal, 'code')
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
  if (situation.operators) return { road: 'name_it', proposals, by }
  return more.length > 0 ? { road: 'which', proposals } : about(only, 'phrase')
}

/** A card that is named by a phrase or a control: is it this person's to speak of, and does it still wait? What may be changed is asked later. */
export function editOf(proposal: Proposal, person: Person): Target {
  if (!concerns(proposal, person)) return { road: 'not_yours', proposal }
  return isDecidable(proposal) ? { road: 'edit', proposal } : { road: 'state', proposal }
}

/** The same of a refusal that is to say why. What was approved meanwhile is halted at once: there is no time to ask. */
export function reasonOf(proposal: Proposal, person: Person, via: Via): Target {
  const settledEarly = unlessDecidable(proposal, { verdict: 'reject', via }, person)
  return settledEarly ?? { road: 'reason', proposal, via }
}

const concerns = (proposal: Proposal, person: Person): boolean => mayRefuse(proposal, person) || isColleague(proposal, person)
