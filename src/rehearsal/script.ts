import type { AlwaysTerms } from '../core/grant.ts'
import type { Limits } from '../core/limits.ts'
import type { Reversibility, StateName } from '../core/proposal.ts'

/** What the agent answers to a text, as a `.chat` file's `agent "…"` line says. Several lines with one text answer in order. */
export interface AgentLine {
  readonly line: number
  /** Fits a message that contains it; places as in `scriptedAgent`. None of a line that says what follows an outcome. */
  readonly when: string
  /** It answers no message, but the turn that this end of a proposal starts. */
  readonly after?: { readonly action: string; readonly state?: StateName }
  readonly says?: string
  readonly proposes?: { readonly action: string; readonly args: Readonly<Record<string, unknown>> }
  readonly withdraws?: string
  readonly fails?: true
}

/** How one call of an action ends. `lost_answer` happened, and nobody was told; `timed_out` did not happen, and nobody knows. */
export type Ending =
  | { readonly kind: 'succeeds'; readonly message?: string }
  | { readonly kind: 'unverified' }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'denied'; readonly why: string }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'lost_answer' }

/** Values that a preview finds in the world, by the key of the field that shows them. */
export type World = Readonly<Record<string, string | number | boolean>>

/** What a preview meets from now on: other values, an end, or nobody who answers. */
export type WorldTurn =
  | { readonly kind: 'reads'; readonly values: World }
  | { readonly kind: 'denied' | 'completed'; readonly message: string }
  | { readonly kind: 'silent' }

/** An action that a file declares, or (`real`) the configuration's own that is to run as it is. */
export type ActionLine =
  | { readonly kind: 'real'; readonly line: number; readonly name: string }
  | {
      readonly kind: 'declared'
      readonly line: number
      readonly name: string
      readonly reversibility: Reversibility
      readonly idempotency: 'key' | 'none'
      /** With `{field}` for what stands in a field. */
      readonly summary?: string
      /** In the card's order; without it whatever the file's proposals carry. */
      readonly fields?: readonly FieldLine[]
      /** Of these, what whoever asked may change on the card. */
      readonly editable?: readonly string[]
      readonly severity?: 'high'
      readonly typeToConfirm?: string
      readonly rejectReason?: 'kept' | 'told'
      /** What its preview finds in the world, by field: shown behind the arguments. */
      readonly reads?: World
      /** The field by which a newer card of the action takes an older one's place. */
      readonly replaces?: string
      readonly ttlMs?: number
      readonly always?: AlwaysTerms
      /** How long each call takes. */
      readonly takesMs: number
      /** One a call, in order; the last one stays. */
      readonly endings: readonly Ending[]
    }

/** A field of a declared action, and what it takes where the file says so: numbers, texts and yes or no otherwise. */
export interface FieldLine {
  readonly name: string
  readonly takes?:
    | { readonly kind: 'whole'; readonly least: number; readonly most: number }
    | { readonly kind: 'date' }
    | { readonly kind: 'money'; readonly currency: string }
    | { readonly kind: 'choice'; readonly of: readonly string[] }
}

/** A reading of the rules that a file asks for. */
export type PolicyLine =
  | { readonly kind: 'limit'; readonly line: number; readonly limits: Partial<Limits> }
  | { readonly kind: 'approver'; readonly line: number; readonly action: string; readonly role: string; readonly second: boolean }
  | {
      readonly kind: 'deny' | 'ask'
      readonly line: number
      readonly action: string
      readonly code: string
      readonly message?: string
    }
  | { readonly kind: 'allow'; readonly line: number; readonly action: string }
  /** Whom to ask too when nobody has decided after so long. */
  | { readonly kind: 'escalate'; readonly line: number; readonly action: string; readonly to: string; readonly afterMs: number }
  /** What everybody with a role may ask for in a time; above it `approver` is asked. */
  | {
      readonly kind: 'over'
      readonly line: number
      readonly action: string
      readonly field: string
      readonly perRole: Readonly<Record<string, string>>
      readonly withinMs: number
      /** A role; or, of the roles with limits, the one whose limit covers it. */
      readonly approver?: { readonly role: string } | 'limit'
    }
  /** Whom a function of the configuration chooses each time it is asked. */
  | { readonly kind: 'chooses'; readonly line: number; readonly action: string; readonly people: readonly string[] }
  /** When nobody is reminded, on the account's clock. */
  | { readonly kind: 'quiet'; readonly line: number; readonly from: string; readonly to: string; readonly timeZone: string }
  | {
      readonly kind: 'unusual'
      readonly line: number
      readonly action: string
      readonly field: string
      readonly test: { readonly is: 'far' } | { readonly is: 'new' } | { readonly is: 'changed'; readonly of: string }
    }

/** Somebody with roles. */
export interface PersonLine {
  readonly line: number
  readonly name: string
  readonly roles: readonly string[]
  /** Their further accounts, each as somebody of the talk. */
  readonly also?: readonly string[]
}

/** Where the cards for a role are shown, when not in each holder's own chat. */
export interface ChatLine {
  readonly line: number
  readonly place: string
  readonly role: string
}

/**
 * How a person does it. `reply.to` is `card` (the latest, or the one with `code`), `text` (the account's latest message that is no
 * card), or `elsewhere` (something that the account cannot name).
 */
export type Gesture =
  | { readonly kind: 'says'; readonly reply?: { readonly to: 'card' | 'text' | 'elsewhere'; readonly code?: string } }
  | { readonly kind: 'presses'; readonly label: string; readonly code?: string }
  | { readonly kind: 'edits' | 'forwards' | 'reacts' }
  /** Takes back a vote on the newest card. */
  | { readonly kind: 'withdraws' }
  | { readonly kind: 'sends'; readonly form: 'voice' | 'caption' | 'sticker' }

/** A person's line. `place` is a person's name (their own chat) or `@group`. */
export interface Act {
  readonly do: 'act'
  readonly line: number
  readonly person: string
  readonly place: string
  readonly gesture: Gesture
  /** `@bot` in it stands for the account's own name in a group. */
  readonly text: string
  /** Delivered this much after it was written. */
  readonly lateMs: number
}

/** A program proposes for a person in their own chat, as over the API. `refused` is the code that it should get instead of a card. */
export interface ProgramAsks {
  readonly do: 'program'
  readonly line: number
  readonly action: string
  readonly args: Readonly<Record<string, unknown>>
  readonly person: string
  readonly refused?: string
}

/** What happens at one moment. */
export type Doing =
  | Act
  | {
      readonly do: 'outside'
      readonly line: number
      readonly by: 'owner' | 'tool'
      readonly place: string
      readonly text: string
    }
  | { readonly do: 'wait'; readonly line: number; readonly ms: number }
  | { readonly do: 'again' | 'restart' | 'halt' | 'resume'; readonly line: number }
  /** A role is given to somebody, or taken away, by whoever keeps the people. */
  | { readonly do: 'role'; readonly line: number; readonly person: string; readonly role: string; readonly what: 'give' | 'take' }
  /** What an action's preview reads is another from now on. */
  | { readonly do: 'world'; readonly line: number; readonly action: string; readonly turn: WorldTurn }
  /** The process that runs what is approved is away, or back. */
  | { readonly do: 'workers'; readonly line: number; readonly turn: 'down' | 'up' }
  | ProgramAsks
  | { readonly do: 'phones'; readonly line: number; readonly place: string; readonly turn: 'off' | 'on' }

/** A line that is compared and not played. `text` may hold `…`, which stands for anything. */
export type Expected = { readonly line: number; readonly until: number; readonly text: string } & (
  | { readonly kind: 'bot' | 'toast'; readonly place: string }
  | { readonly kind: 'agent' }
  | { readonly kind: 'card'; readonly place: string; readonly code?: string }
  | { readonly kind: 'effects' }
)

/** A moment of the talk: what is done, all of it before anything comes back, and what should have come of it once all is quiet. */
export interface Scene {
  /** How long after the scene before, in milliseconds of the file's own time. */
  readonly afterMs: number
  readonly doing: readonly Doing[]
  /** The last line of what is done. */
  readonly until: number
  /** The chat of the latest person's line: where `bot:` without a place is. */
  readonly place: string
  readonly expected: readonly Expected[]
}

/** A `.chat` file, read. Lines are counted from 1. */
export interface Script {
  readonly file: string
  readonly lines: readonly string[]
  readonly rule: string
  readonly locale?: string
  readonly account?: string
  /** Played only where the channel reports what was delivered, cannot edit, and answers a tap with a message. */
  readonly like?: 'whatsapp'
  readonly agent: readonly AgentLine[]
  readonly actions: readonly ActionLine[]
  readonly policies: readonly PolicyLine[]
  /** Everybody who says something or is named above, in order. */
  readonly people: readonly PersonLine[]
  /** Groups, as `@name`, in the order in which they come. */
  readonly groups: readonly string[]
  readonly chats: readonly ChatLine[]
  readonly scenes: readonly Scene[]
  /** Codes in the order in which the account first says them: the codes that cards will carry. */
  readonly codes: readonly string[]
}
