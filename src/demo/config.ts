import { scriptedAgent } from '../agents/scripted.ts'
import { type Checked, checkConfig } from '../config/check-config.ts'
import type { Variables } from '../config/environment.ts'
import { showValue } from '../core/show-value.ts'
import { demoActions } from './actions.ts'
import { Ledger } from './ledger.ts'
import { type DemoLocale, demoWords } from './words.ts'

/** Who is on the two phones. */
export const demoChats = { customer: 'ana', supervisor: 'beto' } as const

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
  hello: { es: ['hola', 'buenas', 'buen día'], 'pt-BR': ['olá', 'oi', 'bom dia'], en: ['hello', 'hi', 'good morning'] },
} as const

/** The demo's configuration: a shop that collects debts, a scripted agent, and a ledger that counts what really happened. */
export function demoConfig(locale: DemoLocale, variables: Variables): Checked & { readonly ledger: Ledger } {
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
      { when: wordings.hello[locale], match: 'start', say: words.hello },
    ],
    { otherwise: words.help },
  )
  const checked = checkConfig(
    {
      locales: { default: locale },
      accounts: { demo: { channel: 'simulator', locale } },
      agent,
      actions: demoActions(ledger, words),
      policies: [
        { action: 'waive_interest', then: 'confirm', reason: { code: 'CUSTOM_POLICY_REQUIREMENT', message: words.waiverReason } },
      ],
      people: [{ id: demoChats.supervisor, name: 'Beto', roles: ['supervisor'], identities: [`sim:${demoChats.supervisor}`] }],
      roleChats: { supervisor: { account: 'demo', chat: demoChats.supervisor } },
    },
    variables,
    process.cwd(),
  )
  return { ...checked, ledger }
}
