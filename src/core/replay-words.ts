import type { Via } from './decision.ts'
import { matchDecision } from './match.ts'
import type { Nearness } from './near-miss.ts'
import type { Reversibility } from './proposal.ts'
import type { Verdict, Vocabulary } from './vocabulary.ts'

/** What a person did next about the card: decided it, wrote something else to the agent, or nothing until it ended or until now. */
export type NextStep =
  | { readonly did: 'pressed'; readonly verdict: Verdict }
  | { readonly did: 'typed'; readonly verdict: Verdict; readonly phrase: string }
  | { readonly did: 'other' | 'gave_up' | 'waits' }

/** A short message that decided nothing, as it is kept. */
export interface KeptMiss {
  readonly account: string
  readonly locale: string
  readonly folded: string
  readonly kind: Nearness
  readonly person: string
  readonly proposalId: string
  readonly atMs: number
  readonly next: NextStep
}

/** A decision that was made in words. */
export interface WordDecision {
  readonly proposalId: string
  readonly code: string
  readonly account: string
  readonly verdict: Verdict
  readonly via: Via
  readonly phrase: string
  readonly vocabularyVersion?: string
  readonly reversibility: Reversibility
  readonly atMs: number
}

/** What would have come otherwise under other words. */
export interface Otherwise {
  readonly account: string
  readonly text: string
  readonly was: Verdict | 'none'
  readonly becomes: Verdict | 'none'
  /** The card, where there was a decision. */
  readonly code?: string
  readonly atMs: number
  /** It would approve where nobody ever approved: words must not bring that about unseen. */
  readonly approvesAnew: boolean
  readonly because: string
}

/**
 * Judges what is on record by other words (`wordsOf` gives an account's; undefined leaves it out), and answers what differs. An approve
 * for a short message whose person then approved the same card in another way is no new one.
 */
export function replayWords(
  record: { readonly decisions: readonly WordDecision[]; readonly misses: readonly KeptMiss[] },
  wordsOf: (account: string) => Vocabulary | undefined,
): readonly Otherwise[] {
  const decided = record.decisions.flatMap((decision) => {
    const words = wordsOf(decision.account)
    return words === undefined ? [] : decidedOtherwise(decision, words)
  })
  const missed = record.misses.flatMap((miss) => {
    const words = wordsOf(miss.account)
    return words === undefined ? [] : missedOtherwise(miss, words)
  })
  return [...decided, ...missed].sort((one, other) => one.atMs - other.atMs)
}

function decidedOtherwise(
  { account, phrase, verdict, code, atMs, reversibility }: WordDecision,
  words: Vocabulary,
): readonly Otherwise[] {
  const found = matchDecision(phrase, words)
  const now = found?.kind === 'phrase' ? found : undefined
  const isTooWeak = now?.verdict === 'approve' && now.weight === 'ack' && reversibility !== 'reversible'
  const becomes = now === undefined || isTooWeak ? 'none' : now.verdict
  if (becomes === verdict) return []
  const because = isTooWeak
    ? 'it would be too weak for what cannot simply be undone'
    : becomes === 'none'
      ? 'it would be no phrase any more'
      : 'it would mean the opposite'
  return [{ account, text: phrase, was: verdict, becomes, code, atMs, approvesAnew: becomes === 'approve', because }]
}

function missedOtherwise({ account, folded, atMs, next }: KeptMiss, words: Vocabulary): readonly Otherwise[] {
  const found = matchDecision(folded, words)
  if (found?.kind !== 'phrase') return []
  const approvesAnew = found.verdict === 'approve' && !('verdict' in next && next.verdict === 'approve')
  return [
    { account, text: folded, was: 'none', becomes: found.verdict, atMs, approvesAnew, because: `its person ${didNext(next)}` },
  ]
}

/** What somebody did next, in words. */
export function didNext(next: NextStep): string {
  switch (next.did) {
    case 'pressed':
      return next.verdict === 'approve' ? 'then pressed Confirm' : 'then pressed Cancel'
    case 'typed':
      return `then wrote “${next.phrase}”`
    case 'other':
      return 'then wrote something else'
    case 'gave_up':
      return 'gave up'
    case 'waits':
      return 'has not answered yet'
  }
}
