import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Person } from '../support/bot-api-people.ts'
import { type BotApiServer, botApiServer } from '../support/bot-api-server.ts'
import type { Message } from '../support/bot-api-world.ts'
import { aFolder, started } from '../support/command.ts'
import { botConfig, type FrontDoor, frontDoor, type Payments, payments } from '../support/telegram-bot.ts'
import { until } from '../support/until.ts'

// Each starts processes, which takes as long as the machine is busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const secret = 'a-secret_of_more_than_32_characters_0123'

describe.each(['polling', 'webhook'] as const)('dale start on a Bot API server, by %s', (mode) => {
  let open: AsyncDisposableStack
  let server: BotApiServer
  let bank: Payments
  let door: FrontDoor
  let gateway: Awaited<ReturnType<typeof started>>
  let start: () => Promise<void>

  beforeAll(async () => {
    open = new AsyncDisposableStack()
    server = open.use(await botApiServer())
    bank = open.use(await payments())
    door = open.use(await frontDoor())
    const folder = open.use(await aFolder({ 'dale.config.mts': botConfig({ mode, apiRoot: server.url }) }))
    const env = {
      TELEGRAM_BOT_TOKEN: server.token,
      PAYMENTS_URL: bank.url,
      ...(mode === 'webhook' ? { TELEGRAM_WEBHOOK_SECRET_TOKEN: secret, PUBLIC_URL: door.url } : {}),
    }
    start = async () => {
      gateway = open.use(await started(['start'], { cwd: folder.path, env }))
      door.leadsTo(gateway.url)
    }
    await start()
  })
  afterAll(() => open.disposeAsync())

  /** Everything the bot shows a person now, oldest first. */
  const sees = ({ user }: Person): readonly Message[] => server.shown(user.id)
  const labelsOf = (message: Message | undefined) => message?.reply_markup?.inline_keyboard.flat().map(({ text }) => text) ?? []
  const textsOf = (person: Person) => sees(person).map(({ text }) => text)
  const told = (person: Person, text: string) => server.until(() => textsOf(person).includes(text))
  const answersTo = (pressId: string) =>
    server.journal.flatMap((entry) => (entry.what === 'answered' && entry.pressId === pressId ? [entry.text] : []))
  /** Writes, and waits for the card until it may be decided: no person reads one before our commit of its showing. */
  const asks = async (person: Person, text: string): Promise<Message> => {
    const [before, logged] = [sees(person).length, gateway.output().length]
    person.says(text)
    await gateway.until(new RegExp(`^[\\s\\S]{${logged}}[\\s\\S]*"to":"pending"`))
    const card = sees(person)
      .slice(before)
      .find((message) => labelsOf(message).length > 0)
    if (card === undefined) throw new Error('no card stands there')
    return card
  }
  const paidOf = (amount: number) => bank.paid.filter((payment) => payment.amount === amount)

  it('shows a card for what a person asks; a tap on it is answered and runs once, the card tells it and the outcome follows', async () => {
    const ana = server.person('Ana')
    const card = await asks(ana, 'pay 5')
    expect(card.text).toMatch(/^Pay 5\n\nAmount: 5\n\n[\s\S]+Answer “yes” or “no”\. “yes #\w{4}” always names this one\.$/)
    expect(labelsOf(card)).toEqual(['Confirm', 'Cancel'])
    expect(bank.paid).toEqual([])

    const press = ana.taps(card.message_id, 'Confirm')
    await server.until(() => textsOf(ana).some((text) => text?.startsWith('Done: Pay 5')))
    await server.until(() => labelsOf(sees(ana)[0]).length === 0 && sees(ana)[0]?.text?.startsWith('✔ Done.') === true)
    expect(answersTo(press)).toEqual(['Got it, I am on it.'])
    expect(paidOf(5)).toEqual([{ amount: 5, key: expect.stringMatching(/^dale-\w{26}$/) }])
  })

  it('does nothing again for what Telegram delivers again', async () => {
    const beto = server.person('Beto')
    const card = await asks(beto, 'pay 6')
    const press = beto.taps(card.message_id, 'Confirm')
    await server.until(() => textsOf(beto).some((text) => text?.startsWith('Done: Pay 6')))
    const before = textsOf(beto)

    server.updates.again()
    beto.says('balance')
    // Events of one conversation are taken in order: what is answered now comes behind all that came again.
    await told(beto, 'Nothing is owed.')
    await until(async () => server.updates.waiting.length === 0)
    expect(textsOf(beto)).toEqual([
      ...before.map((text) => (text === card.text ? expect.stringMatching(/^✔/) : text)),
      'Nothing is owed.',
    ])
    expect(answersTo(press)).toHaveLength(1)
    expect(paidOf(6)).toHaveLength(1)
  })

  it('on SIGTERM ends the call in hand and then itself; what was written meanwhile is answered by the next one', async () => {
    const cora = server.person('Cora')
    const card = await asks(cora, 'pay 7')
    const called = bank.hold()
    cora.taps(card.message_id, 'Confirm')
    expect(await called).toBe(7)
    gateway.child.kill('SIGTERM')
    await gateway.until(/"event":"stopping"/)
    cora.says('balance')
    bank.release()
    const { code, stdout } = await gateway.ended
    expect(code).toBe(0)
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line): { readonly event: string; readonly to?: string } => JSON.parse(line))
    expect(events.at(-1)?.event).toBe('stopped')
    expect(events.find(({ to }) => to === 'succeeded')).toBeDefined()

    door.leadsTo(undefined)
    await start()
    await told(cora, 'Nothing is owed.')
    await server.until(() => textsOf(cora).some((text) => text?.startsWith('Done: Pay 7')))
    expect(textsOf(cora).filter((text) => text?.startsWith('Done: Pay 7'))).toHaveLength(1)
    expect(paidOf(7)).toHaveLength(1)
  })

  if (mode === 'webhook') {
    it('lets nobody in who does not know the secret', async () => {
      const at = server.updates.webhookUrl
      expect(at).toBe(`${door.url}/webhooks/telegram/front`)
      const dora = server.person('Dora')
      const message = { message_id: 1, date: 1, from: dora.user, chat: { id: dora.user.id, type: 'private' }, text: 'balance' }
      const knocks = async (headers: Readonly<Record<string, string>>) =>
        (await fetch(at, { method: 'POST', headers, body: JSON.stringify({ update_id: 1, message }) })).status
      const header = 'x-telegram-bot-api-secret-token'
      expect([await knocks({}), await knocks({ [header]: '' }), await knocks({ [header]: `${secret}x` })]).toEqual([
        401, 401, 401,
      ])
      dora.says('balance')
      await told(dora, 'Nothing is owed.')
      expect(sees(dora)).toHaveLength(1)
    })
  }
})
