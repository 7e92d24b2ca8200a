import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { scriptedAgent } from '../../../src/agents/scripted.ts'
import { normalizeWebhook } from '../../../src/channels/whatsapp-cloud/normalize.ts'
import { render } from '../../../src/channels/whatsapp-cloud/render.ts'
import { isSigned } from '../../../src/channels/whatsapp-cloud/webhook.ts'
import type { Agent } from '../../../src/ports/agent.ts'
import { aCard } from '../../contracts/channel.ts'
import type { User } from '../../support/graph-world.ts'
import { aCloudHouse, type CloudHouse, type CloudPhone } from '../../support/house-cloud.ts'
import { until } from '../../support/until.ts'

interface Case {
  readonly id: string
  readonly input: {
    readonly object?: string
    readonly sequence?: readonly object[]
    readonly rawBody?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly render?: { readonly labels: readonly string[] }
    readonly apiFailure?: { readonly httpStatus: number; readonly error: { readonly code: number; readonly message: string } }
  }
  readonly context: { readonly appSecret?: string }
  readonly expected: { readonly verified?: boolean }
}
const cases: readonly Case[] = JSON.parse(
  readFileSync(new URL('../../fixtures/cases/whatsapp-cloud.json', import.meta.url), 'utf8'),
)
const caseOf = (id: string): Case => {
  const found = cases.find((known) => known.id === id)
  if (found === undefined) throw new Error(`there is no case ${id}`)
  return found
}

const number = { account: 'demo', phoneNumberId: '106540000000001' }
const chat = (name: string) => ({
  conversation: { account: 'demo', chat: name },
  peer: expect.objectContaining({ id: `wa:${name}` }),
})
const ana = { ...chat('5491155550101'), sender: { id: 'wa:5491155550101', also: [], name: 'Ana' } }
const text = (said: string) => ({ kind: 'text', text: said })
const other = (form: string, said?: string) => ({ kind: 'other', form, ...(said === undefined ? {} : { text: said }) })
const card = { kind: 'message', id: 'wamid.HBgPROMPT9001' }

/** What each case with a webhook says of it before anything is decided. Whether it then decides is the gateway's to judge. */
const read: Readonly<Record<string, readonly object[]>> = {
  'CL-001': [{ kind: 'message', ...ana, body: text('Sí'), reply: { kind: 'none' } }],
  'CL-002': [
    { kind: 'message', ...ana, providerId: 'wamid.HBgTEST0001', body: text('sí') },
    { kind: 'message', ...ana, providerId: 'wamid.HBgTEST0001', body: text('sí') },
  ],
  'CL-005': [{ kind: 'message', ...ana, body: text('agendá 3 cajas para mañana') }],
  'CL-006': [
    { kind: 'message', ...ana, body: text('hola'), moment: { atMs: 1_795_986_600_000 } },
    { kind: 'message', ...ana, body: text('sí'), moment: { atMs: 1_795_986_601_000 } },
  ],
  'CL-015': [{ kind: 'press', ...ana, payload: 'g:a:p_7Q2M', messageId: 'wamid.HBgPROMPT9001' }],
  'CL-018': [{ kind: 'message', ...ana, body: text('g:a:p_7Q2M') }],
  'CL-019': [{ kind: 'press', ...ana, payload: 'g:a:p_7Q2M', messageId: 'wamid.HBgPROMPT9001' }],
  'CL-020': [{ kind: 'message', ...ana, body: other('media', 'Sí') }],
  'CL-021': [{ kind: 'press', ...ana, payload: 'g:r:p_7Q2M' }],
  'CL-024': [{ kind: 'message', ...ana, body: other('forwarded', 'sí') }],
  'CL-026': [{ kind: 'message', ...ana, body: text('sí'), reply: { kind: 'message', id: 'wamid.HBgPROMPT9002' } }],
  'CL-027': [{ kind: 'message', ...ana, body: other('reaction', '👍'), reply: card }],
  'CL-029': [{ kind: 'ignored', reason: 'unsupported' }],
  'CL-030': [
    {
      kind: 'message',
      ...ana,
      body: { ...other('voice'), media: { kind: 'audio', ref: '1000000001', mimeType: 'audio/ogg; codecs=opus' } },
    },
  ],
  'CL-032': [
    { kind: 'report', ...chat('5491155550101'), messageId: 'wamid.HBgOUT0001', status: 'failed', code: 'window_closed' },
  ],
  'CL-035': [{ kind: 'report', ...chat('5491155550101'), messageId: 'wamid.HBgOUT0001', status: 'delivered' }],
  'CL-037': [{ kind: 'message', ...chat('5215555550103'), body: text('sí') }],
  'CL-039': [{ kind: 'message', ...chat('551187650001'), body: text('sim') }],
  'CL-042': [{ kind: 'message', ...chat('AR.10000000000000000042'), body: text('sí') }],
  'CL-046': [{ kind: 'readdressed', ...chat('5491155550101'), from: 'wa:5491155550101', to: 'wa:5491155550199' }],
  'CL-048': [{ kind: 'said', ...chat('5491155550101'), by: 'owner' }],
  'CL-050': [
    { kind: 'ignored', reason: 'account_update' },
    { kind: 'message', ...ana, body: text('sí') },
  ],
}

const webhooksOf = ({ input }: Case): readonly object[] => input.sequence ?? (input.object === undefined ? [] : [input])

describe('what a case brings in', () => {
  it.each(Object.entries(read))('%s', (id, events) => {
    const seen = webhooksOf(caseOf(id)).flatMap((webhook) => normalizeWebhook(webhook, number))
    expect(seen).toHaveLength(events.length)
    expect(seen).toEqual(events.map((event) => expect.objectContaining(event)))
  })

  it('is written down for every case that brings in anything', () => {
    expect(cases.filter((one) => webhooksOf(one).length > 0).map(({ id }) => id)).toEqual(Object.keys(read))
  })
})

it.each(['CL-009', 'CL-012', 'CL-014'])(
  '%s: a signature is over the bytes as they came, by SHA-256, and has to be there',
  (id) => {
    const { input, context, expected } = caseOf(id)
    const signature = input.headers?.['x-hub-signature-256'] ?? ''
    expect(isSigned(Buffer.from(input.rawBody ?? ''), signature, [context.appSecret ?? ''])).toBe(expected.verified)
  },
)

it('CL-022: labels are cut to twenty characters, and differ', () => {
  const labels = caseOf('CL-022').input.render?.labels ?? []
  const controls = labels.map((label, index) => ({ label, payload: `p${index}`, style: 'plain' as const }))
  const rendering = render({ kind: 'card', card: { ...aCard(), controls } })
  const [content] = rendering.kind === 'parts' ? rendering.parts : []
  const titles = content?.type === 'interactive' ? content.interactive.action.buttons.map(({ reply }) => reply.title) : []
  expect(titles).toEqual(['Confirmar y enviar…', 'Cancelar'])
})

describe('what comes of a case', () => {
  let test: CloudHouse
  let phone: CloudPhone
  afterEach(() => test[Symbol.asyncDispose]())

  /** Ana, as the cases know her, in front of a card. */
  const ask = async (user: Partial<User> = {}, settings: Parameters<typeof aCloudHouse>[0] = {}) => {
    test = await aCloudHouse(settings)
    phone = test.phone('Ana', { userId: undefined, waId: '5491155550101', ...user })
    await phone.says('registrá 3 cajas')
    await test.read()
  }
  /** The webhooks of a case, as they would come here and now, about the cards that stand here. */
  const plays = async (id: string, changes: Readonly<Record<string, string>> = {}) => {
    const cards = test.server.shown(phone.person.chat).filter(({ buttons }) => buttons.length > 0)
    const [approve, reject] = cards[0]?.buttons ?? []
    const now = test.nowS()
    const words: Readonly<Record<string, string>> = {
      '106540000000001': test.server.phoneNumberId,
      '5491155559999': test.server.displayNumber,
      '1795986600': String(now),
      '1795986601': String(now + 1),
      'wamid.HBgPROMPT9001': cards[0]?.id ?? '',
      'wamid.HBgPROMPT9002': cards[1]?.id ?? '',
      'g:a:p_7Q2M': approve?.id ?? '',
      'g:r:p_7Q2M': reject?.id ?? '',
      ...changes,
    }
    for (const webhook of webhooksOf(caseOf(id))) {
      const body = Object.entries(words).reduce((json, [from, to]) => json.replaceAll(from, to), JSON.stringify(webhook))
      await test.delivers(JSON.parse(body) as object)
    }
  }
  const states = async () => (await test.proposals()).map(({ state }) => state.name)
  const effects = () => test.ledger.effects.length
  const turns = () => test.turns.length

  it.each(['CL-001', 'CL-015', 'CL-019', 'CL-050'])('%s decides, and is done once', async (id) => {
    await ask()
    await plays(id)
    expect([await states(), effects()]).toEqual([['succeeded'], 1])
  })

  it('CL-002: the same webhook twice is one decision', async () => {
    await ask()
    await plays('CL-002')
    expect([await states(), effects(), turns()]).toEqual([['succeeded'], 1, 1])
    expect(test.server.webhooks.waiting).toBe(0)
  })

  it('CL-005: it is acknowledged before the agent has answered, and comes to one turn however often it comes', async () => {
    const answering = Promise.withResolvers<void>()
    const slow: Agent = {
      async *run(turn, signal) {
        await answering.promise
        yield* scriptedAgent([], { otherwise: 'Entendido.' }).run(turn, signal)
      },
    }
    test = await aCloudHouse({ agent: slow })
    phone = test.phone('Ana', { userId: undefined, waId: '5491155550101' })
    phone.person.begins()
    test.server.webhooks.together(() => phone.person.says('agendá 3 cajas para mañana'))
    await until(() => test.server.webhooks.waiting === 0 && turns() === 1)
    test.server.webhooks.again()
    await until(() => test.server.webhooks.waiting === 0)
    answering.resolve()
    await test.quiet()
    expect([turns(), phone.sees().map((seen) => seen.text)]).toEqual([1, ['Entendido.']])
  })

  it('CL-006: both messages are handled, in order: the first goes to the agent, so the second shows the card again', async () => {
    await ask()
    await plays('CL-006')
    expect([await states(), effects(), test.turns.at(-1)?.messages.map((message) => message.text)]).toEqual([
      ['pending'],
      0,
      ['hola'],
    ])
    expect(phone.sees().filter(({ kind }) => kind === 'card').length).toBeGreaterThan(1)
  })

  it.each(['CL-018', 'CL-020', 'CL-024', 'CL-030'])('%s decides nothing and goes to the agent', async (id) => {
    await ask()
    await plays(id)
    expect([await states(), effects(), turns()]).toEqual([['pending'], 0, 2])
  })

  it.each(['CL-027', 'CL-029'])('%s decides nothing, and the agent does not hear of it', async (id) => {
    await ask()
    await plays(id)
    expect([await states(), effects(), turns()]).toEqual([['pending'], 0, 1])
  })

  it('CL-021: a row of a list is a button', async () => {
    await ask()
    await plays('CL-021')
    expect([await states(), effects()]).toEqual([['rejected'], 0])
  })

  it('CL-026: a reply names its card', async () => {
    await ask()
    await phone.says('registrá 2 cajas')
    await test.read()
    const cards = test.server.shown(phone.person.chat).filter(({ buttons }) => buttons.length > 0)
    const second = cards.findLast(({ body }) => body.includes('Cajas: 2'))
    await plays('CL-026', { 'wamid.HBgPROMPT9002': second?.id ?? '' })
    expect(await states()).toEqual(['pending', 'succeeded'])
  })

  it('CL-032: an outcome that failed outside the window waits for the person to write; nothing is done twice, and it is logged', async () => {
    await ask({}, { trouble: true })
    await phone.says('dale')
    const outcome = test.server.shown(phone.person.chat).at(-1)
    expect(outcome?.body).toContain('Hecho')
    const told = phone.sees().length
    // The phone was off when the window closed: what was reported is that it failed.
    await test.stage.run(`delete from dale.report`)
    await plays('CL-032', { 'wamid.HBgOUT0001': outcome?.id ?? '' })
    expect(phone.sees()).toHaveLength(told)
    await phone.says('¿y?')
    expect(
      phone
        .sees()
        .slice(told)
        .some((seen) => seen.text.includes('Hecho')),
    ).toBe(true)
    expect([await states(), effects()]).toEqual([['succeeded'], 1])
    expect(test.logged.filter(({ level }) => level !== 'info').map(({ event }) => event)).not.toEqual([])
  })

  it('CL-035: a status of a message whose id is not known yet is no error', async () => {
    await ask()
    await plays('CL-035')
    expect([test.server.webhooks.waiting, await states()]).toEqual([0, ['pending']])
    expect(test.logged.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('CL-036: a pair limit holds up the telling, and not what was done', async () => {
    await ask()
    const told = phone.sees().length
    const { apiFailure } = caseOf('CL-036').input
    test.server.fail({ refuse: apiFailure?.httpStatus ?? 0, code: apiFailure?.error.code ?? 0 })
    await phone.says('dale', { atOnce: true })
    expect([await states(), effects(), phone.sees().length]).toEqual([['succeeded'], 1, told])
    // Every message has six seconds to itself from here on.
    for (let message = 0; message < 3; message += 1) {
      await test.later(7000)
      await test.quiet()
    }
    expect([
      effects(),
      phone
        .sees()
        .slice(told)
        .map((seen) => seen.text),
    ]).toEqual([1, [expect.stringContaining('Recibido'), expect.stringContaining('Hecho')]])
  })

  it('CL-042: somebody without a number is a person like any other', async () => {
    await ask({ userId: 'AR.10000000000000000042', waId: undefined })
    await plays('CL-042')
    expect([await states(), effects()]).toEqual([['succeeded'], 1])
  })

  it('CL-045: what is for a business-scoped id goes into its own field', async () => {
    await ask({ userId: 'AR.10000000000000000042', waId: undefined })
    const sent = test.server.calls.filter(({ method }) => method === 'POST').map(({ payload }) => payload)
    expect(sent.length).toBeGreaterThan(0)
    for (const { to, recipient } of sent) expect([to, recipient]).toEqual([undefined, 'AR.10000000000000000042'])
  })

  it('CL-046: a change of number decides nothing, and neither number decides what the old one was asked', async () => {
    await ask()
    await plays('CL-046')
    await plays('CL-001', { 'wamid.HBgTEST0001': 'wamid.HBgTEST0002', '5491155550101': '5491155550199' })
    await plays('CL-001', { 'wamid.HBgTEST0001': 'wamid.HBgTEST0003' })
    expect(await states()).not.toContain('succeeded')
    expect(effects()).toBe(0)
  })

  it('CL-048: what the owner wrote in the business app was said: a bare yes after it answers that', async () => {
    await ask()
    await plays('CL-048')
    await phone.says('sí')
    expect([await states(), effects(), turns()]).toEqual([['pending'], 0, 2])
  })

  it.each([
    ['CL-037', '5215555550103', '525555550103', 'es'],
    ['CL-039', '551187650001', '5511987650001', 'pt-BR'],
  ] as const)(
    '%s: another spelling of a number is the same person once WhatsApp’s answer says so',
    async (id, waId, dialled, locale) => {
      const template = { name: 'confirmar', language: 'es' }
      test = await aCloudHouse({
        template,
        accounts: {},
        locales: { default: locale },
        people: [{ id: 'maria', name: 'María', roles: ['supervisor'], identities: [`wa:${dialled}`] }],
        roleChats: { supervisor: { account: 'demo', chat: dialled } },
        policies: [
          {
            action: '*',
            then: 'confirm',
            approvers: { kind: 'role', role: 'supervisor', second: false },
            reason: { code: 'HIGH_COST' },
          },
        ],
      })
      test.server.approves({ ...template, body: '{{1}}\n{{2}}\n{{3}}', quickReplies: ['Confirmar', 'Cancelar'] })
      const maria = test.phone('María', { userId: undefined, waId, dialled: [dialled] })
      phone = maria
      // She wrote before anything was sent to her: two spellings are two chats until WhatsApp says that they are one.
      await plays(id, { 'wamid.HBgTEST0001': 'wamid.BEFORE' })
      await test.phone('Ana').says('registrá 3 cajas')
      await test.read()
      const shown = maria.card()
      expect(await states()).toEqual(['pending'])
      await maria.says(locale === 'es' ? 'sí' : 'sim', { replyTo: shown.id })
      expect([await states(), effects()]).toEqual([['succeeded'], 1])
    },
  )
})
