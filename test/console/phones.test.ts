import { fileURLToPath } from 'node:url'
import { serve } from '@hono/node-server'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { simulatorChannel } from '../../src/channels/simulator/channel.ts'
import { phonesRoutes } from '../../src/console/phones/routes.ts'
import type { Card } from '../../src/core/card.ts'
import type { Normalized } from '../../src/core/inbound.ts'
import { openTexts } from '../../src/texts/open-texts.ts'
import { aCard } from '../contracts/channel.ts'

const texts = await openTexts({
  localesDir: fileURLToPath(new URL('../../locales', import.meta.url)),
  locales: ['es', 'en'],
  fallback: 'en',
})

const ana = { account: 'shop', chat: 'ana' }
const marta = { account: 'shop', chat: 'marta' }
const tampering = '<img src=x onerror="document.title=1"><script>document.title=1</script> & \u202eedoc'

/** A shop with Ana's and Marta's phones; `received` is what the gateway got. */
async function aShop() {
  const channel = simulatorChannel({
    account: 'shop',
    clock: { now: async () => Date.UTC(2026, 10, 30, 13, 24) },
    names: { ana: 'Ana', marta: 'Marta' },
  })
  const received: Normalized[] = []
  let wake = () => {}
  await channel.start(async (events) => {
    received.push(...events)
    wake()
  })
  const until = async (kind: Normalized['kind']) => {
    for (;;) {
      const found = received.find((event) => event.kind === kind)
      if (found) return found
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  const app = phonesRoutes({
    channels: [channel],
    chats: [
      { title: 'Almacén Sol', chat: 'ana', person: 'ana', role: 'customer', locale: 'es' },
      { title: 'Dale', chat: 'marta', person: 'marta', role: 'operator', locale: 'en' },
    ],
    texts,
  })
  return { channel, received, until, app }
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  new Request(`http://localhost:3000${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'http://localhost:3000', ...headers },
    body: JSON.stringify(body),
  })

/** Reads server-sent events until `count` of them came. */
async function hear(answer: Response, count: number) {
  const reader = (answer.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (text.split('\n\n').length <= count) text += (await reader.read()).value ?? ''
  await reader.cancel()
  return text
    .split('\n\n')
    .slice(0, count)
    .map((told) =>
      Object.fromEntries(told.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])),
    )
}

describe('the routes of the phones', () => {
  it.each([
    ['from another page', post('/say', { phone: 0, text: 'sí' }, { origin: 'https://evil.example' }), 403],
    ['without an origin', new Request('http://localhost:3000/say', { method: 'POST', body: '{}' }), 403],
    [
      'under another name (DNS rebinding)',
      new Request('http://evil.example/say', { method: 'POST', headers: { origin: 'http://evil.example' } }),
      421,
    ],
    ['with a field more', post('/say', { phone: 0, text: 'sí', person: 'marta' }), 400],
    ['as a form', post('/say', { phone: 0, text: 'sí' }, { 'content-type': 'text/plain' }), 400],
    ['with nothing to say', post('/say', { phone: 0, text: '  ' }), 400],
    ['from a phone that is not there', post('/say', { phone: 2, text: 'sí' }), 404],
    ['with a control that is not there', post('/press', { phone: 0, message: 'ana/1', label: 'Confirmar' }), 409],
    ['with GET', new Request('http://localhost:3000/say?phone=0&text=si'), 404],
  ])('take nothing that comes %s', async (_how, request, status) => {
    const { app, received } = await aShop()
    expect((await app.request(request)).status).toBe(status)
    expect(received).toEqual([])
  })

  it('let a person say something in their own chat, as themselves', async () => {
    const { app, received } = await aShop()
    expect((await app.request(post('/say', { phone: 1, text: 'hola' }))).status).toBe(204)
    expect(received).toMatchObject([
      { kind: 'message', conversation: marta, sender: { id: 'sim:marta' }, body: { kind: 'text', text: 'hola' } },
    ])
  })

  it('tell a page first what stands, and after a lost connection only what it missed', async () => {
    const { app, channel } = await aShop()
    await channel.says('ana', 'ana', 'uno')
    const [first] = await hear(await app.request('http://localhost:3000/events'), 1)
    expect(first?.event).toBe('snapshot')
    expect(JSON.parse(first?.data ?? '')).toMatchObject({ phones: [[{ side: 'mine', text: 'uno' }], []] })
    await channel.says('ana', 'ana', 'dos')
    await channel.says('marta', 'marta', 'tres')
    const missed = await hear(
      await app.request('http://localhost:3000/events', { headers: { 'last-event-id': first?.id ?? '' } }),
      2,
    )
    expect(missed.map(({ event, data }) => [event, JSON.parse(data ?? '').phone, JSON.parse(data ?? '').bubble.text])).toEqual([
      ['message', 0, 'dos'],
      ['message', 1, 'tres'],
    ])
    const [foreign] = await hear(
      await app.request('http://localhost:3000/events', { headers: { 'last-event-id': 'another-9' } }),
      1,
    )
    expect(foreign?.event).toBe('snapshot')
  })

  it('never send a control’s payload to a page', async () => {
    const { app, channel } = await aShop()
    const card = aCard()
    await channel.send(ana, { kind: 'card', card })
    const [first] = await hear(await app.request('http://localhost:3000/events'), 1)
    expect(first?.data).toContain('Confirmar')
    for (const { payload } of card.controls) expect(first?.data).not.toContain(payload)
  })
})

describe('the page with the phones', () => {
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    const args =
      '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
      args: args.split(' '),
    })
    page = await browser.newPage()
  })
  afterAll(async () => await browser?.close())

  /** Opens the page; at the end nothing may have gone wrong in it, the content security policy included. */
  async function onThePage(
    viewport: { width: number; height: number },
    walk: (shop: Awaited<ReturnType<typeof aShop>>) => Promise<void>,
  ) {
    const shop = await aShop()
    const listening = Promise.withResolvers<number>()
    const server = serve({ fetch: shop.app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => listening.resolve(port))
    const wrong: string[] = []
    page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()))
    page.on('pageerror', (error) => wrong.push(error.message))
    try {
      await page.setViewportSize(viewport)
      await page.goto(`http://127.0.0.1:${await listening.promise}/`)
      await page.getByText(texts.say('es', 'phones.online')).waitFor()
      await walk(shop)
      expect(wrong).toEqual([])
    } finally {
      page.removeAllListeners()
      await page.goto('about:blank')
      await new Promise((resolve) => {
        server.close(resolve)
        if ('closeAllConnections' in server) server.closeAllConnections()
      })
    }
  }

  const wide = { width: 1280, height: 800 }
  const narrow = { width: 390, height: 844 }

  it('shows a card on the customer’s phone alone, posts a tap, and leaves nothing to tap once it is decided', async () => {
    await onThePage(wide, async ({ channel, until }) => {
      const customer = page.locator('.phone.customer')
      const { messageIds } = await channel.send(ana, { kind: 'card', card: aCard() })
      const card = customer.getByRole('region', { name: 'Tarjeta #K7Q2' })
      await card.getByText('Plan de 3 cuotas para Ana Gómez (cliente 42)').waitFor()
      expect(await page.locator('.phone.operator .message').count()).toBe(0)

      await card.getByRole('button', { name: 'Confirmar' }).click()
      const press = await until('press')
      expect(press).toMatchObject({
        kind: 'press',
        sender: { id: 'sim:ana' },
        messageId: messageIds[0],
        payload: aCard().controls[0]?.payload,
      })
      expect(await card.getByRole('button', { name: 'Cancelar' }).isDisabled()).toBe(true)

      await channel.answerPress(press.kind === 'press' ? press.pressId : '', 'Recibido.')
      await channel.edit(ana, messageIds, aCard({ settled: true }))
      await customer.getByRole('status').getByText('Recibido.').waitFor()
      await card.getByText('Confirmado por Ana.').waitFor()
      expect(await card.getByRole('button').count()).toBe(0)
    })
  })

  it('can be used with the keyboard: write, send, reply to a card', async () => {
    await onThePage(wide, async ({ channel, until }) => {
      const customer = page.locator('.phone.customer')
      const { messageIds } = await channel.send(ana, { kind: 'card', card: aCard() })
      await customer.getByRole('button', { name: 'Responder: Almacén Sol' }).press('Enter')
      await customer.getByText('Respondiendo a Almacén Sol').waitFor()
      await page.keyboard.type('sí')
      await page.keyboard.press('Enter')
      expect(await until('message')).toMatchObject({
        reply: { kind: 'message', id: messageIds[0] },
        body: { kind: 'text', text: 'sí' },
      })
      await customer.locator('.mine .quoted').getByText('Plan de 3 cuotas').waitFor()
      expect(await customer.getByRole('textbox').inputValue()).toBe('')
    })
  })

  it('shows what people and cards say as text, whatever it looks like', async () => {
    await onThePage(wide, async ({ channel }) => {
      const title = await page.title()
      const card: Card = {
        ...aCard({ monto: tampering }),
        lines: aCard({ monto: tampering }).lines.map((line) => ({ ...line, label: tampering })),
      }
      await channel.says('ana', 'ana', tampering)
      await channel.send(ana, { kind: 'card', card })
      const customer = page.locator('.phone.customer')
      await customer.locator('.message.card').waitFor()
      expect(await customer.locator('.mine .text').textContent()).toBe(tampering)
      expect(await customer.locator('.field .value').last().textContent()).toBe(tampering)
      expect(await customer.locator('.log img, .log script').count()).toBe(0)
      expect(await page.title()).toBe(title)
      expect(await page.evaluate("getComputedStyle(document.querySelector('.mine .text')).unicodeBidi")).toBe('isolate')
    })
  })

  it('shows that somebody writes, until they have', async () => {
    await onThePage(wide, async ({ channel }) => {
      await channel.typing?.(ana)
      await page.getByText('escribiendo…').waitFor()
      await channel.send(ana, { kind: 'text', text: 'Hola' })
      await page.locator('.phone.customer .presence').getByText('en línea').waitFor()
      expect(await page.locator('.typing').count()).toBe(0)
    })
  })

  it('shows one chat at a time on a narrow screen, says where something came, and scrolls only inside the chat', async () => {
    await onThePage(narrow, async ({ channel }) => {
      const [customer, operator] = [page.locator('.phone.customer'), page.locator('.phone.operator')]
      expect([await customer.isVisible(), await operator.isVisible()]).toEqual([true, false])
      await channel.send(marta, { kind: 'text', text: 'palabra '.repeat(500) })
      const other = page.getByRole('button', { name: 'Operator new messages' })
      await other.click()
      expect([await customer.isVisible(), await operator.isVisible()]).toEqual([false, true])
      await page.getByRole('button', { name: 'Operator', exact: true }).waitFor()
      const overflow = await page.evaluate(
        '[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]',
      )
      expect(overflow).toEqual([0, 0])
    })
  })
})
