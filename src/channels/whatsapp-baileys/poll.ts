import { hash } from 'node:crypto'
import type { Content } from './contents.ts'
import type { BaileysContext, Poll, PollOption } from './context.ts'
import { type Identity, jidsOf, meOf } from './identity.ts'
import { fieldsOf } from './protobuf.ts'
import { unseal } from './secrets.ts'

/** What a vote asks for: the option that it chose, or that what was chosen is taken back. */
export type Cast =
  | { readonly kind: 'chosen'; readonly option: PollOption }
  | { readonly kind: 'withdrawn'; readonly option: PollOption }
  | { readonly kind: 'nothing'; readonly reason: string }

const nothing = (reason: string): Cast => ({ kind: 'nothing', reason })

/** A vote names its options by the SHA-256 of their words (`PollVoteMessage.selectedOptions`, field 1). */
const chosenIn = (opened: Uint8Array): readonly string[] | undefined =>
  fieldsOf(opened)
    ?.get(1)
    ?.map((name) => Buffer.from(name).toString('hex')) ?? (opened.length === 0 ? [] : undefined)

const optionOf = ({ options }: Poll, named: string): PollOption | undefined =>
  options.find(({ name }) => hash('sha256', name, 'hex') === named)

/**
 * Opens a vote on a poll that Dale sent, with the secret that was kept for it. A vote holds the whole choice of its voter, so a later
 * one replaces an earlier, and none chosen takes it back. Pure, never throws.
 */
export function castOf(
  vote: Extract<Content, { kind: 'vote' }>,
  voter: Identity,
  context: Pick<BaileysContext, 'polls' | 'me'>,
): Cast {
  const poll = context.polls.get(vote.pollId)
  if (poll === undefined) return nothing('foreign_poll')
  const opened = unseal('Poll Vote', vote.sealed, poll.secret, {
    messageId: vote.pollId,
    authors: jidsOf(meOf(context)),
    senders: jidsOf(voter),
  })
  const chosen = opened === undefined ? undefined : chosenIn(opened)
  if (chosen === undefined) return nothing('undecryptable_vote')
  const [only, ...more] = chosen
  if (more.length > 0) return nothing('several_options')
  const option = only === undefined ? poll.options.find(({ style }) => style === 'danger') : optionOf(poll, only)
  if (option === undefined) return nothing('unknown_option')
  return { kind: only === undefined ? 'withdrawn' : 'chosen', option }
}
