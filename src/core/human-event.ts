import type { InboundMessage, InboundPress } from './inbound.ts'

declare const authenticated: unique symbol

/**
 * A message or press that an adapter has authenticated and that a person made: the only thing that can decide (RULES 0).
 * It is a type of its own, made in one place (`gateway/receive.ts`; the architecture test sees to it), so nothing that a
 * model wrote and no run that an API call started can be passed where one is asked for.
 */
export type HumanEvent = (InboundMessage | InboundPress) & { readonly [authenticated]: true }

/** Marks an event from the inbox as a person's. Called by `gateway/receive.ts` alone. */
export const asHumanEvent = (event: InboundMessage | InboundPress): HumanEvent => event as HumanEvent
