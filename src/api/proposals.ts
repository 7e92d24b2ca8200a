import { z } from '@hono/zod-openapi'
import type { Conversation } from '../core/conversation.ts'
import { ended, open, type StateName } from '../core/proposal.ts'
import type { House } from '../gateway/house.ts'
import { outcomeInFull, outcomeOf } from '../gateway/outcome-of.ts'
import { proposeOutside } from '../gateway/propose-outside.ts'
import { waitForOutcome } from '../gateway/wait-for-outcome.ts'
import { withdrawOutside } from '../gateway/withdraw-outside.ts'
import type { ApiKey } from '../ports/api-keys.ts'
import { type Api, endpoint } from './endpoint.ts'
import type { Answer } from './idempotency.ts'
import { conversationNamed, placeOf } from './places.ts'
import { notFound, problem } from './problem.ts'
import { refusalProblem } from './refusals.ts'
import * as schemas from './schemas.ts'
import { Waits } from './waits.ts'

/** A program can wait this long for one answer; then it asks again. */
const longestWaitSeconds = 60
/** So many requests of one key wait at one time, in each process. */
const waitsAllowed = 50

/** The name under which a key proposes, and under which alone it may withdraw. */
export const proposerOf = ({ id }: ApiKey): string => `key:${id}`

const which = z.strictObject({ id: schemas.id })
const stateList = z
  .string()
  .regex(/^[a-z_]+(,[a-z_]+){0,20}$/)
  .refine(
    (text) => text.split(',').every((one) => ([...open, ...ended] as readonly string[]).includes(one)),
    'is a state, or several with commas',
  )

/** Proposals: ask, look, wait, take back. */
export function proposalEndpoints(api: Api, house: House): void {
  endpoint(
    api,
    house,
    {
      method: 'post',
      path: '/v1/proposals',
      called: 'propose',
      summary: 'Ask for an action. People decide it in their chat; nothing has been done yet.',
      scope: 'propose',
      body: schemas.ask,
      answers: { 200: schemas.receipt, 201: schemas.receipt },
      refuses: [400, 409, 422],
    },
    async ({ body, key, proposalId }) => {
      const place = await placeOf(house, body)
      if ('kind' in place) return place
      const receipt = await proposeOutside(house, {
        id: proposalId,
        ...place,
        action: body.action,
        args: body.args,
        origin: 'api',
        proposedBy: proposerOf(key),
      })
      if (receipt.kind === 'refused') return refusalProblem(receipt)
      const { kind: _, ...told } = receipt
      return { kind: 'answer', status: receipt.repeated ? 200 : 201, body: told }
    },
  )

  endpoint(
    api,
    house,
    {
      method: 'get',
      path: '/v1/proposals',
      called: 'listProposals',
      summary: 'Proposals, the newest first, whoever asked for them.',
      scope: 'read',
      query: z.strictObject({
        state: stateList.optional(),
        action: schemas.name.optional(),
        account: schemas.name.optional(),
        chat: schemas.person.optional(),
        topic: schemas.name.optional(),
        limit: limit,
        before: schemas.id.optional(),
      }),
      answers: { 200: schemas.pageOf(schemas.proposal, 'Proposals') },
      refuses: [400],
    },
    async ({ query }) => {
      const { state, action, account, chat, topic, before } = query
      if ((account === undefined) !== (chat === undefined) || (topic !== undefined && chat === undefined))
        return problem(400, 'invalid_request', 'A conversation is an account and a chat.', {
          errors: [{ in: 'query', at: account === undefined ? 'account' : 'chat', detail: 'is missing' }],
        })
      const conversation: Conversation | undefined =
        account === undefined || chat === undefined ? undefined : conversationNamed({ account, chat, topic })
      const found = await house.store.list({
        tenant: house.tenant,
        limit: query.limit,
        ...(state === undefined ? {} : { states: state.split(',') as readonly StateName[] }),
        ...(action === undefined ? {} : { action }),
        ...(conversation === undefined ? {} : { conversation }),
        ...(before === undefined ? {} : { before }),
      })
      const last = found.length === query.limit ? found.at(-1) : undefined
      return { kind: 'answer', status: 200, body: { data: found.map(outcomeOf), next: last?.id ?? null } }
    },
  )

  endpoint(
    api,
    house,
    {
      method: 'get',
      path: '/v1/proposals/{id}',
      called: 'getProposal',
      summary: 'A proposal as it stands now, and who decided.',
      scope: 'read',
      params: which,
      answers: { 200: schemas.outcome },
      refuses: [404],
    },
    async ({ params }) => {
      const outcome = await outcomeInFull(house, params.id)
      return outcome === undefined ? notFound : { kind: 'answer', status: 200, body: outcome }
    },
  )

  const waits = new Waits(waitsAllowed)
  endpoint(
    api,
    house,
    {
      method: 'get',
      path: '/v1/proposals/{id}/outcome',
      called: 'waitForOutcome',
      summary:
        'What became of a proposal: 200 once it is final, 202 while it is not. With wait the answer comes as soon as it is, or after so many seconds.',
      scope: 'read',
      params: which,
      query: z.strictObject({ wait: whole(0, longestWaitSeconds, 0) }),
      answers: { 200: schemas.outcome, 202: schemas.outcome },
      refuses: [404],
    },
    async ({ params, query, key, signal }): Promise<Answer> => {
      const end = query.wait === 0 ? () => {} : waits.begin(key.id)
      if (end === undefined)
        return problem(429, 'too_many_waits', `Already ${waitsAllowed} requests of this key wait.`, {
          headers: { 'retry-after': '5' },
        })
      try {
        const over = query.wait === 0 ? AbortSignal.abort() : AbortSignal.any([signal, AbortSignal.timeout(query.wait * 1000)])
        const outcome = await waitForOutcome(house, params.id, over)
        return outcome === undefined ? notFound : { kind: 'answer', status: outcome.final ? 200 : 202, body: outcome }
      } finally {
        end()
      }
    },
  )

  endpoint(
    api,
    house,
    {
      method: 'post',
      path: '/v1/proposals/{id}/withdraw',
      called: 'withdraw',
      summary: 'Take back what this key asked for, while it waits.',
      scope: 'propose',
      params: which,
      answers: { 200: schemas.outcome },
      refuses: [404, 409],
    },
    async ({ params, key }) => {
      const withdrawn = await withdrawOutside(house, params.id, proposerOf(key))
      switch (withdrawn.kind) {
        case 'unknown':
          return notFound
        case 'not_own':
          return problem(409, 'not_own', 'Somebody else asked for it: only who did may take it back.')
        case 'too_late':
          return problem(409, 'too_late', `It waits no more: it is ${withdrawn.state}.`)
        case 'withdrawn':
          return { kind: 'answer', status: 200, body: await outcomeInFull(house, params.id) }
      }
    },
  )
}

/** A whole number in a query. */
export const whole = (least: number, most: number, usual: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/, 'is a whole number')
    .transform(Number)
    .pipe(z.int().min(least).max(most))
    .default(usual)
    .openapi({ type: 'integer', minimum: least, maximum: most, default: usual })

/** How many a page of a list has at most. */
export const limit = whole(1, 100, 20)
