import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { aBot, type Bot, type Checks, webhookSecret } from './bot.ts'

/** What is used of the package. */
interface Crabline {
  startTelegramServer(about: { readonly recorderPath: string }): Promise<{
    close(): Promise<void>
    readonly manifest: {
      readonly adminToken: string
      readonly botToken: string
      readonly endpoints: { readonly adminInboundUrl: string; readonly apiRoot: string }
    }
  }>
}

/** One server of it, with a person in front. */
interface Far {
  readonly apiRoot: string
  readonly token: string
  /** Injects what a person did; the server's answer. */
  does(what: object): Promise<Response>
  says(text: string): Promise<void>
  /** Calls a method of the Bot API beside the bot; its `result`, or the number of its error. */
  calls(method: string, payload?: object): Promise<unknown>
}

/**
 * What it does otherwise than Telegram: taps, edits of people and reactions are taken and never delivered, so people type here; a reply
 * cannot be made; a message in a topic comes without `is_topic_message`; every edit is taken, also of what does not stand there; a wrong
 * token is told by 404 in plain text.
 */
export async function runCrabline(folder: string, check: Checks): Promise<void> {
  const home = join(folder, 'node_modules', '@openclaw', 'crabline')
  const { main }: { readonly main: string } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const { startTelegramServer }: Crabline = await import(pathToFileURL(join(home, main)).href)
  for (const [mode, plays] of [
    ['polling', polls],
    ['webhook', delivers],
  ] as const) {
    const server = await startTelegramServer({ recorderPath: join(folder, `${mode}.jsonl`) })
    try {
      const far = farSide(server.manifest)
      await using bot = await aBot(far, mode)
      await plays(bot, far, check)
    } finally {
      await server.close()
    }
  }
}

function farSide({ adminToken, botToken, endpoints }: Awaited<ReturnType<Crabline['startTelegramServer']>>['manifest']): Far {
  const post = (url: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })
  const does = (what: object) => post(endpoints.adminInboundUrl, what, { 'x-crabline-admin-token': adminToken })
  return {
    apiRoot: endpoints.apiRoot,
    token: botToken,
    does,
    async says(text) {
      const answer = await does({ chatId: 42000001, fromId: 42000001, fromName: 'Ana', text })
      assert.equal(answer.status, 200, await answer.text())
    },
    async calls(method, payload = {}) {
      const answer = await post(`${endpoints.apiRoot}/bot${botToken}/${method}`, payload)
      const { result, error_code: code } = (await answer.json()) as { readonly result?: unknown; readonly error_code?: number }
      return code ?? result
    },
  }
}

/** Asks, is shown the card, types the word. */
async function payment(bot: Bot, far: Far, amount: number): Promise<void> {
  const card = await bot.cardFor(far.says(`pay ${amount}`), `Pay ${amount}`)
  await far.says('yes')
  await bot.showing(({ text }) => text.startsWith(`Done: Pay ${amount}`))
  const now = await bot.showing(({ id, text }) => id === card.id && text.startsWith('✔ Done.'))
  assert.deepEqual([now.buttons, bot.paid.filter((paid) => paid.amount === amount).length], [{}, 1])
}

const answers = ({ calls }: Bot): number =>
  calls.filter(({ method, payload }) => method === 'sendMessage' && payload.text === 'Nothing is owed.').length

/** What the server says of its webhook. */
const infoOf = async (far: Far) =>
  (await far.calls('getWebhookInfo')) as {
    readonly url: string
    readonly pending_update_count: number
    readonly last_error_message?: string
  }

async function polls(bot: Bot, far: Far, check: Checks): Promise<void> {
  await check('polling: a card comes, a typed yes runs it once, the card is edited, the outcome follows', () =>
    payment(bot, far, 5),
  )
  await check('polling: what was stored is confirmed by the next poll', () =>
    bot
      .until(() => bot.calls.some(({ method, payload }) => method === 'getUpdates' && payload.offset === 3))
      .then(async () => {
        assert.deepEqual(await far.calls('getWebhookInfo'), { has_custom_certificate: false, pending_update_count: 0, url: '' })
      }),
  )
  await check('polling: a second poller ends ours with 409, and ours goes on', async () => {
    const before = bot.calls.filter(({ status }) => status === 409).length
    assert.deepEqual(await far.calls('getUpdates', { timeout: 0 }), [])
    await bot.until(() => bot.calls.filter(({ status }) => status === 409).length > before)
    await far.says('balance')
    await bot.until(() => answers(bot) === 1)
  })
  await check('polling: a webhook that somebody sets ends it, and is not taken away from under them', async () => {
    // Nobody listens there: what is written meanwhile waits.
    assert.equal(await far.calls('setWebhook', { url: 'http://127.0.0.1:9/' }), true)
    await bot.until(() => bot.calls.at(-1)?.status === 409)
    await far.says('balance')
    assert.equal((await infoOf(far)).url, 'http://127.0.0.1:9/')
    assert.equal(await far.calls('deleteWebhook'), true)
    await bot.until(() => answers(bot) === 2)
  })
  await check('polling: a tap is taken by the server and never delivered', async () => {
    const from = { id: 42000001, is_bot: false, first_name: 'Ana' }
    const message = { message_id: 2, date: 1, chat: { id: 42000001, type: 'private' } }
    const { status } = await far.does({
      update_id: 90,
      callback_query: { id: '1', from, message, chat_instance: '1', data: 'x' },
    })
    await far.says('balance')
    await bot.until(() => answers(bot) === 3)
    assert.deepEqual([status, bot.calls.filter(({ method }) => method === 'answerCallbackQuery')], [200, []])
  })
}

async function delivers(bot: Bot, far: Far, check: Checks): Promise<void> {
  const hook = `${bot.door.url}/webhooks/telegram/front`
  const lastError = async (text: string) => {
    for (;;) if ((await infoOf(far)).last_error_message === text) return
  }
  await check('webhook: is registered with its address and delivers with the secret; a typed yes runs once', async () => {
    assert.equal((await infoOf(far)).url, hook)
    await payment(bot, far, 6)
    assert.deepEqual(new Set(bot.door.statuses), new Set([200]))
  })
  await check(
    'webhook: an update with another secret is refused with 401 and not read, and read once the secret is right',
    async () => {
      assert.equal(await far.calls('setWebhook', { url: hook, secret_token: `${webhookSecret}x` }), true)
      await far.says('balance')
      await lastError('Wrong response from the webhook: 401')
      assert.equal(answers(bot), 0)
      assert.equal(await far.calls('setWebhook', { url: hook, secret_token: webhookSecret }), true)
      await bot.until(() => answers(bot) === 1)
    },
  )
  await check('webhook: what could not be delivered is delivered again and answered once', async () => {
    bot.door.leadsTo(undefined)
    await far.says('balance')
    await lastError('Wrong response from the webhook: 502')
    bot.door.leadsTo(bot.gatewayUrl)
    await bot.until(() => answers(bot) === 2)
    await bot.cardFor(far.says('pay 7'), 'Pay 7')
    assert.deepEqual([answers(bot), (await infoOf(far)).pending_update_count], [2, 0])
  })
}
