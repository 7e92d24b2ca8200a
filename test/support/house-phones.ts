import type { Entry, Place, SimulatedFault, SimulatorChannel } from '../../src/ports/simulation.ts'
import { aHouse, type HouseSettings, type TestHouse } from './house.ts'

/** A message of the account's as a person sees it now. */
export interface Seen {
  readonly id: string
  readonly kind: 'text' | 'notice' | 'question' | 'card' | 'list' | 'other'
  readonly text: string
  readonly labels: readonly string[]
  /** Of a card: its code. */
  readonly code?: string
}

/** A person in front of one chat. Whatever they do is done once they have read what stands there, and then all is quiet. */
export interface Phone {
  says(text: string, how?: { readonly replyTo?: string; readonly atOnce?: boolean }): Promise<string>
  /** Taps a control of the newest card, or of the message given; the toast that came back. */
  presses(label: string, how?: { readonly on?: string; readonly atOnce?: boolean }): Promise<string>
  /** What the account said here, oldest first, as it stands now. */
  sees(): readonly Seen[]
  /** The newest card. */
  card(): Seen
}

/** A house with a simulated account, and people's phones in front of it. */
export interface PhonesHouse extends TestHouse {
  readonly channel: SimulatorChannel
  phone(person: string, place?: Place): Phone
  fails(fault: SimulatedFault): void
}

/** Composes a house whose people are simulated. */
export async function aPhonesHouse(settings: HouseSettings = {}): Promise<PhonesHouse> {
  const test = await aHouse(settings)
  const channel = test.house.channels.get('demo') as SimulatorChannel
  const toasts = new Map<string, string>()
  channel.on((event) => {
    if (event.kind === 'answer') toasts.set(event.person, event.text)
  })
  return {
    ...test,
    channel,
    fails: (fault) => channel.fails(fault),
    phone(person, place = person) {
      const sees = () =>
        channel
          .transcript(place)
          .filter(({ by }) => by.kind === 'account')
          .map(seenOf)
      const card = () => newestCard(sees())
      const ready = async (atOnce = false) => {
        await test.quiet()
        if (!atOnce) await test.read()
      }
      return {
        sees,
        card,
        async says(text, { replyTo, atOnce } = {}) {
          await ready(atOnce)
          const said = await channel.says(place, person, text, replyTo === undefined ? {} : { reply: replyTo })
          await test.quiet()
          return said.id
        },
        async presses(label, { on, atOnce } = {}) {
          await ready(atOnce)
          toasts.delete(person)
          const pressed = await channel.presses(place, person, on ?? card().id, label)
          if (pressed.kind === 'no_control')
            throw new Error(`There is no control ${label}; there are: ${pressed.labels.join(', ')}`)
          await test.quiet()
          return toasts.get(person) ?? ''
        },
      }
    },
  }
}

export function newestCard(seen: readonly Seen[]): Seen {
  const card = seen.findLast(({ kind }) => kind === 'card')
  if (card === undefined) throw new Error('No card stands here')
  return card
}

function seenOf({ id, content }: Entry): Seen {
  switch (content.kind) {
    case 'card':
      return {
        id,
        kind: 'card',
        code: content.card.code,
        labels: content.card.controls.map(({ label }) => label),
        text: content.card.lines.map(({ label, text }) => (label === undefined ? text : `${label}: ${text}`)).join('\n'),
      }
    case 'list':
      return {
        id,
        kind: 'list',
        text: content.text,
        labels: content.cards.flatMap(({ code, controls }) => controls.map(({ label }) => `${label} #${code}`)),
      }
    case 'other':
      return { id, kind: 'other', text: content.text ?? '', labels: [] }
    default:
      return { id, kind: content.kind, text: content.text, labels: [] }
  }
}
