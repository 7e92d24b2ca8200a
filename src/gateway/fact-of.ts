import { originOf } from '../core/origin.ts'
import type { Proposal } from '../core/proposal.ts'
import type { Fact } from '../ports/agent.ts'

const resultCap = 2_000

/** A proposal as whoever asked for it is told of it. Data about the world: what an action said is quoted and capped. */
export function factOf(proposal: Proposal): Fact {
  const { state } = proposal
  return {
    proposalId: proposal.id,
    code: proposal.code,
    action: proposal.action,
    args: JSON.parse(proposal.canonicalArgs),
    state: state.name,
    executed: state.name === 'succeeded',
    origin: originOf(proposal),
    ...(state.name === 'rejected' && state.decision.reason !== undefined
      ? { because: state.decision.reason.slice(0, resultCap).toWellFormed() }
      : {}),
    ...(state.name === 'succeeded' && state.result !== undefined
      ? { result: state.result.slice(0, resultCap).toWellFormed() }
      : {}),
  }
}
