import type { Command } from 'commander'
import { approvedShareOf, enoughDecisions, type Flag, flagsOf } from '../core/consent-health.ts'
import type { ActionConsent } from '../ports/consent-report.ts'
import { tableOf } from './table.ts'
import { answer, type CommonOptions, newVerb, withJson } from './verb.ts'
import { sinceOption } from './vocabulary/since.ts'

interface ReportOptions extends CommonOptions {
  readonly since: number
}

/** `dale report`: how people answered, and where a card has become a formality. */
export const report = (): Command =>
  withJson(
    newVerb(
      'report',
      'Tell how people answered the cards of each action, how fast and by which way, and where a card is no longer read.',
      [
        ['dale report', 'of the last 30 days'],
        ['dale report --since 7d --json', 'for programs'],
      ],
    ),
  )
    .addOption(sinceOption('how far back'))
    .action(async (options: ReportOptions) => {
      const { withOperations } = await import('./with-operations.ts')
      const actions = await withOperations(options, (operations) => operations.consentOf(options.since))
      const flagged = actions.map((action) => ({ ...action, approvedShare: approvedShareOf(action), flags: flagsOf(action) }))
      answer(options, { ofMs: options.since, actions: flagged }, linesOf(flagged))
    })

type Flagged = ActionConsent & { readonly approvedShare: number | undefined; readonly flags: readonly Flag[] }

function linesOf(actions: readonly Flagged[]): readonly string[] {
  if (actions.length === 0) return ['Nothing was asked in this time.']
  const counts = actions.map((one) =>
    [
      one.action,
      one.requested,
      one.approved,
      one.rejected,
      one.edited,
      one.expired,
      one.superseded,
      one.changed,
      one.showingsAgain,
    ].map(String),
  )
  const speeds = actions.map((one) => [
    one.action,
    one.approvedShare === undefined ? '–' : `${(100 * one.approvedShare).toFixed(1)} %`,
    secondsOf(one.medianSeconds),
    secondsOf(one.p90Seconds),
    waysOf(one.via),
  ])
  return [
    ...tableOf([
      ['ACTION', 'REQUESTED', 'APPROVED', 'REJECTED', 'EDITED', 'EXPIRED', 'SUPERSEDED', 'CHANGED', 'SHOWN AGAIN'],
      ...counts,
    ]),
    '',
    ...tableOf([['ACTION', 'YES', 'MEDIAN', 'P90', 'BY'], ...speeds]),
    ...actions
      .flatMap(({ action, flags }) => flags.map((flag) => `! ${action}: ${advice[flag]}`))
      .flatMap((line, at) => (at === 0 ? ['', line] : [line])),
  ]
}

const advice: Readonly<Record<Flag, string>> = {
  nearly_always_approved: `more than 97 of 100 answers are yes (of ${enoughDecisions} or more). The card asks for what needs no asking: narrow the trigger.`,
  decided_at_once: `half of the answers come within 4 s of the card (of ${enoughDecisions} or more). Nobody reads it: narrow the trigger, so that it comes when there is something to see.`,
}

const secondsOf = (seconds: number | undefined): string =>
  seconds === undefined ? '–' : seconds < 120 ? `${seconds.toFixed(1)} s` : `${(seconds / 60).toFixed(0)} min`

function waysOf(via: ActionConsent['via']): string {
  const all = Object.values(via).reduce((sum, times) => sum + times, 0)
  const ways = Object.entries(via).sort(([, a], [, b]) => b - a)
  return ways.map(([way, times]) => `${way} ${((100 * times) / all).toFixed(0)} %`).join(', ') || '–'
}
