import { z } from '@hono/zod-openapi'
import { conversationKeyOf, conversationOf } from '../core/conversation.ts'
import { eventOf } from '../gateway/event-of.ts'
import type { House } from '../gateway/house.ts'
import { type Api, endpoint } from './endpoint.ts'
import { conversationWith, unknownAccount } from './places.ts'
import { problem } from './problem.ts'
import { limit } from './proposals.ts'
import * as schemas from './schemas.ts'

/** What can be asked for, where people are, and what happened. */
export function lookEndpoints(api: Api, house: House): void {
  endpoint(
    api,
    house,
    {
      method: 'get',
      path: '/v1/actions',
      called: 'listActions',
      summary: 'What can be asked for, with the JSON Schema of its arguments.',
      scope: 'read',
      answers: { 200: schemas.pageOf(schemas.action, 'Actions') },
      refuses: [],
    },
    async () => ({
      kind: 'answer',
      status: 200,
      body: {
        data: [...house.actions.values()].map(({ name, description, input }) => ({ name, description, input })),
        next: null,
      },
    }),
  )

  endpoint(
    api,
    house,
    {
      method: 'get',
      path: '/v1/conversations',
      called: 'listConversations',
      summary: 'Chats where somebody wrote, in no order that means anything.',
      scope: 'read',
      query: z.strictObject({
        limit,
        after: z
          .string()
          .max(2000)
          .regex(/^[A-Za-z0-9_.!~*'()%/-]+$/)
          .optional(),
      }),
      answers: { 200: schemas.pageOf(schemas.conversation, 'Conversations') },
      refuses: [400],
    },
    async ({ query }) => {
      const after = query.after === undefined ? undefined : readKey(query.after)
      if (after === null)
        return problem(400, 'invalid_request', 'This is no page of ours.', {
          errors: [{ in: 'query', at: 'after', detail: 'is what next said' }],
        })
      const found = await house.store.conversations({ limit: query.limit, ...(after === undefined ? {} : { after }) })
      const here = found.filter(({ account }) => house.channels.has(account))
      const last = found.length === query.limit ? found.at(-1) : undefined
      return { kind: 'answer', status: 200, body: { data: here, next: last === undefined ? null : conversationKeyOf(last) } }
    },
  )

  endpoint(
    api,
    house,
    {
      method: 'post',
      path: '/v1/conversations',
      called: 'openConversation',
      summary: 'The one-to-one chat with a person who wrote to an account. No channel lets a stranger be written to first.',
      scope: 'read',
      body: z.strictObject({ account: schemas.name, person: schemas.person }).openapi('OpenConversation'),
      answers: { 200: schemas.conversation },
      refuses: [404],
    },
    async ({ body }) => {
      if (!house.channels.has(body.account)) return unknownAccount('/account')
      const conversation = await conversationWith(house, body.account, body.person)
      return conversation === undefined
        ? problem(404, 'no_conversation', 'This person never wrote to this account.')
        : { kind: 'answer', status: 200, body: conversation }
    },
  )

  endpoint(
    api,
    house,
    {
      method: 'get',
      path: '/v1/events',
      called: 'listEvents',
      summary: 'What happened to proposals, the oldest first: what webhooks tell, to be read again.',
      scope: 'read',
      query: z.strictObject({
        limit,
        after: z
          .string()
          .regex(/^evt_\d{1,15}$/, 'is the id of an event')
          .optional(),
      }),
      answers: { 200: schemas.pageOf(schemas.event, 'Events') },
      refuses: [400],
    },
    async ({ query }) => {
      const after = Number(query.after?.slice('evt_'.length) ?? 0)
      const found = await house.store.events({ tenant: house.tenant, after, limit: query.limit })
      const last = found.length === query.limit ? found.at(-1) : undefined
      return {
        kind: 'answer',
        status: 200,
        body: { data: found.map(eventOf), next: last === undefined ? null : `evt_${last.id}` },
      }
    },
  )
}

/** The conversation that a page ended with; null where it is none. */
function readKey(text: string) {
  try {
    const conversation = conversationOf(text)
    // The database keeps no NUL.
    return conversationKeyOf(conversation).includes('%00') ? null : conversation
  } catch {
    return null
  }
}
