import type { Channel } from '../ports/channel.ts'
import type { Clock } from '../ports/clock.ts'
import type { Act, Doing } from './script.ts'

/** Something that a chat showed. A toast is seen by the person who tapped, alone. */
export interface Shown {
  readonly kind: 'bot' | 'toast'
  readonly place: string
  /** In plain text, its controls last: `[Confirmar] [Cancelar]  #K7Q2`. Further lines stand under the first. */
  readonly text: string
  /** The same in one line for a file that is written anew: what a card is about and its controls, with `…` between. */
  readonly brief: string
}

/** A card as it stands in a chat now. */
export interface Standing {
  readonly code: string
  readonly text: string
}

/** What a stage is made for: an account, who is there, and a clock that everybody goes by. Groups are `@name`. */
export interface StageSet {
  readonly account: string
  readonly clock: Clock & { readonly nowMs: number }
  readonly people: readonly string[]
  readonly groups: readonly string[]
  readonly like?: 'whatsapp' | undefined
}

/**
 * One channel's far side for a rehearsal: people's hands and eyes on the real adapter, whatever the provider. The same file played on
 * two stages gives the same verdicts. A place is a person's name, which is their own chat, or `@group`.
 */
export interface Stage extends AsyncDisposable {
  /** The channel to put the house's account on. Asked for again after a restart; what stands in the chats stays. */
  open(): Channel
  /** The stable id by which the channel knows a person, with its prefix. */
  identityOf(person: string): string
  /** The provider's id of a place. */
  chatOf(place: string): string
  /** Why this cannot be done on this channel at all, if it cannot: a bot has no phone of its own. */
  cannot(doing: Doing): string | undefined
  /** Does it. Resolves when the channel has handed it over; answers why it could not be done, if it could not. */
  act(act: Act): Promise<string | undefined>
  outside(by: 'owner' | 'tool', place: string, text: string): Promise<void>
  /** Turns the phones of a place off or on. Absent where the provider does not tell what got there. */
  phones?(place: string, turn: 'off' | 'on'): Promise<void>
  /** Delivers everything that people did once more, as providers do. */
  again(): Promise<void>
  /** What was shown since it was last asked, in order. */
  shown(): readonly Shown[]
  /** Every card that was ever shown in a place, as it stands now, oldest first. */
  cards(place: string): readonly Standing[]
}

/** Makes a stage. */
export type OpenStage = (set: StageSet) => Promise<Stage>

/** What people are called on a stage: `ana` is Ana. */
export const displayNameOf = (person: string): string => person.charAt(0).toUpperCase() + person.slice(1)
