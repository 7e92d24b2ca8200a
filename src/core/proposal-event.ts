import { lifecycle } from './lifecycle.ts'
import { isSettled, type State, type StateName } from './proposal.ts'

/** What programs outside are told of a proposal's life. */
export const proposalEvents = [
  'proposal.created',
  'proposal.shown',
  'proposal.awaiting_second',
  'proposal.approved',
  'proposal.in_doubt',
  'proposal.settled',
] as const

export type ProposalEvent = (typeof proposalEvents)[number]

/** Which of them a move is; undefined for what is nobody's business outside: a claim, a retry, a card that was taken back. */
export function proposalEventOf(from: StateName | undefined, to: StateName): ProposalEvent | undefined {
  if (from === undefined) return 'proposal.created'
  if (isSettled({ name: to } as State)) return 'proposal.settled'
  switch (to) {
    case 'pending':
      return 'proposal.shown'
    case 'awaiting_second':
      return 'proposal.awaiting_second'
    case 'approved':
      return from === 'executing' ? undefined : 'proposal.approved'
    case 'in_doubt':
      return from === 'executing' ? 'proposal.in_doubt' : undefined
    default:
      return undefined
  }
}

/** Every move that the lifecycle knows and that is told, with what it is. */
export const toldMoves: readonly { readonly from?: StateName; readonly to: StateName; readonly type: ProposalEvent }[] = [
  { to: 'draft', type: 'proposal.created' },
  ...(Object.keys(lifecycle) as StateName[]).flatMap((from) =>
    [...new Set(Object.values(lifecycle[from]).flatMap(({ to }) => to))].flatMap((to) => {
      const type = proposalEventOf(from, to)
      return type === undefined ? [] : [{ from, to, type }]
    }),
  ),
]
