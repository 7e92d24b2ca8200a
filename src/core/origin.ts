/**
 * What started the run that proposed: `human` a message that a person wrote, `agent` the outcome of an earlier proposal, which the agent goes
 * on from, `api` and `mcp` a program from outside, `schedule` a clock. It says where a proposal comes from and gives no right to anything:
 * only a human event decides or disarms, and no run makes one, whatever its origin (RULES 0).
 */
export type Origin = 'human' | 'agent' | 'api' | 'mcp' | 'schedule'

/** Where a proposal comes from; one from before that was kept was asked for by a person, or by a program that named none. */
export const originOf = ({ origin, requester }: { readonly origin?: Origin; readonly requester?: string }): Origin =>
  origin ?? (requester === undefined ? 'api' : 'human')
