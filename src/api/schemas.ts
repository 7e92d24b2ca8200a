import { z } from '@hono/zod-openapi'
import { ended, open } from '../core/proposal.ts'
import { proposalEvents } from '../core/proposal-event.ts'

/** Text that stands in one line and that PostgreSQL keeps: no control characters, no half surrogates. */
const line = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'is one line of text')

/** A ULID. */
export const id = z.string().regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/, 'is an id, as a proposal has it')

export const name = line(64)

export const identity = z.string().regex(/^[a-z]+:[^\s\p{Cc}\p{Cs}]{1,200}$/u, 'is a channel and the id there, like tg:42000001')

export const person = line(220)

export const states = [...open, ...ended] as const

const state = z.enum(states)
const time = z.iso.datetime().openapi({ example: '2026-03-14T15:00:00.000Z' })

export const conversation = z
  .strictObject({ account: line(64), chat: line(300), topic: line(300).optional() })
  .openapi('Conversation', { description: 'A chat of an account, and a topic where the channel has them.' })

export const ask = z
  .strictObject({
    action: name,
    // As it came, and not copied: a copy would lose a `__proto__`, which is to be refused.
    args: z
      .custom<Readonly<Record<string, unknown>>>(
        (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
        'is an object',
      )
      .openapi({
        type: 'object',
        additionalProperties: true,
        description: 'The arguments, as the action’s own schema has them.',
      }),
    conversation: conversation.optional(),
    account: line(64).optional().openapi({
      description: 'Where no conversation is named: whose codes and language it has. The only account, unless told.',
    }),
    requester: person.optional().openapi({ description: 'For whom: a person’s id, or an identity like tg:42000001.' }),
  })
  .openapi('Ask')

export const receipt = z
  .object({
    proposalId: id,
    code: z.string(),
    status: z.enum(['pending', 'approved', 'executing', 'in_doubt']),
    executed: z.literal(false),
    repeated: z.boolean().openapi({ description: 'The very same call waited already: this is that one.' }),
  })
  .openapi('Receipt')

const proposalShape = {
  id,
  code: z.string(),
  action: z.string(),
  args: z.unknown(),
  summary: z.string(),
  origin: z.enum(['human', 'agent', 'api', 'mcp', 'schedule']),
  conversation: conversation.optional(),
  requester: z.string().optional(),
  state,
  final: z.boolean().openapi({ description: 'Nothing more happens to it.' }),
  executed: z.boolean().openapi({ description: 'Only once it is known to be done.' }),
  reason: z.string().optional(),
  result: z.string().optional(),
  verification: z.enum(['none', 'passed', 'failed']).optional(),
  replacedBy: z.string().optional(),
  createdAt: time,
  expiresAt: time.optional(),
}

export const proposal = z.object(proposalShape).openapi('Proposal')

export const outcome = z
  .object({
    ...proposalShape,
    decisions: z.array(z.object({ person: z.string(), verdict: z.enum(['approve', 'reject']), via: z.string(), at: time })),
    shownAt: time.optional(),
    settledAt: time.optional(),
  })
  .openapi('Outcome')

/** One page, and where the next begins; null where this was the last. */
export const pageOf = <T extends z.ZodType>(item: T, called: string) =>
  z.object({ data: z.array(item), next: z.string().nullable() }).openapi(called)

export const action = z
  .object({ name: z.string(), description: z.string(), input: z.record(z.string(), z.unknown()) })
  .openapi('Action')

export const held = z.object({ value: z.string(), source: z.enum(['configuration', 'managed']), taken: z.boolean() })

export const knownPerson = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    source: z.enum(['configuration', 'managed']),
    roles: z.array(held),
    identities: z.array(held),
  })
  .openapi('Person')

export const newPerson = z
  .strictObject({
    id: z.string().regex(/^[\p{L}\d][\p{L}\d._-]{0,63}$/u, 'is letters, digits, ., _ and -'),
    name: line(200).optional(),
    identities: z.array(identity).max(20).default([]),
    roles: z.array(name).max(20).default([]),
  })
  .openapi('NewPerson')

export const grant = z
  .object({
    id: z.string(),
    code: z.string(),
    person: z.string(),
    action: z.string(),
    conversation,
    times: z.int(),
    uses: z.int(),
    createdAt: time,
    endsAt: time,
  })
  .openapi('Grant')

export const haltScope = z.union([
  z.literal('all'),
  z.string().regex(/^(action|account):[^\p{Cc}\p{Cs}]{1,64}$/u, 'is all, action:NAME or account:NAME'),
])

export const halt = z.object({ scope: z.string(), by: z.string(), since: time, reason: z.string().optional() }).openapi('Halt')

export const newHalt = z.strictObject({ scope: haltScope, reason: line(500).optional() }).openapi('NewHalt')

export const event = z
  .object({
    id: z.string().openapi({ description: 'The same as the webhook-id under which it is told.' }),
    type: z.enum(proposalEvents),
    timestamp: time,
    data: z.object({
      proposalId: id,
      code: z.string(),
      action: z.string(),
      args: z.unknown(),
      origin: z.string(),
      conversation: conversation.optional(),
      requester: z.string().optional(),
      state,
      final: z.boolean(),
      executed: z.boolean(),
      by: z.string().openapi({ description: 'Who moved it: a person’s id, or a part of Dale.' }),
      reason: z.string().optional(),
      result: z.string().optional(),
    }),
  })
  .openapi('Event')

export const problemShape = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string(),
    detail: z.string().optional(),
    errors: z.array(z.object({ in: z.string(), at: z.string(), detail: z.string() })).optional(),
  })
  .openapi('Problem')
