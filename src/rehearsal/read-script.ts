import { isCode } from '../core/code.ts'
import { ConfigError } from '../core/errors.ts'
import { isHeader, readHeaderLine } from './read-header.ts'
import { readTalk } from './read-talk.ts'
import type { ActionLine, AgentLine, ChatLine, PersonLine, PolicyLine, Script } from './script.ts'

/** What stands above the talk, collected. */
interface Header {
  locale?: string
  account?: string
  like?: 'whatsapp'
  readonly agent: AgentLine[]
  readonly actions: ActionLine[]
  readonly policies: PolicyLine[]
  readonly people: PersonLine[]
  readonly chats: ChatLine[]
}

/** Reads a `.chat` file. Pure. Throws `ConfigError` with every problem, each at `file:line` with what to write instead. */
export function readScript(file: string, text: string): Script {
  const lines = text.replace(/\r\n/g, '\n').replace(/\n$/, '').split('\n')
  const problems: { readonly line: number; readonly message: string }[] = []
  const wrong = (line: number, message: string): undefined => {
    problems.push({ line, message })
  }
  const rule = /^# (.*\S)$/.exec(lines[0] ?? '')?.[1]
  if (rule === undefined) wrong(1, 'the first line says the rule in words: # A yes runs the action once.')

  const header: Header = { agent: [], actions: [], policies: [], people: [], chats: [] }
  const talkFrom = lines.findIndex((line) => line !== '' && !line.startsWith('#') && !isHeader(line))
  const end = talkFrom < 0 ? lines.length : talkFrom
  for (const [index, line] of lines.entries()) {
    if (line === '' || line.startsWith('#') || !isHeader(line)) continue
    if (index > end) wrong(index + 1, `${line.split(' ', 1)[0]} … belongs above the talk, which began in line ${end + 1}`)
    else take(header, line, index + 1, wrong)
  }
  checkActions(header, wrong)

  const talk = readTalk(lines, end, header, wrong)
  if (talk.scenes.length === 0) wrong(lines.length, 'nobody says anything: write ana: hola')
  const codes = codesOf(talk.scenes.flatMap(({ expected }) => expected))
  for (const { code, line } of codes)
    if (!isCode(code))
      wrong(line, `#${code} cannot be a code: four of 2–9 and A–Z without I, L, O and U, at least one digit and one letter`)
  if (problems.length > 0)
    throw new ConfigError(
      problems.sort((a, b) => a.line - b.line).map(({ line, message }) => ({ path: `${file}:${line}`, message })),
    )
  return {
    file,
    lines,
    rule: rule ?? '',
    ...header,
    ...talk,
    codes: [...new Set(codes.map(({ code }) => code))],
  }
}

function take(header: Header, text: string, line: number, wrong: (line: number, message: string) => undefined): undefined {
  const read = readHeaderLine(text, line)
  if (!read.ok) return wrong(line, read.why)
  const { is, value } = read.value
  switch (is) {
    case 'locale':
    case 'account':
      header[is] = value
      return
    case 'like':
      header.like = value
      return
    case 'agent':
      header.agent.push(value)
      return
    case 'action':
      header.actions.push(value)
      return
    case 'policy':
      header.policies.push(value)
      return
    case 'person':
      header.people.push(value)
      return
    case 'chat':
      header.chats.push(value)
      return
  }
}

function checkActions({ actions }: Header, wrong: (line: number, message: string) => undefined): void {
  for (const [index, { name, line }] of actions.entries())
    if (actions.findIndex((other) => other.name === name) < index) wrong(line, `${name} is declared twice; keep one`)
}

/** Codes that the account says, each at the end of a line as cards carry them: a value or a person may name one that no card has. */
function codesOf(
  expected: readonly { readonly line: number; readonly text: string }[],
): readonly { readonly code: string; readonly line: number }[] {
  return expected.flatMap(({ line, text }) => [...text.matchAll(/#([0-9A-Z]{4})$/gm)].map(([, code = '']) => ({ code, line })))
}
