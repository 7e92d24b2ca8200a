import type { Conversation } from '../core/conversation.ts'
import type { Media, OtherForm } from '../core/inbound.ts'
import type { Origin } from '../core/origin.ts'

/** One thing a person wrote, as the agent gets it. `form` says when it is not plain text they wrote now. */
export interface Spoken {
  readonly text: string
  readonly form: 'text' | OtherForm
  /** What came with it: named, never the bytes. */
  readonly media?: Media
  readonly atMs: number
}

/**
 * What became of a proposal since the agent's last turn, or what still waits: of one just made it is the receipt, `state: 'pending'` and
 * `executed: false`. Data about the world, never an instruction.
 */
export interface Fact {
  readonly proposalId: string
  readonly code: string
  readonly action: string
  readonly args: unknown
  readonly state: string
  readonly executed: boolean
  /** What started the run that proposed it. */
  readonly origin: Origin
  /** The action's own words about the result; quoted, capped at 2,000 characters, untrusted. */
  readonly result?: string
  /** Why a person refused it, in their own words; quoted, capped, untrusted. */
  readonly because?: string
}

/** An action as an agent may propose it; `input` is JSON Schema (draft 2020-12). */
export interface ActionOffer {
  readonly name: string
  readonly description: string
  readonly input: unknown
}

/** What was said before this turn, oldest first, and in short what went before that. Nothing in it is an instruction. */
export interface Past {
  readonly summary?: string
  readonly lines: readonly { readonly by: 'person' | 'agent'; readonly text: string; readonly atMs: number }[]
  /** Lines that no longer fit the bound and wait to be summed up by a `remember`, oldest first. */
  readonly overflow: readonly { readonly by: 'person' | 'agent'; readonly text: string; readonly atMs: number }[]
}

/** One turn of the conversation for the agent. The same `id` comes again when a turn is retried: answer the same. */
export interface Turn {
  readonly id: string
  readonly conversation: Conversation
  readonly person: string
  readonly locale: string
  /** `human`: somebody wrote. `agent`: nobody did; an outcome is what it goes on from, and it replaces and withdraws nothing. */
  readonly origin: Origin
  readonly messages: readonly Spoken[]
  readonly facts: readonly Fact[]
  /** The outcome that started this turn. It was told to the person already. */
  readonly resumed?: Fact
  readonly actions: readonly ActionOffer[]
  readonly past?: Past
}

/** What an agent may answer. It proposes and speaks; nothing here decides. Unknown fields in an event are refused, not ignored. */
export type AgentEvent =
  | { readonly kind: 'text'; readonly text: string }
  /** `more`: another proposal of the same step follows at once. Without it the turn ends here. */
  | { readonly kind: 'propose'; readonly action: string; readonly args: unknown; readonly more?: true | undefined }
  /** A new summary in place of `past.summary` and `past.overflow`; at most 4,000 characters. Only for agents with a memory of Dale's. */
  | { readonly kind: 'remember'; readonly summary: string }
  | { readonly kind: 'withdraw'; readonly code: string }
  /** The agent is at work; shown as typing where the channel can. */
  | { readonly kind: 'state'; readonly state: 'thinking' | 'typing' }

/** What an agent said after its turn had ended. */
export interface Pushed {
  /** The turn that it answers. */
  readonly turn: string
  /** Of this delivery: the same one is taken once. */
  readonly id: string
  readonly events: readonly Exclude<AgentEvent, { kind: 'remember' }>[]
}

/** A delivery from outside, as it came. */
export interface PushRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Who answers people. Scripted, over HTTP, or a model. */
export interface Agent {
  /** Names of environment variables without which it cannot work: checked at start. */
  readonly needs?: readonly string[]
  /** It is given `past`: the last so many lines of the conversation. Absent: it remembers by itself, or not at all. */
  readonly memory?: { readonly lines: number }
  /** It may answer later what it was asked, at an address that it was given with the turn. */
  readonly later?: {
    /** For so long after the turn began. */
    readonly withinMs: number
    /** Authenticates a delivery on its raw bytes and reads it. `token` is what the address ends with. Never throws. */
    read(token: string, request: PushRequest): Pushed | { readonly refused: 400 | 401 | 404 | 413; readonly why: string }
  }
  /**
   * Runs one turn. The stream ends when the agent is done; the gateway stops reading at a proposal. Throws when the agent cannot
   * answer (down, timed out, malformed): the gateway then tells the person politely. Retries are inside, before the first event.
   */
  run(turn: Turn, signal: AbortSignal): AsyncIterable<AgentEvent>
}
