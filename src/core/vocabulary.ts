/** What a phrase means. `edit` opens an edit, `reason` asks why one refuses, `leave` ends a question of the runtime; none of them decides. */
export type Verdict = 'approve' | 'reject'

/** `ack` words also just acknowledge ("ok"): they decide only a reversible action (RULES 1.8). */
export type Weight = 'full' | 'ack'

export interface Phrase {
  readonly text: string
  readonly weight: Weight
  readonly locale: string
}

/**
 * The words that decide in one conversation: its locale's and the fallback's, folded at load, one look-up each.
 * Frozen; `version` is a hash of its content and is kept with every decision.
 */
export interface Vocabulary {
  readonly version: string
  readonly approve: ReadonlyMap<string, Phrase>
  readonly reject: ReadonlyMap<string, Phrase>
  readonly always: ReadonlySet<string>
  readonly edit: ReadonlySet<string>
  readonly leave: ReadonlySet<string>
  /** Refuses a card and wants to say why; absent where the locale has no such words. */
  readonly reason?: ReadonlySet<string>
  /** What the files list and leave switched off, folded: it decides nothing, and says what somebody may have meant by it. */
  readonly off: ReadonlyMap<string, Verdict>
}

/** What a text decided, before it is known which proposal: `phrase` is the vocabulary's spelling, `code` is upper case. */
export type Matched =
  | {
      readonly kind: 'phrase'
      readonly verdict: Verdict
      readonly weight: Weight
      readonly phrase: string
      readonly code?: string
      readonly always?: true
    }
  | { readonly kind: 'code'; readonly code: string }
