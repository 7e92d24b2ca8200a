import type { Conversation } from '../core/conversation.ts'
import type { Proposal } from '../core/proposal.ts'
import type { Fact } from './agent.ts'

/** What a hook can be told of: that somebody is asked, and what became of it. */
export type HookedEvent = 'proposed' | 'settled'

/**
 * Told to the configuration's own code. `id` is the same each time it is told again: whoever keeps it can leave out what came twice.
 * `proposal` is as it was at that event; what an action said in `result` is quoted, capped and untrusted.
 */
export interface HookEvent {
  readonly id: string
  readonly event: HookedEvent
  /** When it happened, by the database's clock. */
  readonly atMs: number
  readonly proposal: Fact & {
    readonly tenant: string
    readonly conversation: Conversation
    readonly requester?: string
    /** Why it ended so, where the state has a reason. */
    readonly reason?: string
  }
}

/** What a hook gets beside the event. `signal` aborts when its time is over. */
export interface HookContext {
  /** From 1 on. */
  readonly attempt: number
  readonly signal: AbortSignal
}

type Hook = (event: HookEvent, context: HookContext) => void | Promise<void>

/**
 * Code that hears of proposals: run where the workers are, after the fact, at least once, and of one proposal in order. A proposal waits
 * for no hook. One that throws, or takes longer than half a minute, is told again later, more and more seldom, for about a day.
 */
export interface Hooks {
  readonly onProposed?: Hook
  readonly onSettled?: Hook
}

/** One telling that is due, taken by one process. */
export interface HookCall {
  readonly event: HookedEvent
  readonly proposal: Proposal
  readonly atMs: number
  /** Tries before this one. */
  readonly attempts: number
  readonly fence: number
}

/** What is kept of hooks. Part of the store; rows are written with the change that they tell of. */
export interface HookStore {
  /** Takes the oldest telling that is due, for so long. Of one proposal `settled` waits for `proposed`. */
  nextHookCall(leaseMs: number): Promise<HookCall | undefined>
  /** It is told; or it is tried again after a while; or never. Nothing happens when another process has it by now. */
  endHookCall(
    call: HookCall,
    how: { readonly kind: 'told' | 'given_up' } | { readonly kind: 'again'; readonly inMs: number },
  ): Promise<void>
  /** Is one due, with nobody at it? */
  hookCallsWait(): Promise<boolean>
}
