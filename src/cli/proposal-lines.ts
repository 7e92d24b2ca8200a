import type { DecisionRecord } from '../core/decision.ts'
import { type Origin, originOf } from '../core/origin.ts'
import type { Proposal } from '../core/proposal.ts'
import { showText } from '../core/show-text.ts'
import { showValue } from '../core/show-value.ts'
import type { HistoryRow } from '../ports/store.ts'
import type { Dossier } from './operations.ts'
import { tableOf } from './table.ts'

/** A moment as operators read it. */
export const momentOf = (ms: number): string =>
  new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC')

/** A proposal as a list has it, for programs. */
export const listed = ({ id, code, state, action, conversation, requester, preview, createdAtMs }: Proposal) => ({
  id,
  code,
  state: state.name,
  action,
  account: conversation.account,
  requester,
  summary: preview.summary,
  createdAtMs,
  ...('expiresAtMs' in state ? { expiresAtMs: state.expiresAtMs } : {}),
  ...('quarantineUntilMs' in state ? { quarantineUntilMs: state.quarantineUntilMs } : {}),
})

/** A list for people. */
export function listLines(proposals: readonly Proposal[], nowMs: number): readonly string[] {
  if (proposals.length === 0) return ['Nothing.']
  const rows = proposals.map(({ id, code, state, action, createdAtMs, preview }) => [
    `#${code}`,
    state.name,
    'expiresAtMs' in state ? `${spanOf(state.expiresAtMs - nowMs)} left` : `${spanOf(nowMs - createdAtMs)} old`,
    action,
    id,
    showText(preview.summary),
  ])
  return tableOf([['CODE', 'STATE', 'TIME', 'ACTION', 'ID', 'WHAT'], ...rows])
}

/** Everything about one proposal, for people. Texts of others are shown so that they cannot pass for lines of this page. */
export function dossierLines({ proposal, history, decisions, showings, parked }: Dossier): readonly string[] {
  const { preview, conversation, state } = proposal
  const [label, text] = [preview.artefact?.label, preview.artefact?.url ?? preview.artefact?.text]
  return [
    `#${proposal.code} ${state.name}${'reason' in state ? ` (${state.reason})` : ''}  ${showText(preview.summary)}`,
    ...indented([
      ...preview.fields.map(({ label: name, value, unusual }) => [
        `${showText(name)}:`,
        showValue(value, proposal.locale) + (unusual === undefined ? '' : `  unusual: ${showText(unusual)}`),
      ]),
      ...(label === undefined ? [] : [[`${showText(label)}:`, showText(text ?? '')]]),
      ...(preview.alsoWill ?? []).map((also) => ['also:', showText(also)]),
      ...proposal.reasons.map(({ code, message }) => [
        'asks because:',
        message === undefined ? code : `${code}, ${showText(message)}`,
      ]),
    ]),
    '',
    ...indented([
      ['id', proposal.id],
      ['action', `${proposal.action}, version ${proposal.actionVersion}, ${proposal.reversibility}`],
      ['fingerprint', proposal.fingerprint],
      ['arguments', showText(proposal.canonicalArgs)],
      ['asked by', showText(proposal.requester ?? 'nobody: it came over the API')],
      ['began with', beganWith[originOf(proposal)]],
      [
        'decided by',
        proposal.approvers.kind === 'requester'
          ? 'who asked'
          : `${proposal.approvers.kind === 'role' ? proposal.approvers.role : `whom ${proposal.approvers.name} chooses`}${proposal.approvers.second ? ', two persons' : ''}`,
      ],
      [
        'where',
        [conversation.account, conversation.chat, ...(conversation.topic === undefined ? [] : [conversation.topic])]
          .map(showText)
          .join(' / '),
      ],
      ['shown', `${showings.length} time${showings.length === 1 ? '' : 's'}`],
      ...(parked === 0 ? [] : [['parked', `${parked} message${parked === 1 ? '' : 's'}, until the person writes`]]),
      ...('expiresAtMs' in state ? [['waits until', momentOf(state.expiresAtMs)]] : []),
      ...('quarantineUntilMs' in state ? [['failed can be said', `from ${momentOf(state.quarantineUntilMs)} on`]] : []),
      ...('result' in state && state.result !== undefined ? [['result', showText(state.result)]] : []),
    ]),
    ...(decisions.length === 0 ? [] : ['', 'Decisions', ...indented(decisions.map(decisionRow))]),
    '',
    'History',
    ...indented(history.map(historyRow)),
  ]
}

const beganWith: Readonly<Record<Origin, string>> = {
  human: 'a message (human)',
  agent: 'the outcome of another (agent)',
  api: 'a program (api)',
  mcp: 'a program (mcp)',
  schedule: 'a clock (schedule)',
}

const decisionRow = ({ atMs, person, verdict, via, phrase, reason }: DecisionRecord): readonly string[] => [
  momentOf(atMs),
  verdict,
  `by ${showText(person)}`,
  `by ${via}${phrase === undefined ? '' : ` “${showText(phrase)}”`}`,
  reason === undefined ? '' : `because: ${showText(reason)}`,
]

const historyRow = ({ atMs, event, from, to, by, note }: HistoryRow): readonly string[] => [
  momentOf(atMs),
  event,
  from === undefined || from === to ? to : `${from} → ${to}`,
  `by ${showText(by)}`,
  note === undefined ? '' : showText(JSON.stringify(note)),
]

const indented = (rows: readonly (readonly string[])[]): readonly string[] => tableOf(rows).map((line) => `  ${line}`)

function spanOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}
