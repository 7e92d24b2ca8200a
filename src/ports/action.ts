import type { Preview } from '../core/card.ts'
import type { Conversation } from '../core/conversation.ts'
import type { AlwaysTerms } from '../core/grant.ts'
import type { Reversibility } from '../core/proposal.ts'
import type { Escalation, Whom } from '../core/whom.ts'

/** Who asks and in which language, for a preview. */
export interface PreviewContext {
  readonly locale: string
  readonly requester?: string
  readonly conversation: Conversation
  readonly signal: AbortSignal
}

/** Prepare's three answers: a card can be shown, it may not be done (told to the agent and the person), or it is done already. */
export type Prepared =
  | ({ readonly kind: 'ready' } & Preview)
  | { readonly kind: 'denied'; readonly message: string }
  | { readonly kind: 'completed'; readonly message: string }

/** What a call gets. `idempotencyKey` is one per proposal and the same on every attempt; `signal` aborts at the timeout. */
export interface CallContext {
  readonly proposalId: string
  readonly idempotencyKey: string
  readonly attempt: number
  readonly fence: number
  readonly locale: string
  readonly signal: AbortSignal
}

/** A call that went through. `message` is told to the person in the outcome; `result` enters the agent's facts. */
export interface CallResult {
  readonly message?: string
  readonly result?: string
}

/** What a look-up by idempotency key found. `unknown` proves nothing. */
export type LookUp =
  | { readonly kind: 'found'; readonly result?: CallResult }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown' }

/** Something that can be done in the world, behind the gate. Built by `defineAction`, `httpAction` and, later, MCP tools. */
export interface Action {
  readonly name: string
  /** Changes with every change of meaning; an open proposal of another version becomes `changed`. */
  readonly version: string
  readonly description: string
  /** JSON Schema (draft 2020-12) of the arguments, for agents. */
  readonly input: unknown
  readonly reversibility: Reversibility
  /** Of one call, where some weigh more than others; what is less than `reversibility` counts for nothing. Pure, and at once. */
  readonly reversibilityOf?: (args: unknown) => Reversibility
  /** `high`: its cards look different and are read longer. What cannot be undone always is. */
  readonly severity?: 'high'
  /** Of one call, where some are graver than others: it raises `severity` and never lowers it. Pure, and at once. */
  readonly severityOf?: (args: unknown) => 'normal' | 'high'
  /** The key of the field of its card whose value one person types to say yes to what is grave (RULES 7). */
  readonly typeToConfirm?: string
  /** Its cards offer to refuse with a reason, which whoever proposed learns; `told`: whoever asked does too. */
  readonly rejectReason?: 'kept' | 'told'
  /** `key`: the far side keeps the key, so the very same call may be made again while `keyValidForMs` lasts. */
  readonly idempotency: 'key' | 'none'
  readonly keyValidForMs: number
  readonly timeoutMs: number
  readonly ttlMs: number
  readonly approvers?: Whom
  /** `resume`: the agent goes on once it is known what became of it; else as the configuration's `limits` say. */
  readonly onOutcome?: 'tell' | 'resume'
  /** Whom to ask too when nobody decides. */
  readonly escalate?: Escalation
  /** Arguments that whoever asked may change on the card, by the keys of its fields. None unless told. */
  readonly editable?: readonly string[]
  /** Names of environment variables without which it cannot work: checked at start. */
  readonly needs?: readonly string[]
  /** Its requester may say "always": so many further calls, for so many days, are done without asking again (RULES 7). Default never. */
  readonly always?: AlwaysTerms
  /** Groups proposals that replace each other (RULES 7). */
  readonly replacementKey?: (args: unknown) => string | undefined

  /**
   * Checks and normalises arguments. Unknown fields are refused. Plain JSON out: no dates, no class instances. A problem is `args.<where>: ` and
   * what is wrong, in words of `locale` where one is given and the schema says nothing of its own.
   */
  parse(
    args: unknown,
    locale?: string,
  ): { readonly ok: true; readonly args: unknown } | { readonly ok: false; readonly problems: readonly string[] }
  /** Prepares the card from frozen arguments. Reads only. */
  preview(args: unknown, context: PreviewContext): Promise<Prepared>
  /** Last look before the call: may it still be done? Reads only. */
  preflight?(
    args: unknown,
    context: CallContext,
  ): Promise<{ readonly kind: 'ready' } | { readonly kind: 'denied'; readonly message: string }>
  /**
   * Does it. Resolves when the effect is certain. Throws `ActionError`; `mayHaveHappened: false` only with a proof. Any other error,
   * and a timeout, count as "may have happened".
   */
  execute(args: unknown, context: CallContext): Promise<CallResult>
  /** Did it really take effect? `false` is told together with the success. */
  verify?(args: unknown, result: CallResult, context: CallContext): Promise<boolean>
  /** Looks for the effect by key after an unknown end. */
  lookUp?(args: unknown, context: CallContext): Promise<LookUp>
}
