import { scriptedAgent } from '../agents/scripted.ts'
import type { ConfigInput } from '../config/config.ts'
import { showValue } from '../core/show-value.ts'
import { demoActions } from './actions.ts'
import type { Example } from './example.ts'
import { Ledger } from './ledger.ts'
import { type DemoLocale, demoWords } from './words.ts'

const supervisor = 'beto'

const wordings = {
  plan: {
    es: [
      'abrí un plan de {instalments:number} cuotas para el cliente {customer}',
      'quiero un plan de {instalments:number} cuotas para el cliente {customer}',
    ],
    'pt-BR': [
      'abre um plano de {instalments:number} parcelas para o cliente {customer}',
      'quero um plano de {instalments:number} parcelas para o cliente {customer}',
    ],
    en: [
      'open a plan of {instalments:number} instalments for customer {customer}',
      'open a plan of {instalments:number} installments for customer {customer}',
    ],
  },
  waiver: {
    es: ['sacale los intereses al cliente {customer}', 'quitá los intereses del cliente {customer}'],
    'pt-BR': ['tira os juros do cliente {customer}', 'retira os juros do cliente {customer}'],
    en: ['waive the interest of customer {customer}'],
  },
  writeOff: {
    es: ['condoná {amount:number} al cliente {customer}', 'perdonale {amount:number} al cliente {customer}'],
    'pt-BR': ['perdoa {amount:number} do cliente {customer}'],
    en: ['write off {amount:number} of customer {customer}'],
  },
  hello: { es: ['hola', 'buenas', 'buen día'], 'pt-BR': ['olá', 'oi', 'bom dia'], en: ['hello', 'hi', 'good morning'] },
} as const

/** The demo as it is without an example: a shop that collects debts, in three languages, and its supervisor. */
export const demoIn = (locale: DemoLocale): Example => ({
  locale,
  account: 'demo',
  phones: [
    { person: 'ana', name: 'Ana', role: 'customer' },
    { person: supervisor, name: 'Beto', role: 'operator' },
  ],
  tries: [demoWords[locale].try],
  async open() {
    const { config, ledger } = demoConfig(locale)
    return { config, effects: () => ledger.effects.length, async [Symbol.asyncDispose]() {} }
  },
})

/** Its configuration: a scripted agent, and a ledger that counts what really happened. */
function demoConfig(locale: DemoLocale): { readonly config: ConfigInput; readonly ledger: Ledger } {
  const words = demoWords[locale]
  const currency = { es: 'ARS', 'pt-BR': 'BRL', en: 'USD' }[locale]
  const ledger = new Ledger([
    { id: '42', name: 'Ana Gómez', debt: '184000.00', currency },
    { id: '7', name: 'Bruno Sosa', debt: '51300.50', currency },
  ])
  const debtOf = (id: unknown): string => {
    const customer = ledger.customer(String(id))
    if (customer === undefined) return words.unknownCustomer(String(id))
    return words.debt(customer.name, showValue({ kind: 'money', amount: customer.debt, currency: customer.currency }, locale))
  }
  const agent = scriptedAgent(
    [
      {
        when: wordings.plan[locale],
        say: ({ customer }) => debtOf(customer),
        propose: {
          action: 'open_payment_plan',
          args: ({ customer, instalments }) => ({ customer: String(customer), instalments }),
        },
      },
      {
        when: wordings.waiver[locale],
        propose: { action: 'waive_interest', args: ({ customer }) => ({ customer: String(customer) }) },
      },
      {
        when: wordings.writeOff[locale],
        propose: {
          action: 'write_off',
          args: ({ customer, amount }) => ({ customer: String(customer), amount: Number(amount).toFixed(2) }),
        },
      },
      { when: wordings.hello[locale], match: 'start', say: words.hello },
    ],
    { otherwise: words.help },
  )
  return {
    ledger,
    config: {
      locales: { default: locale },
      accounts: { demo: { channel: 'simulator', locale } },
      agent,
      actions: demoActions(ledger, words),
      policies: [
        { action: 'waive_interest', then: 'confirm', reason: { code: 'CUSTOM_POLICY_REQUIREMENT', message: words.waiverReason } },
      ],
      people: [{ id: supervisor, name: 'Beto', roles: ['supervisor'], identities: [`sim:${supervisor}`] }],
      roleChats: { supervisor: { account: 'demo', chat: supervisor } },
    },
  }
}
