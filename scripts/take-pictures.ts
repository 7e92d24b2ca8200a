/**
 * Takes docs/images anew: the demo's own page, in a real browser, with what people would type, in three languages.
 * `node --conditions=dale-source scripts/take-pictures.ts [NAME…]` takes all, or those that are named; CHROMIUM_PATH names the browser where it is not /usr/bin/chromium.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { demoIn } from '../src/demo/config.ts'
import { type Example, loadExample } from '../src/demo/example.ts'
import { openDemo } from '../src/demo/open.ts'

/** What is done on the page before the picture: a line on a phone, or a tap on the newest control with that label. */
type Gesture = { readonly phone: number; readonly says: string } | { readonly phone: number; readonly taps: string }

interface Picture {
  readonly file: string
  readonly demo: Example
  readonly gestures: readonly Gesture[]
  /** Over how many phones the page is wide; they stand side by side. */
  readonly phones?: number
  /** How large it comes out, in CSS pixels of one; docs show them small. */
  readonly scale?: number
}

const says = (phone: number, text: string): Gesture => ({ phone, says: text })
const taps = (phone: number, label: string): Gesture => ({ phone, taps: label })

const asked = {
  es: {
    plan: 'abrí un plan de 3 cuotas para el cliente 42',
    waiver: 'sacale los intereses al cliente 7',
    writeOff: 'condoná 20.000 al cliente 42',
  },
  'pt-BR': {
    plan: 'abre um plano de 3 parcelas para o cliente 42',
    waiver: 'tira os juros do cliente 7',
    writeOff: 'perdoa 20.000 do cliente 42',
  },
  en: {
    plan: 'open a plan of 3 instalments for customer 42',
    waiver: 'waive the interest of customer 7',
    writeOff: 'write off 20,000 of customer 42',
  },
} as const

const pictures: readonly Picture[] = [
  {
    file: 'two-phones',
    demo: demoIn('en'),
    gestures: [says(0, asked.en.waiver), says(0, asked.en.plan)],
    scale: 1.5,
  },
  ...(['es', 'pt-BR', 'en'] as const).flatMap((locale): readonly Picture[] => {
    const { plan, waiver, writeOff } = asked[locale]
    return [
      { file: `card-normal-${locale}`, demo: demoIn(locale), gestures: [says(0, waiver), says(0, plan)] },
      { file: `card-high-${locale}`, demo: demoIn(locale), gestures: [says(0, writeOff)] },
    ]
  }),
  {
    file: 'example-cobranzas',
    demo: await loadExample('cobranzas'),
    gestures: [says(0, '¿lo puedo pagar en 3 cuotas?'), says(0, 'condoname 20.000 por favor'), taps(1, 'Confirmar')],
    phones: 2,
  },
  {
    file: 'example-pedidos',
    demo: await loadExample('pedidos'),
    gestures: [
      says(0, 'quero reembolso de 40 do pedido 1042 porque veio riscado'),
      says(0, 'cancela o pedido 1044 porque comprei errado'),
    ],
    phones: 2,
  },
]

/** Gradients and patterns make half of a picture's bytes, and say nothing. */
const plain = `body { background: #eeebe2 !important } .case { background: #141618 !important } .screen, .log { background: #ebe6df !important }
  .case, .bubble { box-shadow: none !important } * { transition: none !important; animation: none !important; scroll-behavior: auto !important }
  .stage { gap: 1.5rem !important; padding: 0.7rem !important; flex-wrap: nowrap !important }`

const names = process.argv.slice(2)
const unknown = names.filter((name) => !pictures.some(({ file }) => file === name))
if (unknown.length > 0)
  throw new Error(`There is no picture ${unknown.join(', ')}; there are ${pictures.map(({ file }) => file).join(', ')}.`)

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox'], // In a container, as root, Chromium does not start with it; the page is our own.
})
try {
  for (const picture of pictures) if (names.length === 0 || names.includes(picture.file)) console.log(await take(picture))
} finally {
  await browser.close()
}

async function take({ file, demo: example, gestures, phones = example.phones.length, scale = 1 }: Picture): Promise<string> {
  const shown = { ...example, phones: example.phones.slice(0, phones) }
  await using demo = await openDemo(shown, { DALE_SECRET_KEY: randomBytes(32).toString('hex'), LOG_LEVEL: 'error' })
  await using served = await demo.phones(0)
  const page = await browser.newPage({
    viewport: { width: 420 * phones, height: 894 },
    deviceScaleFactor: scale,
    colorScheme: 'light',
    bypassCSP: true,
  })
  try {
    await page.goto(served.url)
    await page.addStyleTag({ content: plain })
    for (const gesture of gestures) {
      const done = page.waitForResponse((response) => response.request().method() === 'POST')
      await perform(page, gesture)
      await done
      await demo.quiet()
      // What is settled has yet to come to the page.
      await page.waitForTimeout(300)
    }
    await page.evaluate(
      'document.activeElement.blur(); for (const log of document.querySelectorAll(".log")) log.scrollTop = log.scrollHeight',
    )
    const path = join(import.meta.dirname, '..', 'docs', 'images', `${file}.png`)
    await page.locator('.stage').screenshot({ path })
    return path
  } finally {
    await page.close()
  }
}

async function perform(page: Page, gesture: Gesture): Promise<void> {
  const phone = page.locator(`[data-phone="${gesture.phone}"]`)
  if ('says' in gesture) {
    await phone.locator('textarea').fill(gesture.says)
    await phone.locator('textarea').press('Enter')
    return
  }
  await phone.locator('.control', { hasText: gesture.taps }).first().waitFor()
  // A tap sooner than anybody can read does not count.
  await page.waitForTimeout(2_500)
  await phone.locator('.control', { hasText: gesture.taps }).first().click()
}
