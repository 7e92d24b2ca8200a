import { z } from 'zod'
import type { Policy } from '../core/policy.ts'
import type { Action } from '../ports/action.ts'
import type { Agent } from '../ports/agent.ts'

const has = (value: unknown, ...methods: readonly string[]): boolean =>
  typeof value === 'object' &&
  value !== null &&
  methods.every((method) => typeof (value as Record<string, unknown>)[method] === 'function')

const name = z.string().min(1)
const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is the name of an environment variable')
const ms = z
  .int()
  .min(0)
  .max(7 * 24 * 3_600_000)

const approvers = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('requester') }),
  z.strictObject({ kind: z.literal('role'), role: name, second: z.boolean() }),
])

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
      tokenEnv: variableName.default('TELEGRAM_BOT_TOKEN'),
      secretEnv: variableName.default('TELEGRAM_WEBHOOK_SECRET_TOKEN'),
      // Paths are put behind it; with the slash that browsers add, grammY refuses it.
      apiRoot: z
        .url({ protocol: /^https?$/ })
        .transform((url) => url.replace(/\/+$/, ''))
        .default('https://api.telegram.org'),
    }),
    z.strictObject({
      channel: z.literal('whatsapp-cloud'),
      locale: name.optional(),
      words: name.optional(),
      tokenEnv: variableName.default('WHATSAPP_ACCESS_TOKEN'),
      secretEnv: variableName.default('WHATSAPP_APP_SECRET'),
      phoneNumberIdEnv: variableName.default('WHATSAPP_PHONE_NUMBER_ID'),
      verifyTokenEnv: variableName.default('WHATSAPP_VERIFY_TOKEN'),
      template: z
        .strictObject({ name: z.string().regex(/^[a-z0-9_]{1,512}$/, 'is small letters, digits and _'), language: name })
        .optional(),
      apiRoot: z
        .url({ protocol: /^https?$/ })
        .transform((url) => url.replace(/\/+$/, ''))
        .default('https://graph.facebook.com/v26.0'),
    }),
    z.strictObject({
      channel: z.literal('whatsapp-baileys'),
      locale: name.optional(),
      words: name.optional(),
      controls: z.enum(['words', 'poll']).default('words'),
      serverUrl: z.url({ protocol: /^wss?$/ }).optional(),
    }),
    z.strictObject({ channel: z.literal('simulator'), locale: name.optional(), words: name.optional() }),
  ]),
  agent: z.custom<Agent>((value) => has(value, 'run'), 'is an agent: scriptedAgent(…), httpAgent(…), or an object with run'),
  list: z.array(z.unknown()),
  action: z.custom<Action>(
    (value) => has(value, 'parse', 'preview', 'execute'),
    'is an action: defineAction({ … }) or httpAction({ … })',
  ),
  policy: z.strictObject({
    action: name,
    when: z
      .custom<NonNullable<Policy['when']>>((value) => typeof value === 'function', 'is a function of the arguments')
      .optional(),
    then: z.enum(['confirm', 'deny']),
    approvers: approvers.optional(),
    reason: z.strictObject({
      code: z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'is capitals, digits and _, like HIGH_COST'),
      message: z.string().regex(/\S/, 'says something, or is left out').optional(),
    }),
  }),
  person: z.strictObject({
    id: name,
    name,
    roles: z.array(name),
    identities: z.array(z.string().regex(/^[a-z]+:\S+$/, 'is a channel and the id there, like tg:42000001')),
  }),
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
export const known = ['tenant', 'locales', 'accounts', 'agent', 'actions', 'policies', 'people', 'roleChats', 'limits'] as const
