import { durationForm, durationOf } from './duration.ts'
import { gestureOf, gestures } from './read-gesture.ts'
import { isHeader } from './read-header.ts'
import { programForm, readProgram } from './read-program.ts'
import { readWorld, worldForm } from './read-world.ts'
import type { Act, ChatLine, Doing, Expected, Gesture, PersonLine, Scene, Script } from './script.ts'

/** How long after the account's last word a person's line comes, unless the file says otherwise. */
export const thinkingMs = 5_000

const spoken = /^(?<who>[\p{L}\d_-]+)(?:@(?<where>[\p{L}\d_-]+))?(?: \((?<how>[^()]*)\))?:(?: (?<text>.*))?$/u
const reserved = new Set(['bot', 'agent', 'card', 'effects', 'owner', 'tool'])

type Wrong = (line: number, message: string) => undefined
type Talk = Pick<Script, 'people' | 'groups' | 'scenes'>

/** A line of the talk with the indented ones under it; `until` is the last of them. */
interface Entry {
  readonly line: number
  readonly until: number
  readonly text: string
}

/** Reads the talk, which begins at index `from`. Everybody who speaks is somebody, and every place that is no person is a group. */
export function readTalk(
  lines: readonly string[],
  from: number,
  header: { readonly people: readonly PersonLine[]; readonly chats: readonly ChatLine[] },
  wrong: Wrong,
): Talk {
  const entries = entriesOf(lines, from, wrong)
  const people = new Map(header.people.map((person) => [person.name, person]))
  for (const { text, line } of entries) {
    const who = spoken.exec(text)?.groups?.who
    if (who !== undefined && !reserved.has(who) && !people.has(who)) people.set(who, { line, name: who, roles: [] })
  }
  for (const { also = [], line } of header.people)
    for (const name of also) if (!people.has(name)) people.set(name, { line, name, roles: [] })
  const groups = new Set(header.chats.map(({ place }) => place))
  const reader = new TalkReader(people, groups, wrong)
  for (const entry of entries) reader.read(entry)
  return { people: [...people.values()], groups: [...groups], scenes: reader.scenes }
}

function entriesOf(lines: readonly string[], from: number, wrong: Wrong): readonly Entry[] {
  const entries: { line: number; until: number; text: string }[] = []
  let isOpen = false
  for (const [index, text] of lines.entries()) {
    if (index < from || text.startsWith('#') || isHeader(text)) continue
    const last = entries.at(-1)
    if (text.trim() === '') isOpen = false
    else if (!text.startsWith('  ')) {
      entries.push({ line: index + 1, until: index + 1, text })
      isOpen = true
    } else if (last !== undefined && isOpen) {
      last.text += `\n${text.slice(2)}`
      last.until = index + 1
    } else wrong(index + 1, 'is indented, and stands under nothing')
  }
  return entries
}

class TalkReader {
  readonly #people: ReadonlyMap<string, PersonLine>
  readonly #groups: Set<string>
  readonly #wrong: Wrong
  readonly #scenes: { afterMs: number; doing: Doing[]; until: number; place: string; expected: Expected[] }[] = []
  #waited = false
  #place: string

  constructor(people: ReadonlyMap<string, PersonLine>, groups: Set<string>, wrong: Wrong) {
    this.#people = people
    this.#groups = groups
    this.#wrong = wrong
    this.#place = people.keys().next().value ?? ''
  }

  get scenes(): readonly Scene[] {
    return this.#scenes
  }

  read(entry: Entry): undefined {
    const [first = '', ...more] = entry.text.split('\n')
    const direction = /^\((.*)\)$/.exec(first)?.[1]
    if (direction !== undefined) return this.#direct(entry, direction)
    const { who = '', where, how, text = '' } = spoken.exec(first)?.groups ?? {}
    if (who === '')
      return this.#wrong(
        entry.line,
        'is no line of a talk; write ana: hola, bot: …, agent: (the model answers), effects: none, (31 min) or (restart)',
      )
    const whole = [text, ...more].join('\n')
    if (who === 'bot' || who === 'agent' || who === 'card' || who === 'effects')
      return this.#expect(entry, who, where, how, whole)
    const place = where === undefined ? (who === 'owner' || who === 'tool' ? this.#place : who) : this.#placeOf(where)
    if (who === 'owner' || who === 'tool')
      this.#do({ do: 'outside', line: entry.line, by: who, place, text: whole }, entry.until, false)
    else this.#act(entry, who, place, how, whole)
  }

  #direct({ line }: Entry, direction: string): undefined {
    const ms = durationOf(direction)
    if (ms !== undefined) {
      this.#scenes.push({ afterMs: ms, doing: [{ do: 'wait', line, ms }], until: line, place: this.#place, expected: [] })
      this.#waited = true
    } else if (direction === 'again' || direction === 'restart' || direction === 'halt' || direction === 'resume')
      this.#scenes.push({ afterMs: 0, doing: [{ do: direction, line }], until: line, place: this.#place, expected: [] })
    else if (/^(give|take) \S+ \S+$/.test(direction)) {
      const [what, person = '', role = ''] = direction.split(' ')
      if (!this.#people.has(person)) return this.#wrong(line, `(${direction}) is about ${person}, who is not in this talk`)
      const doing: Doing = { do: 'role', line, person, role, what: what === 'give' ? 'give' : 'take' }
      this.#scenes.push({ afterMs: 0, doing: [doing], until: line, place: this.#place, expected: [] })
    } else if (direction === 'workers down' || direction === 'workers up') {
      const doing: Doing = { do: 'workers', line, turn: direction === 'workers up' ? 'up' : 'down' }
      this.#scenes.push({ afterMs: 0, doing: [doing], until: line, place: this.#place, expected: [] })
    } else if (direction.startsWith('program ')) {
      const doing = readProgram(direction, line)
      if (doing === undefined) return this.#wrong(line, `(${direction}) is nothing that a program does; there is ${programForm}`)
      if (!this.#people.has(doing.person))
        return this.#wrong(line, `(${direction}) is for ${doing.person}, who is not in this talk`)
      this.#scenes.push({ afterMs: 0, doing: [doing], until: line, place: this.#place, expected: [] })
    } else if (direction.startsWith('world ')) {
      const doing = readWorld(direction, line)
      if (doing === undefined) return this.#wrong(line, `(${direction}) is nothing that a world does; there are ${worldForm}`)
      this.#scenes.push({ afterMs: 0, doing: [doing], until: line, place: this.#place, expected: [] })
    } else if (direction === 'phone off' || direction === 'phone on')
      this.#do({ do: 'phones', line, place: this.#place, turn: direction === 'phone on' ? 'on' : 'off' }, line, false)
    else
      this.#wrong(
        line,
        `(${direction}) is no direction; there are a time (${durationForm}), (again), (restart), (phone off), (phone on), (halt), (resume), (give NAME ROLE), (take NAME ROLE), (workers down), (workers up), (program proposes ACTION {…} for NAME) and (world ACTION {…})`,
      )
  }

  #act({ line, until }: Entry, person: string, place: string, how: string | undefined, text: string): undefined {
    let lateMs = 0
    let atOnce = false
    let gesture: Gesture | undefined
    for (const part of (how ?? '')
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '')) {
      const late = / late$/.test(part) ? durationOf(part.slice(0, -5)) : undefined
      if (late !== undefined) lateMs = late
      else if (part === 'at once') atOnce = true
      else if (gesture !== undefined) return this.#wrong(line, `(${how}) is two things at once`)
      else {
        gesture = gestureOf(part)
        if (gesture === undefined)
          return this.#wrong(
            line,
            `(${part}) is nothing that a person does; there are ${gestures.map((one) => `(${one})`).join(', ')}`,
          )
      }
    }
    const [, label, code] = /^\[([^[\]]*?)(?: #([0-9A-Z]{4}))?\]$/.exec(text) ?? []
    if (label !== undefined && gesture === undefined)
      gesture = { kind: 'presses', label, ...(code === undefined ? {} : { code }) }
    if (text === '' && gesture?.kind !== 'sends' && gesture?.kind !== 'withdraws')
      return this.#wrong(line, `${person} says nothing: write ${person}: hola`)
    const act: Act = { do: 'act', line, person, place, gesture: gesture ?? { kind: 'says' }, text, lateMs }
    this.#place = place
    if (atOnce && this.#scenes.at(-1)?.doing.every(({ do: what }) => what === 'act') !== true)
      return this.#wrong(line, '(at once) goes on from a line of a person, and nothing may stand between')
    this.#do(act, until, atOnce)
  }

  #do(doing: Doing, until: number, atOnce: boolean): undefined {
    const last = this.#scenes.at(-1)
    if (atOnce && last !== undefined) {
      if (last.expected.length > 0)
        this.#wrong(doing.line, '(at once) goes on from a line of a person, and nothing may stand between')
      last.doing.push(doing)
      last.until = until
      last.place = this.#place
      return
    }
    this.#scenes.push({ afterMs: this.#waited ? 0 : thinkingMs, doing: [doing], until, place: this.#place, expected: [] })
    this.#waited = false
  }

  #expect(
    { line, until }: Entry,
    who: 'bot' | 'agent' | 'card' | 'effects',
    where: string | undefined,
    how: string | undefined,
    text: string,
  ): undefined {
    this.#waited = false
    const last = this.#scenes.at(-1)
    if (last === undefined) return this.#wrong(line, `${who}: comes before anybody said anything`)
    const at = { line, until, text }
    const place = where === undefined ? this.#place : this.#placeOf(where)
    if (how !== undefined && !(who === 'bot' && how === 'toast') && who !== 'card')
      return this.#wrong(
        line,
        `(${how}) after ${who} means nothing; write ${who === 'bot' ? 'bot: … or bot (toast): …' : `${who}: …`}`,
      )
    if (who === 'agent') {
      if (text !== '(the model answers)')
        return this.#wrong(
          line,
          'write agent: (the model answers) where a message reached the agent and no agent "…" line answers it',
        )
      last.expected.push({ ...at, kind: 'agent' })
    } else if (who === 'effects') last.expected.push({ ...at, kind: 'effects' })
    else if (who === 'bot') last.expected.push({ ...at, kind: how === 'toast' ? 'toast' : 'bot', place })
    else {
      const code = /^#([0-9A-Z]{4})$/.exec(how ?? '')?.[1]
      if (how !== undefined && code === undefined)
        return this.#wrong(line, 'write card: …, or card (#K7Q2): … for one of several')
      last.expected.push({ ...at, kind: 'card', place, ...(code === undefined ? {} : { code }) })
    }
  }

  #placeOf(where: string): string {
    if (this.#people.has(where)) return where
    this.#groups.add(`@${where}`)
    return `@${where}`
  }
}
