// Words that change under messages, on two processes: whatever was decided is explained by the version that is kept with it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { matchDecision } from '../../src/core/match.ts'
import { vocabularyOf } from '../../src/core/vocabulary-content.ts'
import { openStore } from '../../src/store/open.ts'
import { aDatabase, type TestDatabase } from '../support/database.ts'
import { describeOn } from '../support/describe-on.ts'
import { until } from '../support/until.ts'
import type { WordsChild, Written } from '../support/words-child.ts'

/** The full numbers are 200 and 10,000. */
const reloads = Number(process.env.DALE_TEST_RELOADS ?? 6)
const messages = Number(process.env.DALE_TEST_RELOAD_MESSAGES ?? 120)
const lanes = 8
const words = ['vamos', 'meta', 'hecho', 'dale']

/** Every edition has some of the words; the last of four is that which ships. */
const editions = [['vamos'], ['vamos', 'meta'], ['meta', 'hecho'], []].map((texts) =>
  JSON.stringify({ approve: texts.map((text) => ({ text, region: 'everywhere' })) }),
)

async function aChild(settings: WordsChild): Promise<ChildProcess & AsyncDisposable> {
  const child = spawn(
    process.execPath,
    ['--conditions=dale-source', join(import.meta.dirname, '..', 'support', 'words-child.ts')],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: { ...process.env, DALE_TEST_WORDS: JSON.stringify(settings) } },
  )
  await once(child, 'message')
  return Object.assign(child, {
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  })
}

describeOn('postgres', 'words that change under messages', () => {
  it(
    'decide by the version that each decision names, on two processes',
    async () => {
      await using database: TestDatabase = await aDatabase()
      // One connection: one question at a time.
      let asking: Promise<unknown> = Promise.resolve()
      const run: TestDatabase['run'] = (text, values) => {
        const answer = asking.then(() => database.run(text, values))
        asking = answer.catch(() => undefined)
        return answer
      }
      const folder = mkdtempSync(join(tmpdir(), 'dale-reload-'))
      using _folder = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
      const file = join(folder, 'es', 'decision.json')
      mkdirSync(join(folder, 'es'))
      writeFileSync(file, editions[3] ?? '')
      const settings = { databaseUrl: database.url, folder }
      await using first = await aChild(settings)
      await using second = await aChild(settings)
      const children = [first, second]
      let written = 0

      const say = async (chat: string, text: string): Promise<void> => {
        written += 1
        const number = written
        const child = children[number % 2]
        if (child?.exitCode !== null) throw new Error('A process ended under the messages')
        child.send({ chat, text, number } satisfies Written)
        await until(async () => {
          const [row] = await run(`select handled_at from dale.inbox where provider_id = $1`, [`w${number}`])
          return row?.handled_at != null
        })
      }
      const open = async (chat: string): Promise<boolean> => {
        const [row] = await run(
          `select count(*)::int as n from dale.proposal where conversation like '%' || $1 || '%' and state = 'pending' and exists (select from dale.showing s where s.proposal = dale.proposal.id)`,
          [chat],
        )
        return row?.n !== 0
      }
      const lane = async (number: number): Promise<void> => {
        for (let round = 0; written < messages; round += 1) {
          const chat = `lane-${number}-${round}-end`
          await say(chat, `registrá ${1 + (round % 9)} cajas`)
          await until(() => open(chat))
          await say(chat, words[(round + number) % words.length] ?? '')
          if (await open(chat)) await say(chat, 'no')
        }
      }
      const reload = async (): Promise<void> => {
        for (let turn = 0; turn < reloads; turn += 1) {
          // In place at once, as a deployment puts it there.
          writeFileSync(`${file}.next`, editions[turn % editions.length] ?? '')
          renameSync(`${file}.next`, file)
          for (const child of children) child.kill('SIGHUP')
          const reached = (messages * (turn + 1)) / (reloads + 1)
          await until(async () => written >= Math.min(reached, messages))
        }
      }
      await Promise.all([reload(), ...Array.from({ length: lanes }, (_, number) => lane(number))])

      await using store = await openStore({ kind: 'postgres', url: database.url })
      const rows = (await store.vocabularyHistory(10_000)).toReversed()
      const decisions = await run(
        `select d.record, (select max(s.accepted_at) from dale.showing s where s.proposal = d.proposal) as shown from dale.decision d order by d.id`,
      )
      const unexplained = decisions.filter(({ record, shown }) => {
        const { phrase, verdict, vocabularyVersion } = record as Readonly<Record<string, string>>
        return !rows.some((row) => {
          const found = matchDecision(phrase ?? '', vocabularyOf(row.content))
          const since = row.activeSinceMs[phrase ?? ''] ?? 0
          return (
            row.version === vocabularyVersion &&
            found?.kind === 'phrase' &&
            found.verdict === verdict &&
            (verdict === 'reject' || since < Number(shown))
          )
        })
      })
      expect(unexplained).toEqual([])
      const approved = (phrase: string): number =>
        decisions.filter(({ record }) => (record as { readonly phrase: string }).phrase === phrase).length
      const asked = async (text: string): Promise<number> => {
        const [row] = await run(`select count(*)::int as n from dale.inbox where event -> 'body' ->> 'text' = $1`, [text])
        return Number(row?.n)
      }
      // Some were words when they were written, and some were not: the words did change under the messages.
      expect(approved('vamos')).toBeGreaterThan(0)
      expect(approved('vamos')).toBeLessThan(await asked('vamos'))
      expect(approved('dale')).toBeGreaterThan(0)
      expect(rows.length).toBeGreaterThan(Math.min(reloads, 3))
      expect(new Set(rows.map(({ version }) => version)).size).toBe(Math.min(editions.length, reloads + 1))
    },
    Math.max(180_000, messages * 400),
  )
})
