import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { scriptedAgent } from '../../src/agents/scripted.ts'
import { legalMoves } from '../../src/store/laws.ts'
import { botApiServer } from '../support/bot-api-server.ts'
import { aDatabase, type TestDatabase } from '../support/database.ts'
import { describeOn } from '../support/describe-on.ts'
import { aHouse, postgresStage, type TestHouse, unfinished } from '../support/house.ts'
import { seeded } from '../support/house-races.ts'
import { serveDoor, webhookSecret } from '../support/house-telegram.ts'
import { bookingAction, Ledger, type LedgerFault } from '../support/ledger.ts'
import { asAdmin } from '../support/services.ts'

const seed = Number(process.env.STORM_SEED ?? 20_261_130)
const people = 12
const wishes = 5
const timeout = 120_000

const agent = scriptedAgent(
  [
    ['registrá', 'registrar'],
    ['anotá', 'anotar'],
    ['pedí', 'pedir'],
  ].map(([word, action = '']) => ({
    when: `${word} {cajas:number} cajas`,
    say: 'Preparé eso.',
    propose: { action, args: { cajas: '{cajas}' } },
  })),
  { otherwise: 'Entendido.' },
)

describeOn('postgres', 'a storm over two gateways and two workers', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await aDatabase()
  }, timeout)
  afterAll(async () => await database[Symbol.asyncDispose]())

  it(`leaves every effect decided and single, every end told, and nothing lost (seed ${seed})`, { timeout }, async () => {
    const random = seeded(seed)
    const pick = <T>(...values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
    await using cleanup = new AsyncDisposableStack()
    let aheadMs = 0
    const server = cleanup.use(await botApiServer({ now: () => Math.floor((Date.now() + aheadMs) / 1000), redeliverAfterMs: 5 }))
    const stage = cleanup.use(await postgresStage(database))
    const ledger = new Ledger()
    let storming = true
    const gateways: TestHouse[] = []

    // Whoever is near takes a request; some are taken twice, and the answer to some is lost, so that they come again.
    const door = cleanup.use(
      await serveDoor(async (body, headers = {}) => {
        const request = { method: 'POST', headers, query: {}, body: Buffer.from(body) }
        const near = pick(...gateways)
        const [answer] = await Promise.all(
          [near, ...(storming && random() < 0.3 ? gateways : [])].map((one) => one?.composition.webhook('demo', request)),
        )
        return storming && random() < 0.1 ? { status: 502 } : answer
      }),
    )
    const settings = {
      stage,
      ledger,
      agent,
      trouble: true,
      actions: [
        bookingAction(ledger),
        bookingAction(ledger, { name: 'anotar', mode: 'naive' }),
        bookingAction(ledger, { name: 'pedir', mode: 'lookup' }),
      ],
      accounts: { demo: { channel: 'telegram', mode: 'webhook', apiRoot: server.url } },
      variables: { TELEGRAM_BOT_TOKEN: server.token, TELEGRAM_WEBHOOK_SECRET_TOKEN: webhookSecret, PUBLIC_URL: door.url },
    } as const
    for (let n = 0; n < 2; n += 1) {
      gateways.push(cleanup.use(await aHouse({ ...settings, start: { gateway: true, workers: false } })))
      cleanup.use(await aHouse({ ...settings, start: { gateway: false, workers: true } }))
    }
    const later = async (byMs: number) => {
      aheadMs += byMs
      await stage.moveClock(byMs)
    }

    const weather = (async () => {
      const name = new URL(database.url).pathname.slice(1)
      while (storming) {
        await setTimeout(20)
        const what = random()
        if (what < 0.15)
          server.fail(
            'sendMessage',
            pick({ reset: 'after' } as const, { reset: 'before' } as const, {
              refuse: 429,
              description: 'Too Many Requests: retry after 2',
              parameters: { retry_after: 2 },
            }),
          )
        else if (what < 0.2) server.fail('editMessageText', { reset: 'after' })
        else if (what < 0.35) ledger.next(pick<LedgerFault>('lost', 'dropped', 'busy', 'refused', { held: setTimeout(150) }))
        // Every lease in hand is over at once, as if everybody had stood still.
        else if (what < 0.38) await later(pick(20_000, 70_000))
        else if (what < 0.42)
          await asAdmin(
            `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'dale' and random() < 0.3`,
            [name],
          )
        else await later(1_000)
      }
    })()

    const person = async (place: number): Promise<void> => {
      const who = server.person(`p${place}`)
      const cards = () => server.shown(who.user.id).filter(({ reply_markup: keyboard }) => keyboard !== undefined)
      for (let wish = 0; wish < wishes; wish += 1) {
        const before = cards().length
        who.says(`${pick('registrá', 'anotá', 'pedí')} ${100 * place + wish + 1} cajas`)
        for (let looks = 0; looks < 60 && cards().length <= before; looks += 1) await setTimeout(25)
        await later(4_000)
        const card = cards().at(-1)
        const code = /#([2-9A-Z]{4})/.exec(card?.text ?? '')?.[1] ?? 'A2A2'
        const labels = card?.reply_markup?.inline_keyboard.flat().map(({ text }) => text) ?? []
        const tap = (label: string) => void (labels.includes(label) && who.taps(card?.message_id ?? 0, label))
        const act = pick('yes', 'yes', 'tap', 'tap', 'double', 'code', 'no', 'both', 'talk', 'nothing')
        if (act === 'yes') who.says('sí')
        if (act === 'code') who.says(`dale #${code}`)
        if (act === 'no') who.says(`no #${code}`)
        if (act === 'talk') who.says('y cómo viene eso')
        if (act === 'tap' || act === 'double') tap('Confirmar')
        if (act === 'double') who.says('sí')
        if (act === 'both') {
          who.says(`sí #${code}`)
          who.says(`no #${code}`)
        }
      }
    }
    await Promise.all(Array.from({ length: people }, (_, place) => person(place + 1)))
    storming = false
    await weather

    // Then all heals: time goes on, and everything comes to its end.
    const undecided = async () =>
      (
        await stage.run(
          `select 1 from dale.proposal where state not in ('in_doubt') and ended_at is null or state = 'in_doubt' and ready_at is not null`,
        )
      ).length
    while (server.updates.waiting.length > 0 || (await unfinished(stage)) > 0 || (await undecided()) > 0) {
      await later(75_000)
      for (let looks = 0; looks < 8; looks += 1) await setTimeout(50)
    }

    const proposals = await stage.run(`select id, state, action, requester, sent from dale.proposal order by id`)
    expect(proposals.length).toBeGreaterThan((people * wishes) / 2)
    const decisions = await stage.run(`select proposal, person, verdict, final from dale.decision`)
    const outcomes = await stage.run(
      `select proposal, once, outcome from dale.outbox where once like 'outcome:%' and lane = 'outcome'`,
    )
    const history = await stage.run(
      `select proposal, revision, from_state, to_state from dale.history where moved order by proposal, revision`,
    )
    for (const { id, state, action, requester } of proposals) {
      const of = `${String(action)} ${String(id)} ${String(state)}`
      const effects = ledger.effects.filter(({ proposal }) => proposal === id).length
      const calls = ledger.calls.filter(({ proposal }) => proposal === id)
      const approvals = decisions.filter(
        ({ proposal, verdict, final }) => proposal === id && verdict === 'approve' && final === true,
      )
      // I1: one effect at most; what has no key is called once at most.
      expect([of, effects]).toEqual([of, Math.min(effects, 1)])
      if (action !== 'registrar') expect([of, calls.length]).toEqual([of, Math.min(calls.length, 1)])
      // I2: and only what its requester approved.
      if (calls.length > 0) expect([of, approvals.map((one) => one.person)]).toEqual([of, [requester]])
      // I4: a state says what happened.
      if (state === 'succeeded') expect([of, effects]).toEqual([of, 1])
      else if (state !== 'in_doubt') expect([of, effects]).toEqual([of, 0])
      // In doubt stays only what has no key, or was refused when it was called again: a person finds out.
      else expect([of, calls.length === 1 ? 'anotar' : 'registrar']).toEqual([of, action])
      // I6: an end, and a doubt, is told by one message, which arrived.
      expect([
        of,
        outcomes
          .filter(({ once }) => String(once).startsWith(`outcome:${String(id)}:${String(state)}:`))
          .map(({ outcome }) => outcome),
      ]).toEqual([of, ['accepted']])
      // I9: its life is a legal path, one revision after the other.
      const path = history.filter(({ proposal }) => proposal === id)
      expect([of, path.map(({ revision }) => revision)]).toEqual([of, path.map((_, step) => step + 1)])
      for (const [step, { from_state: from, to_state: to }] of path.entries()) {
        expect(from ?? undefined).toBe(step === 0 ? undefined : path[step - 1]?.to_state)
        if (step > 0) expect(legalMoves).toContainEqual([from, to])
      }
      // I11: at most one decision is final.
      expect(decisions.filter(({ proposal, final }) => proposal === id && final === true).length).toBeLessThanOrEqual(1)
    }
    // I5: nothing was acknowledged and forgotten.
    expect(await stage.run('select 1 from dale.inbox where handled_at is null or (to_agent and turn is null)')).toEqual([])
    expect(await stage.run(`select 1 from dale.inbox where road = 'broken'`)).toEqual([])
  })
})
