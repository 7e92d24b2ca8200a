/** What the demo's agent and actions say in one language. Real ones would take these from their own texts. */
export interface DemoWords {
  readonly customer: string
  readonly instalments: string
  readonly total: string
  readonly each: string
  readonly last: string
  readonly interest: string
  readonly plan: (instalments: number, name: string, id: string) => string
  readonly waiver: (name: string, id: string) => string
  readonly alsoMail: (name: string) => string
  readonly debt: (name: string, amount: string) => string
  readonly unknownCustomer: (id: string) => string
  readonly opened: (number: string) => string
  readonly waived: string
  readonly writeOff: (name: string, id: string) => string
  readonly amount: string
  readonly left: string
  readonly tooMuch: (name: string) => string
  readonly writtenOff: string
  readonly hello: string
  readonly help: string
  readonly waiverReason: string
  /** What to write first. */
  readonly try: string
}

export type DemoLocale = 'es' | 'pt-BR' | 'en'

/** The shop's languages, by locale. */
export const demoWords: Readonly<Record<DemoLocale, DemoWords>> = {
  es: {
    customer: 'Cliente',
    instalments: 'Cuotas',
    total: 'Monto',
    each: 'Valor de cada cuota',
    last: 'Última cuota',
    interest: 'Intereses a quitar',
    plan: (instalments, name, id) => `Abrir un plan de ${instalments} cuotas para ${name} (cliente ${id})`,
    waiver: (name, id) => `Quitar los intereses de ${name} (cliente ${id})`,
    alsoMail: (name) => `mandarle el plan por correo a ${name}`,
    debt: (name, amount) => `${name} debe ${amount}. Preparé el plan; mirá los datos antes de confirmar.`,
    unknownCustomer: (id) => `No hay ningún cliente ${id}. En esta demo existen el 42 y el 7.`,
    opened: (number) => `Plan ${number} abierto.`,
    waived: 'Intereses quitados.',
    writeOff: (name, id) => `Condonar deuda de ${name} (cliente ${id})`,
    amount: 'Monto a condonar',
    left: 'Queda debiendo',
    tooMuch: (name) => `${name} debe menos que eso.`,
    writtenOff: 'Deuda condonada.',
    hello:
      '¡Hola! Soy el agente de la demo. Probá: «abrí un plan de 3 cuotas para el cliente 42», o «sacale los intereses al cliente 7».',
    help: 'Entendido. Decime cómo lo querés y lo preparo: por ejemplo «abrí un plan de 6 cuotas para el cliente 42».',
    waiverReason: 'Quitar intereses lo aprueba un supervisor.',
    try: 'abrí un plan de 3 cuotas para el cliente 42',
  },
  'pt-BR': {
    customer: 'Cliente',
    instalments: 'Parcelas',
    total: 'Valor',
    each: 'Valor de cada parcela',
    last: 'Última parcela',
    interest: 'Juros a retirar',
    plan: (instalments, name, id) => `Abrir um plano de ${instalments} parcelas para ${name} (cliente ${id})`,
    waiver: (name, id) => `Retirar os juros de ${name} (cliente ${id})`,
    alsoMail: (name) => `enviar o plano por e-mail a ${name}`,
    debt: (name, amount) => `${name} deve ${amount}. Preparei o plano; confira os dados antes de confirmar.`,
    unknownCustomer: (id) => `Não existe o cliente ${id}. Nesta demonstração existem o 42 e o 7.`,
    opened: (number) => `Plano ${number} aberto.`,
    waived: 'Juros retirados.',
    writeOff: (name, id) => `Perdoar dívida de ${name} (cliente ${id})`,
    amount: 'Valor a perdoar',
    left: 'Fica devendo',
    tooMuch: (name) => `${name} deve menos que isso.`,
    writtenOff: 'Dívida perdoada.',
    hello:
      'Olá! Sou o agente da demonstração. Experimente: “abre um plano de 3 parcelas para o cliente 42”, ou “tira os juros do cliente 7”.',
    help: 'Entendi. Diga como você quer e eu preparo: por exemplo “abre um plano de 6 parcelas para o cliente 42”.',
    waiverReason: 'Retirar juros precisa da aprovação de um supervisor.',
    try: 'abre um plano de 3 parcelas para o cliente 42',
  },
  en: {
    customer: 'Customer',
    instalments: 'Instalments',
    total: 'Amount',
    each: 'Each instalment',
    last: 'Last instalment',
    interest: 'Interest to waive',
    plan: (instalments, name, id) => `Open a plan of ${instalments} instalments for ${name} (customer ${id})`,
    waiver: (name, id) => `Waive the interest of ${name} (customer ${id})`,
    alsoMail: (name) => `mail the plan to ${name}`,
    debt: (name, amount) => `${name} owes ${amount}. I prepared the plan; look at it before you confirm.`,
    unknownCustomer: (id) => `There is no customer ${id}. In this demo there are 42 and 7.`,
    opened: (number) => `Plan ${number} is open.`,
    waived: 'Interest waived.',
    writeOff: (name, id) => `Write off debt of ${name} (customer ${id})`,
    amount: 'To be written off',
    left: 'Remaining debt',
    tooMuch: (name) => `${name} owes less than that.`,
    writtenOff: 'Debt written off.',
    hello:
      'Hello! I am the demo agent. Try “open a plan of 3 instalments for customer 42”, or “waive the interest of customer 7”.',
    help: 'Understood. Tell me how you want it and I will prepare it: for example “open a plan of 6 instalments for customer 42”.',
    waiverReason: 'A supervisor approves waiving interest.',
    try: 'open a plan of 3 instalments for customer 42',
  },
}

export const isDemoLocale = (locale: string): locale is DemoLocale => Object.hasOwn(demoWords, locale)
