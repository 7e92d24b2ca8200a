import { styleText } from 'node:util'
import type { Command } from 'commander'
import type { Finding } from './doctor-checks.ts'
import { exitCode } from './failure.ts'
import { tableOf } from './table.ts'
import { answer, type ConfiguredOptions, newVerb, withConfig } from './verb.ts'

/** `dale doctor`: looks at everything around Dale and ends with 1 when something keeps it from working. */
export const doctor = (): Command =>
  withConfig(
    newVerb('doctor', 'Look at everything around Dale and say what to do; ends with 1 when something must be done.', [
      ['dale doctor', 'a table of ok, warn and fail'],
      ['dale doctor --json', 'the same for a monitor'],
    ]),
  ).action(async (options: ConfiguredOptions) => {
    const { examine } = await import('./doctor-checks.ts')
    const findings = await examine(options)
    answer(options, { ok: isWell(findings), findings }, linesOf(findings))
    if (!isWell(findings)) process.exitCode = exitCode.failed
  })

const isWell = (findings: readonly Finding[]): boolean => findings.every(({ state }) => state !== 'fail')

const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const

function linesOf(findings: readonly Finding[]): readonly string[] {
  const rows = findings.map(({ state, what, found, todo }) => [
    styleText(colours[state], state, { stream: process.stdout }),
    what,
    todo === undefined ? found : `${found}. ${todo}`,
  ])
  const left = findings.filter(({ state }) => state === 'fail').length
  const end = left === 0 ? 'Nothing stands in the way.' : left === 1 ? 'One thing must be done.' : `${left} things must be done.`
  return [...tableOf(rows), '', end]
}
