import { type EventName, type GuardName, lifecycle } from '../../src/core/lifecycle.ts'
import type { StateName } from '../../src/core/proposal.ts'

/** The cells of the lifecycle's table, one after the other, as tests read them. */
export const cells = (Object.keys(lifecycle) as StateName[]).flatMap((state) =>
  (
    Object.entries(lifecycle[state]) as [
      EventName,
      { readonly to: readonly StateName[]; readonly guards: readonly GuardName[] },
    ][]
  ).map(([event, { to, guards }]) => ({ state, event, to, guards })),
)

/** Each pair of states that some move leads from and to, once, in the order of a life. */
export const arrows = [...new Set(cells.flatMap(({ state, to }) => to.map((target) => `${state} --> ${target}`)))]
