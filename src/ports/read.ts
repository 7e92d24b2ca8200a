import type { Conversation } from '../core/conversation.ts'

/** Who a read is for. */
export interface ReadContext {
  readonly conversation: Conversation
  readonly person: string
  readonly locale: string
  readonly signal: AbortSignal
}

/** Something the model may look up at once, without asking anybody: it changes nothing. `defineRead` makes one. */
export interface Read {
  readonly name: string
  readonly description: string
  /** JSON Schema (draft 2020-12) of the arguments. */
  readonly input: unknown
  /** Runs it. Throws when the arguments are wrong or the far side fails; the model is told the message. */
  run(args: unknown, context: ReadContext): Promise<unknown>
}
