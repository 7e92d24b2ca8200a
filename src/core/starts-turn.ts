import { isSettled, type Proposal } from './proposal.ts'

/**
 * Does this end start a turn of the agent? Where it was asked for, and what the proposal wanted has really come to its end: one whose place
 * another card took still waits there, and what the agent or a message ended is known to it.
 */
export function startsTurn({ resumes, state }: Pick<Proposal, 'resumes' | 'state'>): boolean {
  if (resumes === undefined || !isSettled(state)) return false
  if (state.name === 'changed') return state.by === undefined
  return state.name !== 'discarded' && state.name !== 'superseded' && state.name !== 'edited'
}
