import { z } from 'zod'
import type { Judge } from '../core/policy.ts'
import { proposalEvents } from '../core/proposal-event.ts'
import type { Choose } from '../core/whom.ts'
import type { Action } from '../ports/action.ts'
import type { ActionSource } from '../ports/action-source.ts'
import type { Agent } from '../ports/agent.ts'
import type { Hooks } from '../ports/hooks.ts'

const has = (value: unknown, ...methods: readonly string[]): boolean =>
  typeof value === 'object' &&
  value !== null &&
  methods.every((method) => typeof (value as Record<string, unknown>)[method] === 'function')

/** A place's name, so that the clock's jumps are known; an offset like +03:00 has none. */
function isTimeZone(value: string): boolean {
  try {
    return /^[A-Za-z]/.test(value) && new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const name = z.string().min(1)
const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is the name of an environment variable')
const ms = z
  .int()
  .min(0)
  .max(7 * 24 * 3_600_000)

const asked = [
  z.strictObject({ kind: z.literal('requester') }),
  z.strictObject({ kind: z.literal('role'), role: name, second: z.boolean() }),
  z.strictObject({
    kind: z.literal('function'),
    name: name.max(100).optional(),
    version: name.max(100).optional(),
    second: z.boolean().optional(),
    choose: z.custom<Choose>((value) => typeof value === 'function', 'is a function of the arguments, the asker and the people'),
  }),
] as const

const byLimit = z.strictObject({ kind: z.literal('limit'), above: name.optional(), second: z.boolean().optional() })

const approvers = z.discriminatedUnion('kind', [...asked, byLimit], 'is requester, role, limit or function')

const escalate = z.strictObject(
  {
    afterMs: z
      .int()
      .min(1_000, 'is at least a second, in milliseconds')
      .max(7 * 24 * 3_600_000, 'is at most seven days, in milliseconds'),
    to: name,
  },
  "is a time and a role, like { afterMs: 600000, to: 'supervisor' }",
)

const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'is a time of the day, like 22:00')

const quietHours = z
  .strictObject(
    {
      from: time,
      to: time,
      timeZone: z.string().refine(isTimeZone, 'is the name of a time zone, like America/Argentina/Buenos_Aires'),
    },
    "is { from: '22:00', to: '08:00', timeZone: 'America/Argentina/Buenos_Aires' }",
  )
  .refine(({ from, to }) => from !== to, 'begin and end at different times: otherwise nobody would ever be reminded')
  .optional()

const names = z.array(name).min(1, 'names somebody, or is left out')

const amount = z.string().regex(/^\d{1,30}(\.\d{1,20})?$/, 'is a decimal as text, like "100000" or "99.50"')

const path = z.string().regex(/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/, 'is the name of an argument, like monto or pago.monto')

const over = z.strictObject({
  kind: z.literal('over'),
  field: path,
  currency: path.optional(),
  perRole: z
    .record(name, z.union([amount, z.record(z.string().regex(/^[A-Z]{3}$/, 'is a currency, like ARS'), amount)]))
    .refine((roles) => Object.keys(roles).length > 0, 'names the role that may ask for so much'),
  withinMs: z
    .int()
    .min(60_000, 'is at least a minute, in milliseconds')
    .max(366 * 24 * 3_600_000, 'is at most a year, in milliseconds'),
  fromPercent: z.int().min(1).max(100).optional(),
})

const watched = { kind: z.literal('unusual'), field: path, marks: name.optional() }
const least = z.int().min(1).max(100)
const unusual = z.discriminatedUnion('test', [
  z.strictObject({ ...watched, test: z.literal('far'), times: z.number().gt(1).max(1_000_000), least, alsoBelow: z.boolean() }),
  z.strictObject({ ...watched, test: z.literal('never_seen'), least }),
  z.strictObject({ ...watched, test: z.literal('changed'), of: path }),
  z.strictObject({
    ...watched,
    test: z.literal('own'),
    judge: z.custom((value) => typeof value === 'function', 'is a function'),
  }),
])

const judge = z.custom<Judge>(
  (value) => typeof value === 'function',
  'is a function of the arguments, over({ … }), or a test of what is unusual',
)

/** A trigger by its kind, so that what is wrong in it has its own place. */
const condition = z.unknown().transform((value, context) => {
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined
  const read = (kind === 'over' ? over : kind === 'unusual' ? unusual : judge).safeParse(value)
  if (read.success) return read.data
  for (const issue of read.error.issues) context.addIssue({ code: 'custom', message: issue.message, path: issue.path })
  return z.NEVER
})

const reason = z.strictObject({
  code: z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'is capitals, digits and _, like HIGH_COST'),
  message: z.string().regex(/\S/, 'says something, or is left out').max(500, 'is at most 500 characters').optional(),
})

const aim = {
  action: z.union([name, names], 'is the name of an action, a list of them, or *'),
  accounts: names.optional(),
  people: names.optional(),
  roles: names.optional(),
}

const hook = z.custom<NonNullable<Hooks['onSettled']>>((value) => typeof value === 'function', 'is a function of the event')

/** Paths are put behind it; with the slash that browsers add, grammY refuses it. */
const root = (usual: string) =>
  z
    .url({ protocol: /^https?$/, error: `is an address like ${usual}` })
    .transform((url) => url.replace(/\/+$/, ''))
    .default(usual)

const conversation = z.strictObject({ account: name, chat: name, topic: name.optional() })

/** Each part of a configuration by itself, so that one mistake hides no other. */
export const parts = {
  file: z.looseObject({}),
  tenant: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'is small letters, digits, - and _')
    .default('default'),
  locales: z.strictObject({ default: name.default('en'), fallback: name.default('en'), folder: name.optional() }).prefault({}),
  accounts: z.record(z.string(), z.unknown()).refine((accounts) => Object.keys(accounts).length > 0, 'name at least one account'),
  accountName: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/, 'is a name of letters, digits, - and _, 32 at most'),
  account: z.discriminatedUnion('channel', [
    z.strictObject({
      channel: z.literal('telegram'),
      mode: z.enum(['polling', 'webhook']),
      locale: name.optional(),
      words: name.optional(),
      quietHours,
      tokenEnv: variableName.default('TELEGRAM_BOT_TOKEN'),
      secretEnv: variableName.default('TELEGRAM_WEBHOOK_SECRET_TOKEN'),
      apiRoot: root('https://api.telegram.org'),
    }),
    z.strictObject({
      channel: z.literal('whatsapp-cloud'),
      locale: name.optional(),
      words: name.optional(),
      quietHours,
      tokenEnv: variableName.default('WHATSAPP_ACCESS_TOKEN'),
      secretEnv: variableName.default('WHATSAPP_APP_SECRET'),
      phoneNumberIdEnv: variableName.default('WHATSAPP_PHONE_NUMBER_ID'),
      verifyTokenEnv: variableName.default('WHATSAPP_VERIFY_TOKEN'),
      template: z
        .strictObject(
          { name: z.string().regex(/^[a-z0-9_]{1,512}$/, 'is small letters, digits and _'), language: name },
          "is the template's name and language, like { name: 'dale_card', language: 'es_AR' }",
        )
        .optional(),
      apiRoot: root('https://graph.facebook.com/v26.0'),
    }),
    z.strictObject({
      channel: z.literal('whatsapp-baileys'),
      locale: name.optional(),
      words: name.optional(),
      quietHours,
      controls: z.enum(['words', 'poll']).default('words'),
      serverUrl: z.url({ protocol: /^wss?$/, error: 'is an address like wss://web.whatsapp.com/ws/chat' }).optional(),
    }),
    z.strictObject({ channel: z.literal('simulator'), locale: name.optional(), words: name.optional(), quietHours }),
  ]),
  agent: z.custom<Agent>((value) => has(value, 'run'), 'is an agent: scriptedAgent(…), httpAgent(…), or an object with run'),
  hooks: z.strictObject({ onProposed: hook.optional(), onSettled: hook.optional() }).default({}),
  api: z.strictObject({ requestsPerMinute: z.int().min(1).max(1_000_000).default(600) }).prefault({}),
  webhook: z.strictObject({
    url: z.url({ protocol: /^https?$/, error: 'is an address like https://example.com/dale' }),
    secretEnv: variableName,
    events: z.array(z.enum(proposalEvents)).min(1, 'names an event, or is left out').optional(),
    allowPrivate: names.optional(),
  }),
  list: z.array(z.unknown()),
  action: z.custom<Action>(
    (value) => has(value, 'parse', 'preview', 'execute'),
    'is an action: defineAction({ … }), httpAction({ … }) or mcpActions({ … })',
  ),
  source: z.custom<ActionSource>((value) => has(value, 'mayHave', 'open')),
  /** What an action says of whom to ask: it may have been made without defineAction. */
  ofAction: z.object({
    approvers: z
      .discriminatedUnion('kind', [...asked], 'is requester, role or function; limit is for a rule with over')
      .optional(),
    escalate: escalate.optional(),
  }),
  policy: z.discriminatedUnion(
    'then',
    [
      z.strictObject({
        ...aim,
        then: z.literal('allow'),
        when: judge.optional(),
        reason: z.never('means nothing with allow: what is allowed is not asked about').optional(),
        approvers: z.never('means nothing with allow: what is allowed is asked of nobody more').optional(),
        escalate: z.never('means nothing with allow: what is allowed is asked of nobody more').optional(),
      }),
      z.strictObject({
        ...aim,
        then: z.literal('confirm'),
        when: condition.optional(),
        approvers: approvers.optional(),
        escalate: escalate.optional(),
        reason,
      }),
      z.strictObject({
        ...aim,
        then: z.literal('deny'),
        when: condition.optional(),
        approvers: z.never('means nothing with deny: what is denied is asked of nobody').optional(),
        escalate: z.never('means nothing with deny: what is denied is asked of nobody').optional(),
        reason,
      }),
    ],
    'is allow, confirm or deny: without it a reason and a message say nothing',
  ),
  person: z.strictObject({
    id: name,
    name,
    roles: z.array(name),
    identities: z.array(z.string().regex(/^[a-z]+:\S+$/, 'is a channel and the id there, like tg:42000001')),
  }),
  roles: z.array(name).default([]),
  roleChats: z.record(z.string(), z.union([conversation.transform((one) => [one]), z.array(conversation)])).default({}),
  limits: z
    .strictObject({
      maxOpenPerConversation: z.int().min(1).max(20),
      minReviewTextMs: ms,
      minReviewPressMs: ms,
      minReviewHighPressMs: ms,
      lateAfterMs: ms,
      slots: z.enum(['many', 'single']),
      onOtherMessage: z.enum(['disarm', 'discard', 'keep']),
      onOutcome: z.enum(['tell', 'resume']),
      resumeDepth: z.int().min(1).max(20),
      executeByMs: ms,
      holdMs: ms,
      remindBeforeMs: ms,
      nearMissDays: z.int().min(0).max(366),
      // Less, and a reply to a message of ours would be taken for one to somebody else's.
      keepDays: z.int().min(30, 'is at least 30 days: a message is known as our own for so long').max(3660),
      leaseMs: ms,
      quarantineMs: ms,
    })
    .partial()
    .default({}),
}

/** What a configuration may hold, by name. */
export const known = [
  'tenant',
  'locales',
  'accounts',
  'agent',
  'actions',
  'hooks',
  'api',
  'webhooks',
  'policies',
  'people',
  'roles',
  'roleChats',
  'limits',
] as const
