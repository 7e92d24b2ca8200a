import { likeWhatsApp, simulatorChannel } from '../channels/simulator/channel.ts'
import { controlsOf, renderLines } from '../channels/simulator/render.ts'
import type { Card } from '../core/card.ts'
import type { Answering, ChatEvent, Content, Entry, SimulatorChannel } from '../ports/simulation.ts'
import type { Act } from './script.ts'
import { displayNameOf, type OpenStage, type Shown, type Stage, type StageSet, type Standing } from './stage.ts'

const handle = 'dale'

/** A stage on the simulator: no provider, every gesture, also the owner's own phone. */
export const simulatorStage: OpenStage = async (set) => new SimulatorStage(set)

class SimulatorStage implements Stage {
  readonly #channel: SimulatorChannel
  readonly #places: ReadonlyMap<string, string>
  readonly #shown: Shown[] = []

  constructor({ account, clock, people, groups, like }: StageSet) {
    this.#places = new Map([...people, ...groups].map((place) => [this.chatOf(place), place]))
    this.#channel = simulatorChannel({
      account,
      clock,
      handle,
      groups: groups.map((place) => this.chatOf(place)),
      names: Object.fromEntries(people.map((person) => [person, displayNameOf(person)])),
      ...(like === undefined ? {} : { can: likeWhatsApp }),
    })
    this.#channel.on((event) => this.#see(event))
  }

  open(): SimulatorChannel {
    return this.#channel
  }

  identityOf(person: string): string {
    return `sim:${person}`
  }

  chatOf(place: string): string {
    return place.startsWith('@') ? `group-${place.slice(1)}` : place
  }

  cannot(): undefined {
    return undefined
  }

  async act({ person, place, gesture, text }: Act): Promise<string | undefined> {
    const chat = this.chatOf(place)
    const written = text.replaceAll('@bot', `@${handle}`)
    switch (gesture.kind) {
      case 'says': {
        const answering = this.#answering(chat, gesture.reply)
        if (answering === undefined) return `${person} finds nothing to reply to`
        await this.#channel.says(chat, person, written, answering)
        return undefined
      }
      case 'presses': {
        const carrying = this.#account(chat).findLast(({ content }) =>
          controlsOf(content).some(
            (control) => control.label === gesture.label && (gesture.code === undefined || control.code === gesture.code),
          ),
        )
        const label = gesture.code === undefined ? gesture.label : `${gesture.label} #${gesture.code}`
        const pressed = carrying === undefined ? undefined : await this.#channel.presses(chat, person, carrying.id, label)
        return pressed?.kind === 'pressed' ? undefined : `${person} finds no [${label}]`
      }
      case 'edits': {
        const own = this.#channel
          .transcript(chat)
          .findLast(({ by, content }) => by.kind === 'person' && by.person === person && content.kind === 'text')
        return (await this.#channel.edits(chat, person, own?.id ?? '', written)) === undefined
          ? `${person} finds no text to edit`
          : undefined
      }
      case 'forwards':
        await this.#channel.forwards(chat, person, written)
        return undefined
      case 'reacts': {
        const card = this.#account(chat).findLast(({ content }) => content.kind === 'card')
        return (await this.#channel.reacts(chat, person, card?.id ?? '', text)) === undefined
          ? `${person} finds no card to react to`
          : undefined
      }
      case 'withdraws': {
        const card = this.#account(chat).findLast(({ content }) => content.kind === 'card')
        const withdrawn = await this.#channel.withdraws(chat, person, card?.id ?? '')
        return withdrawn.kind === 'pressed' ? undefined : `${person} finds no vote to take back`
      }
      case 'sends':
        await this.#channel.sends(chat, person, gesture.form, ...(text === '' ? [] : [written]))
        return undefined
    }
  }

  async outside(by: 'owner' | 'tool', place: string, text: string): Promise<void> {
    await this.#channel.ownerSays(this.chatOf(place), text, by)
  }

  async phones(place: string, turn: 'off' | 'on'): Promise<void> {
    await this.#channel.turns(this.chatOf(place), turn)
  }

  async again(): Promise<void> {
    for (const chat of this.#places.keys()) await this.#channel.redelivers(chat)
  }

  shown(): readonly Shown[] {
    return this.#shown.splice(0)
  }

  cards(place: string): readonly Standing[] {
    return this.#account(this.chatOf(place)).flatMap(({ content }) =>
      content.kind === 'card' ? [{ code: content.card.code, text: renderLines(content).join('\n') }] : [],
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #account(chat: string): readonly Entry[] {
    return this.#channel.transcript(chat).filter(({ by }) => by.kind === 'account')
  }

  #answering(chat: string, reply: Extract<Act['gesture'], { kind: 'says' }>['reply']): Answering | undefined {
    if (reply === undefined) return {}
    if (reply.to === 'elsewhere') return { reply: { elsewhere: true } }
    const entry = this.#account(chat).findLast(({ content }) =>
      reply.to === 'text'
        ? content.kind !== 'card'
        : content.kind === 'card' && (reply.code === undefined || content.card.code === reply.code),
    )
    return entry === undefined ? undefined : { reply: entry.id }
  }

  #see(event: ChatEvent): void {
    const place = this.#places.get(event.conversation.chat) ?? event.conversation.chat
    if (event.kind === 'answer' && event.text !== '')
      this.#shown.push({ kind: 'toast', place, text: event.text, brief: event.text })
    if (event.kind === 'message' && event.entry.by.kind === 'account') {
      const { content } = event.entry
      this.#shown.push({ kind: 'bot', place, text: renderLines(content).join('\n'), brief: briefOf(content) })
    }
  }
}

function briefOf(content: Content): string {
  if (content.kind === 'list') return `${content.text} ${content.cards.map(({ code }) => `… #${code}`).join(' ')} …`
  return content.kind === 'card' ? briefCard(content.card) : renderLines(content).join('\n')
}

const briefCard = ({ lines, controls, code }: Card): string =>
  [
    ...lines.filter(({ part }) => part === 'head' || part === 'summary').map(({ text }) => text),
    '…',
    ...controls.map(({ label }) => `[${label}]`),
    ` #${code}`,
  ].join(' ')
