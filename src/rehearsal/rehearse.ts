import { randomBytes } from 'node:crypto'
import type { PGlite } from '@electric-sql/pglite'
import type { Variables } from '../config/environment.ts'
import type { Normalized } from '../core/inbound.ts'
import type { VocabularyContent } from '../core/vocabulary-content.ts'
import { openLog } from '../log.ts'
import { openEmbedded } from '../store/embedded.ts'
import { migrate } from '../store/migrate.ts'
import { askOutside } from './ask-outside.ts'
import { StillClock } from './clock.ts'
import { type Compared, compare } from './compare.ts'
import { Ledger } from './ledger.ts'
import { linesAfter } from './lines-after.ts'
import { type Against, accountOf, rehearsedConfig } from './rehearsed-config.ts'
import type { Doing, Scene, Script } from './script.ts'
import { simulatorStage } from './simulator-stage.ts'
import type { OpenStage, Stage } from './stage.ts'
import { StagedHouse } from './staged-house.ts'
import { type Verdicts, verdictsOf } from './verdicts.ts'

/** A file that was played. `after` is the file as it came out, with the people's lines as they were. */
export interface Rehearsed {
  readonly file: string
  readonly rule: string
  readonly isSame: boolean
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly verdicts: Verdicts
  /** How long it took, in milliseconds of real time. */
  readonly tookMs: number
}

export interface RehearsalOptions {
  /** Where it is played; default the simulator. */
  readonly stage?: OpenStage
  readonly against?: Against | undefined
  /** Words to be tried for the account that people talk to, instead of what its files say. */
  readonly words?: { readonly locale: string; readonly content: VocabularyContent }
  /** How what is missing or differs is written: whole, to be compared, or in brief, to be kept. Default `whole`. */
  readonly style?: 'whole' | 'brief'
}

/** A database in memory for any number of rehearsals, one after the other; each finds it empty. */
export interface RehearsalRoom extends AsyncDisposable {
  rehearse(script: Script, options?: RehearsalOptions): Promise<Rehearsed>
}

/** Opens the database; it is the only thing that rehearsals share. `variables` are for a configuration's own needs. */
export async function openRehearsalRoom(variables: Variables): Promise<RehearsalRoom> {
  const embedded = await openEmbedded('memory')
  await migrate({ kind: 'pglite', db: embedded.db })
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...own } = variables
  // The world's database, queue and keys stay out of it.
  const safe = { ...own, DALE_SECRET_KEY: randomBytes(32).toString('hex'), LOG_LEVEL: variables.LOG_LEVEL || 'silent' }
  return {
    rehearse: async (script, options = {}) => await play(embedded.db, script, options, safe),
    [Symbol.asyncDispose]: () => embedded[Symbol.asyncDispose](),
  }
}

async function play(
  db: PGlite,
  script: Script,
  { stage: openStage = simulatorStage, against, style = 'whole', words }: RehearsalOptions,
  variables: Variables,
): Promise<Rehearsed> {
  const began = performance.now()
  await empty(db)
  const clock = new StillClock(db)
  await clock.begin()
  const ledger = new Ledger(() => clock.nowMs)
  const account = accountOf(script, against)
  const people = script.people.map(({ name }) => name)
  await using stage = await openStage({ account, clock, people, groups: script.groups, like: script.like })
  let unanswered = 0
  const checked = rehearsedConfig(script, against, { stage, ledger, unanswered: () => (unanswered += 1), variables })
  const roads: string[] = []
  const trouble: string[] = []
  await using staged = new StagedHouse({
    ...checked,
    account,
    stage,
    ledger,
    clock,
    footing: { kind: 'pglite', db },
    log: openLog(checked.environment.logLevel, 'stderr'),
    count: (what, labels) => {
      if (what === 'road') roads.push(labels?.road ?? '')
      if (what === 'broken') trouble.push('a message met a bug of Dale’s: LOG_LEVEL=error shows it')
    },
    codes: script.codes,
  })
  await staged.open()
  // Before the first message: then the house follows this row instead of making its files' words active.
  if (words !== undefined) await staged.house.store.activate([{ account, ...words, by: 'rehearsal', forced: false }])
  const compared: { readonly scene: Scene; readonly compared: Compared }[] = []
  for (const scene of script.scenes) {
    unanswered = 0
    const problems = await perform(scene, staged, stage, ledger)
    const came = {
      shown: stage.shown(),
      unanswered,
      problems: [...problems, ...trouble.splice(0)],
      effects: ledger.effects,
      cards: (place: string) => stage.cards(place),
    }
    compared.push({ scene, compared: compare(scene, came, style) })
  }
  return {
    file: script.file,
    rule: script.rule,
    isSame: compared.every(({ compared: { isSame } }) => isSame),
    before: script.lines,
    after: linesAfter(script.lines, compared),
    verdicts: await verdictsOf(script, staged.house.store, stage, { roads, effects: ledger.effects }),
    tookMs: Math.round(performance.now() - began),
  }
}

/** Plays one scene until all is quiet; answers what could not be done. */
async function perform({ afterMs, doing }: Scene, staged: StagedHouse, stage: Stage, ledger: Ledger): Promise<readonly string[]> {
  await staged.pass(afterMs)
  const problems: string[] = []
  const now: Normalized[] = []
  const late: { readonly events: readonly Normalized[]; readonly ms: number }[] = []
  for (const one of doing) {
    const problem = stage.cannot(one) ?? (await done(one, staged, stage, ledger))
    if (problem !== undefined) problems.push(problem)
    const lateMs = one.do === 'act' ? one.lateMs : 0
    if (lateMs > 0) late.push({ events: staged.arrived(), ms: lateMs })
    else now.push(...staged.arrived())
  }
  await staged.take(now)
  await staged.rest()
  let passed = 0
  for (const { events, ms } of late.sort((a, b) => a.ms - b.ms)) {
    await staged.pass(ms - passed)
    passed = ms
    await staged.take(events)
    await staged.rest()
  }
  return problems
}

async function done(doing: Doing, staged: StagedHouse, stage: Stage, ledger: Ledger): Promise<string | undefined> {
  const { house } = staged
  switch (doing.do) {
    case 'act':
      return await stage.act(doing)
    case 'outside':
      await stage.outside(doing.by, doing.place, doing.text)
      return undefined
    case 'phones':
      await stage.phones?.(doing.place, doing.turn)
      return undefined
    case 'again':
      await stage.again()
      return undefined
    case 'restart':
      await staged.close()
      await staged.open()
      return undefined
    case 'halt':
      await house.store.halt({ scope: { kind: 'all' }, by: 'rehearsal' })
      return undefined
    case 'resume':
      await house.store.resume({ kind: 'all' })
      return undefined
    case 'workers':
      await staged.workers(doing.turn)
      return undefined
    case 'program':
      return await askOutside(house, staged.account, stage, doing)
    case 'world':
      if (!house.actions.has(doing.action)) return `(world ${doing.action} …) is about no action there is`
      ledger.turn(doing.action, doing.turn)
      return undefined
    case 'role': {
      const { person: id, what, role } = doing
      const changed = await house.store.changePeople({ what, id, role, by: 'rehearsal' })
      return changed.kind === 'changed' ? undefined : `(${what} ${id} ${role}) is not possible: ${changed.because}`
    }
    case 'wait':
      return undefined
  }
}

async function empty(db: PGlite): Promise<void> {
  const { rows } = await db.query<{ readonly tables: string }>(
    `select string_agg(format('dale.%I', tablename), ', ') as tables from pg_tables where schemaname = 'dale' and tablename not in ('migration', 'migration_lock', 'laws', 'rehearsal_clock')`,
  )
  await db.exec(`truncate ${rows[0]?.tables} restart identity`)
}
