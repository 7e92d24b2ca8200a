import { sql } from 'kysely'
import { conversationKeyOf } from '../core/conversation.ts'
import { secondOf } from '../core/moment.ts'
import type { Question } from '../core/question.ts'
import type { Said, Shown, Situation } from '../core/situation.ts'
import type { Naming, Store } from '../ports/store.ts'
import { asking, type Database, oneRow } from './database.ts'
import { momentOf, proposalOf, type StoredProposal, type StoredShowing, showingOf } from './rows.ts'

interface StoredShown {
  readonly proposal: StoredProposal
  readonly showings: readonly StoredShowing[]
}

interface StoredSaid {
  readonly kind: string
  readonly text: string | null
  readonly proposal: string | null
  readonly cardRevision: number | null
  readonly begunAt: number
  readonly momentAt: number | null
  readonly momentOrder: number | null
  readonly asked: Question | null
}

interface Read {
  readonly now: number
  readonly person: string
  readonly roles: readonly string[]
  readonly formerly: readonly string[]
  readonly operators: boolean
  readonly vocabulary: number | null
  readonly open: readonly StoredShown[]
  readonly named: StoredShown | null
  readonly said: readonly StoredSaid[]
  readonly spoke: { readonly momentAt: number; readonly momentOrder: number | null; readonly receivedAt: number } | null
  readonly last: {
    readonly proposal: StoredProposal
    readonly at: number
    readonly quiet: boolean
    readonly repeated: boolean
  } | null
  readonly tallies: readonly { readonly proposal: string; readonly what: string; readonly times: number }[]
}

/** Reads everything that judging one event needs: one statement, one moment of the database's clock. */
export function situation(
  db: Database,
  { conversation, identity, naming, before, inboxId }: Parameters<Store['situation']>[0],
): Promise<Situation> {
  return asking('reading a situation', async () => {
    const { read } = await oneRow(
      db,
      sql<{ readonly read: Read }>`
      select dale.situation(${conversation.account}, ${conversationKeyOf(conversation)}, ${identity}, ${naming?.by ?? null}, ${nameIn(naming)}, ${secondOf(before)}, ${before.order ?? null}, ${inboxId}) as read`,
    )
    return situationOf(read)
  })
}

function nameIn(naming: Naming | undefined): string | null {
  switch (naming?.by) {
    case undefined:
      return null
    case 'proposal':
      return naming.id
    case 'code':
      return naming.code
    case 'message':
      return naming.messageId
  }
}

const shownOf = ({ proposal, showings }: StoredShown): Shown => ({
  proposal: proposalOf(proposal),
  showings: showings.map(showingOf),
})

function saidOf({ begunAt, momentAt, momentOrder, ...what }: StoredSaid): Said {
  const moment = momentOf(momentAt, momentOrder)
  return { what: whatOf(what), begunAtMs: begunAt, ...(moment === undefined ? {} : { moment }) }
}

function whatOf({
  kind,
  text,
  proposal,
  cardRevision,
  asked,
}: Pick<StoredSaid, 'kind' | 'text' | 'proposal' | 'cardRevision' | 'asked'>): Said['what'] {
  switch (kind) {
    case 'card':
      // A card without a proposal has nothing to decide: it is read like any text.
      return proposal === null || cardRevision === null
        ? { kind: 'text', text: '' }
        : { kind: 'card', proposalId: proposal, cardRevision }
    case 'question':
      return asked === null ? { kind } : { kind, asked }
    case 'list':
    case 'outside':
      return { kind }
    default:
      return { kind: 'text', text: text ?? '' }
  }
}

function situationOf(read: Read): Situation {
  const spoke = read.spoke === null ? undefined : momentOf(read.spoke.momentAt, read.spoke.momentOrder)
  return {
    nowMs: read.now,
    person: { id: read.person, roles: read.roles, formerly: read.formerly },
    operators: read.operators,
    ...(read.vocabulary === null ? {} : { vocabulary: read.vocabulary }),
    open: read.open.map(shownOf),
    ...(read.named === null ? {} : { named: shownOf(read.named) }),
    said: read.said.map(saidOf),
    ...(read.spoke === null || spoke === undefined ? {} : { spoke: { moment: spoke, receivedAtMs: read.spoke.receivedAt } }),
    ...(read.last === null
      ? {}
      : {
          lastEnded: {
            proposal: proposalOf(read.last.proposal),
            atMs: read.last.at,
            quietSince: read.last.quiet,
            repeated: read.last.repeated,
          },
        }),
    shownAgain: Object.fromEntries(
      read.tallies.filter(({ what }) => what === 'shown_again').map(({ proposal, times }) => [proposal, times]),
    ),
    hinted: read.tallies.filter(({ what }) => what === 'hinted').map(({ proposal }) => proposal),
  }
}
