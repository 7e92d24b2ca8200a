/**
 * Takes docs/images/two-phones.png anew: the demo's own page, in a real browser, with what people would type.
 * `node --conditions=dale-source scripts/take-picture.ts [locale]`; CHROMIUM_PATH names the browser where it is not /usr/bin/chromium.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { demoIn } from '../src/demo/config.ts'
import { openDemo } from '../src/demo/open.ts'
import { isDemoLocale } from '../src/demo/words.ts'

const asked = {
  es: ['sacale los intereses al cliente 7', 'abrí un plan de 3 cuotas para el cliente 42'],
  'pt-BR': ['tira os juros do cliente 7', 'abre um plano de 3 parcelas para o cliente 42'],
  en: ['waive the interest of customer 7', 'open a plan of 3 instalments for customer 42'],
} as const

const locale = process.argv[2] ?? 'en'
if (!isDemoLocale(locale)) throw new Error(`The demo does not speak ${locale}.`)
const file = join(import.meta.dirname, '..', 'docs', 'images', 'two-phones.png')

await using demo = await openDemo(demoIn(locale), { DALE_SECRET_KEY: randomBytes(32).toString('hex'), LOG_LEVEL: 'error' })
await using phones = await demo.phones(0)
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox'], // In a container, as root, Chromium does not start with it; the page is our own.
})
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.5, colorScheme: 'light' })
  await page.goto(phones.url)
  const phone = (at: number) => page.locator(`[data-phone="${at}"]`)
  for (const [at, text] of asked[locale].entries()) {
    await phone(0).locator('textarea').fill(text)
    await phone(0).locator('textarea').press('Enter')
    // The waiver's card comes to the supervisor, the plan's to the customer.
    await phone(1 - at)
      .locator('.card button')
      .first()
      .waitFor()
  }
  await page.evaluate('document.activeElement.blur()')
  await page.screenshot({ path: file })
} finally {
  await browser.close()
}
console.log(file)
