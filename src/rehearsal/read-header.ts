import type { AlwaysTerms } from '../core/grant.ts'
import type { Limits } from '../core/limits.ts'
import { ended } from '../core/proposal.ts'
import { readWords, Words } from './read-words.ts'
import { worldOf } from './read-world.ts'
import type { ActionLine, AgentLine, ChatLine, Ending, FieldLine, PersonLine, PolicyLine } from './script.ts'

/** One line above the talk, read. */
export type HeaderLine =
  | { readonly is: 'locale' | 'account'; readonly value: string }
  | { readonly is: 'like'; readonly value: 'whatsapp' }
  | { readonly is: 'agent'; readonly value: AgentLine }
  | { readonly is: 'action'; readonly value: ActionLine }
  | { readonly is: 'policy'; readonly value: PolicyLine }
  | { readonly is: 'person'; readonly value: PersonLine }
  | { readonly is: 'chat'; readonly value: ChatLine }

/** What a line says, or what to write instead. */
export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string }

const forms = {
  locale: 'locale es',
  account: 'account NAME',
  like: 'like whatsapp',
  agent:
    'agent "what is written" says "…", proposes ACTION {…}, withdraws #K7Q2, or fails; agent after ACTION [succeeded] says "…", proposes ACTION {…}',
  action:
    'action NAME reversible|observed|irreversible [grave] [key] ["summary with {field}"] [fields a,b:1..12,c:date,d:ARS,e:x|y] [edits a,b] [types a] [reason kept|told] [reads {…}] [replaces a] [waits 10 min] [takes 5 s] [always 3 for 7 d] [then …], or action NAME real',
  policy:
    'policy slots single, policy onOtherMessage discard, policy minReview 1 s, policy approver ACTION ROLE, policy deny ACTION "why", …',
  person: 'person NAME ROLE [also NAME]',
  chat: 'chat @GROUP for ROLE',
} as const

/** The first word of a line that belongs above the talk. */
export const isHeader = (line: string): boolean => Object.hasOwn(forms, /^[a-z]+(?= |$)/.exec(line)?.[0] ?? '')

/** Reads one line above the talk. Pure. */
export function readHeaderLine(text: string, line: number): Read<HeaderLine> {
  const keyword = (/^[a-z]+/.exec(text)?.[0] ?? '') as keyof typeof forms
  const cut = readWords(text.slice(keyword.length))
  if (!cut.ok) return { ok: false, why: `${cut.why}; write ${forms[keyword]}` }
  const words = new Words(cut.words)
  const value = readAs(keyword, words, line)
  if (value === undefined || words.problem !== undefined || !words.isEmpty)
    return {
      ok: false,
      why: `${words.problem ?? (value === undefined ? 'cannot be read' : `goes on where it should end: ${words.rest}`)}; write ${forms[keyword]}`,
    }
  return { ok: true, value: { is: keyword, value } as HeaderLine }
}

function readAs(keyword: keyof typeof forms, words: Words, line: number): HeaderLine['value'] | undefined {
  switch (keyword) {
    case 'locale':
    case 'account':
      return words.bare()
    case 'like':
      return words.take('whatsapp') ? 'whatsapp' : undefined
    case 'agent':
      return agentOf(words, line)
    case 'action':
      return actionOf(words, line)
    case 'policy':
      return policyOf(words, line)
    case 'person': {
      const name = words.bare()
      if (name === undefined) return undefined
      const [roles, also] = cutAt('also', words.bares())
      return { line, name, roles, ...(also === undefined ? {} : { also }) }
    }
    case 'chat': {
      const place = words.bare()
      const role = words.take('for') ? words.bare() : undefined
      return place?.startsWith('@') && role !== undefined ? { line, place, role } : undefined
    }
  }
}

/** What stands before a word, and what after it where it is there. */
function cutAt(word: string, all: readonly string[]): readonly [readonly string[], (readonly string[])?] {
  const at = all.indexOf(word)
  return at < 0 ? [all] : [all.slice(0, at), all.slice(at + 1)]
}

function agentOf(words: Words, line: number): AgentLine | undefined {
  const after = words.take('after') ? afterOf(words) : undefined
  const when = after === undefined ? words.text() : ''
  if (when === undefined) return undefined
  if (after !== undefined) {
    const said = words.take('says') ? words.text() : undefined
    const proposes = words.take('proposes') ? proposesOf(words) : undefined
    if (said === undefined && proposes === undefined) return undefined
    return { line, when, after, ...(said === undefined ? {} : { says: said }), ...(proposes === undefined ? {} : { proposes }) }
  }
  if (words.take('fails')) return { line, when, fails: true }
  const says = words.take('says') ? words.text() : undefined
  if (words.take('withdraws')) {
    const code = words.bare()
    return code === undefined
      ? undefined
      : { line, when, ...(says === undefined ? {} : { says }), withdraws: code.replace(/^#/, '') }
  }
  if (!words.take('proposes')) return says === undefined ? undefined : { line, when, says }
  const proposes = proposesOf(words)
  return proposes === undefined ? undefined : { line, when, ...(says === undefined ? {} : { says }), proposes }
}

function proposesOf(words: Words): AgentLine['proposes'] {
  const action = words.bare()
  const args = words.json()
  return action === undefined ? undefined : { action, args: args ?? {} }
}

/** Which end of which action a line follows; every end where it names none. */
function afterOf(words: Words): AgentLine['after'] {
  const action = words.bare()
  const state = ended.find((name) => words.take(name))
  return action === undefined ? undefined : { action, ...(state === undefined ? {} : { state }) }
}

function actionOf(words: Words, line: number): ActionLine | undefined {
  const name = words.bare()
  if (name === undefined) return undefined
  if (words.take('real')) return { kind: 'real', line, name }
  const reversibility = (['reversible', 'observed', 'irreversible'] as const).find((word) => words.take(word))
  if (reversibility === undefined) return undefined
  const isGrave = words.take('grave')
  const idempotency = words.take('key') ? 'key' : 'none'
  const summary = words.text()
  const fields = words.take('fields') ? words.bare()?.split(',').map(fieldOf) : undefined
  if (fields?.includes(undefined)) return words.wrong('a field is a name, or name:1..12, name:date, name:ARS, name:x|y')
  const editable = words.take('edits') ? words.bare()?.split(',') : undefined
  const typeToConfirm = words.take('types') ? words.bare() : undefined
  const rejectReason = words.take('reason') ? (['kept', 'told'] as const).find((word) => words.take(word)) : undefined
  const reads = words.take('reads') ? worldOf(words) : undefined
  const replaces = words.take('replaces') ? words.bare() : undefined
  const ttlMs = words.take('waits') ? words.duration() : undefined
  const takesMs = words.take('takes') ? words.duration() : 0
  const always = words.take('always') ? alwaysOf(words) : undefined
  const endings: Ending[] = []
  while (words.take('then')) {
    const ending = endingOf(words)
    if (ending === undefined)
      return words.wrong(
        'after then comes succeeds ["…"], succeeds unverified, refuses "…", denies "…", times out, or loses the answer',
      )
    endings.push(ending)
  }
  return {
    kind: 'declared',
    line,
    name,
    reversibility,
    idempotency,
    ...(summary === undefined ? {} : { summary }),
    ...(fields === undefined ? {} : { fields: fields.filter((field) => field !== undefined) }),
    ...(editable === undefined ? {} : { editable }),
    ...(isGrave ? { severity: 'high' } : {}),
    ...(typeToConfirm === undefined ? {} : { typeToConfirm }),
    ...(rejectReason === undefined ? {} : { rejectReason }),
    ...(reads === undefined ? {} : { reads }),
    ...(replaces === undefined ? {} : { replaces }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
    ...(always === undefined ? {} : { always }),
    takesMs: takesMs ?? 0,
    endings: endings.length === 0 ? [{ kind: 'succeeds' }] : endings,
  }
}

function fieldOf(text: string): FieldLine | undefined {
  const { name = '', takes } = /^(?<name>[\w-]+)(?::(?<takes>.+))?$/.exec(text)?.groups ?? {}
  if (name === '') return undefined
  if (takes === undefined) return { name }
  if (takes === 'date') return { name, takes: { kind: 'date' } }
  if (/^[A-Z]{3}$/.test(takes)) return { name, takes: { kind: 'money', currency: takes } }
  const [, least, most] = /^(\d+)\.\.(\d+)$/.exec(takes) ?? []
  if (least !== undefined) return { name, takes: { kind: 'whole', least: Number(least), most: Number(most) } }
  return takes.includes('|') ? { name, takes: { kind: 'choice', of: takes.split('|') } } : undefined
}

function alwaysOf(words: Words): AlwaysTerms | undefined {
  const times = Number(words.bare())
  const lastsMs = words.take('for') ? words.duration() : undefined
  const days = (lastsMs ?? 0) / 86_400_000
  return Number.isInteger(times) && times > 0 && Number.isInteger(days) && days > 0
    ? { times, days }
    : words.wrong('always is always 3 for 7 d')
}

function endingOf(words: Words): Ending | undefined {
  if (words.take('succeeds')) {
    if (words.take('unverified')) return { kind: 'unverified' }
    const message = words.text()
    return { kind: 'succeeds', ...(message === undefined ? {} : { message }) }
  }
  for (const [word, kind] of [
    ['refuses', 'refused'],
    ['denies', 'denied'],
  ] as const)
    if (words.take(word)) return { kind, why: words.text() ?? '' }
  if (words.take('times') && words.take('out')) return { kind: 'timed_out' }
  if (words.take('loses') && words.take('the') && words.take('answer')) return { kind: 'lost_answer' }
  return undefined
}

/** Policies that are a time, by the names that the rules give them. */
const times: Readonly<Record<string, readonly (keyof Limits)[]>> = {
  minReview: ['minReviewTextMs', 'minReviewPressMs', 'minReviewHighPressMs'],
  late: ['lateAfterMs'],
  hold: ['holdMs'],
  executeBy: ['executeByMs'],
  remindBefore: ['remindBeforeMs'],
}

const overForm = 'over is policy over ACTION FIELD 100 for ROLE [1000 for ROLE …] within 1 d [approver ROLE, or by limit]'

const choices: Readonly<Record<string, readonly string[]>> = {
  slots: ['single', 'many'],
  onOtherMessage: ['disarm', 'discard', 'keep'],
  onOutcome: ['tell', 'resume'],
}

function policyOf(words: Words, line: number): PolicyLine | undefined {
  const name = words.bare() ?? ''
  const limit = (limits: Partial<Limits>): PolicyLine => ({ kind: 'limit', line, limits })
  if (Object.hasOwn(times, name)) {
    const ms = words.duration()
    return ms === undefined ? undefined : limit(Object.fromEntries((times[name] ?? []).map((key) => [key, ms])))
  }
  if (Object.hasOwn(choices, name)) {
    const chosen = words.bare() ?? ''
    return choices[name]?.includes(chosen) ? limit({ [name]: chosen }) : words.wrong(`${name} is ${choices[name]?.join(' or ')}`)
  }
  if (name === 'maxOpen') {
    const many = Number(words.bare())
    return Number.isInteger(many) ? limit({ maxOpenPerConversation: many }) : undefined
  }
  if (name === 'quiet') {
    const [from, to, timeZone] = [words.bare(), words.bare(), words.bare()]
    return from === undefined || to === undefined || timeZone === undefined
      ? words.wrong('quiet is policy quiet 22:00 08:00 America/Argentina/Buenos_Aires')
      : { kind: 'quiet', line, from, to, timeZone }
  }
  const action = words.bare()
  if (action === undefined) return undefined
  switch (name) {
    case 'approver': {
      const role = words.bare()
      return role === undefined ? undefined : { kind: 'approver', line, action, role, second: words.take('second') }
    }
    case 'deny': {
      const message = words.text()
      return { kind: 'deny', line, action, code: 'CUSTOM_POLICY_REQUIREMENT', ...(message === undefined ? {} : { message }) }
    }
    case 'ask': {
      const code = words.bare()
      const message = words.text()
      return code === undefined ? undefined : { kind: 'ask', line, action, code, ...(message === undefined ? {} : { message }) }
    }
    case 'allow':
      return { kind: 'allow', line, action }
    case 'chooses':
      return { kind: 'chooses', line, action, people: words.bares() }
    case 'escalate': {
      const to = words.bare()
      const afterMs = words.take('after') ? words.duration() : undefined
      return to === undefined || afterMs === undefined
        ? words.wrong('escalate is policy escalate ACTION ROLE after 10 min')
        : { kind: 'escalate', line, action, to, afterMs }
    }
    case 'over': {
      const field = words.bare()
      const perRole: Record<string, string> = {}
      while (!words.isEmpty && !words.take('within')) {
        const limit = words.bare()
        const role = words.take('for') ? words.bare() : undefined
        if (limit === undefined || role === undefined) return words.wrong(overForm)
        perRole[role] = limit
      }
      const withinMs = words.duration()
      if (field === undefined || Object.keys(perRole).length === 0 || withinMs === undefined) return words.wrong(overForm)
      const role = words.take('approver') ? words.bare() : undefined
      const approver = role === undefined ? (words.take('by') && words.take('limit') ? 'limit' : undefined) : { role }
      return { kind: 'over', line, action, field, perRole, withinMs, ...(approver === undefined ? {} : { approver }) }
    }
    case 'unusual': {
      const field = words.bare()
      const is = (['far', 'new', 'changed'] as const).find((word) => words.take(word))
      const of = is === 'changed' && words.take('of') ? words.bare() : undefined
      if (field === undefined || is === undefined || (is === 'changed' && of === undefined))
        return words.wrong('unusual is policy unusual ACTION FIELD far, new, or changed of FIELD')
      return { kind: 'unusual', line, action, field, test: is === 'changed' ? { is, of: of ?? '' } : { is } } as const
    }
    default:
      return words.wrong(
        `there is no policy ${name}; there are ${[...Object.keys(choices), ...Object.keys(times), 'maxOpen', 'quiet', 'approver', 'chooses', 'deny', 'ask', 'allow', 'escalate', 'over', 'unusual'].join(', ')}`,
      )
  }
}
