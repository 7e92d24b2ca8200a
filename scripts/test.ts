/**
 * The whole suite, wherever it is run: `npm test`, with vitest's arguments behind `--` (`npm test -- test/core -t armed`).
 * Finds PostgreSQL and Redis or starts its own; where that is impossible the suites that need them are left out, which is said loudly,
 * and under CI=true is a failure. The last line is `N passed, N failed`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { findServices } from './services.ts'

const oldestNode = 24

const reportSchema = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), title: z.string(), ancestorTitles: z.array(z.string()) })),
    }),
  ),
})
type Report = z.infer<typeof reportSchema>

if (Number.parseInt(process.versions.node, 10) < oldestNode) {
  console.error(
    `Node ${oldestNode} is needed and this is ${process.versions.node}. npm ci brings one along: run npm test, not this file.`,
  )
  process.exit(1)
}

const inCi = process.env.CI === 'true'
const services = await findServices()
for (const [name, found] of Object.entries(services)) console.log(`${name}: ${found?.how ?? 'none'}`)
const missing = Object.entries(services).filter(([, found]) => found === undefined)
const folder = mkdtempSync(join(tmpdir(), 'dale-tests-'))
try {
  if (inCi && missing.length > 0)
    throw new Error(`CI=true leaves nothing out, but there is no ${missing.map(([name]) => name).join(', no ')}`)
  const file = join(folder, 'report.json')
  const code = await vitest(file)
  process.exitCode = tell(read(file), code)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  console.log('0 passed, 1 failed')
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
  for (const found of Object.values(services)) await found?.stop()
}

async function vitest(report: string): Promise<number> {
  // The suites read names of their own: what a deployment is told by DATABASE_URL must not reach the programs under test.
  const { DATABASE_URL: _, REDIS_URL: __, ...rest } = process.env
  const env = { ...rest, TEST_DATABASE_URL: services.postgres?.url ?? '', TEST_REDIS_URL: services.redis?.url ?? '' }
  const words = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...process.argv.slice(2)]
  const program = join(import.meta.dirname, '..', 'node_modules', 'vitest', 'vitest.mjs')
  const child = spawn(process.execPath, [program, ...words], { env, stdio: 'inherit' })
  const stop = (signal: NodeJS.Signals) => void child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
  const [code] = await once(child, 'exit')
  return typeof code === 'number' ? code : 1
}

function read(file: string): Report {
  return reportSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
}

/** Says how it went, and answers with the exit code. A file that does not load has no tests to fail: it counts as one. */
function tell(report: Report, code: number): number {
  const files = report.testResults.map(({ status, assertionResults }) => ({
    failed: Math.max(assertionResults.filter((test) => test.status === 'failed').length, status === 'failed' ? 1 : 0),
    leftOut: (status === 'failed' ? [] : assertionResults)
      .filter((test) => test.status !== 'passed' && test.status !== 'failed')
      .map(({ ancestorTitles: [suite], title }) => suite ?? title),
  }))
  // Tests that were not asked for are reported the same way as those that could not run.
  const byName = process.argv.some((word) => /^(-t|--testNamePattern)\b/.test(word))
  const leftOut = new Set(byName ? [] : files.flatMap((file) => file.leftOut))
  if (leftOut.size > 0) console.log(`\n!!! NOT EVERYTHING WAS TESTED. ${[...leftOut].join('; ')} !!!\n`)
  const counted = files.reduce((sum, file) => sum + file.failed, 0) + (inCi ? leftOut.size : 0)
  const failed = counted === 0 && code !== 0 ? 1 : counted // An error outside of any test fails the run all the same.
  console.log(`${report.numPassedTests} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}
