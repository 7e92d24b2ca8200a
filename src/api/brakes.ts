import { z } from '@hono/zod-openapi'
import type { Grant } from '../core/grant.ts'
import type { House } from '../gateway/house.ts'
import type { Halt } from '../ports/store.ts'
import { type Api, endpoint } from './endpoint.ts'
import { notFound, problem } from './problem.ts'
import { limit, proposerOf } from './proposals.ts'
import * as schemas from './schemas.ts'

/** Halts and grants: what stops, and what goes without asking. */
export function brakeEndpoints(api: Api, house: House): void {
  endpoint(
    api,
    house,
    {
      method: 'get',
      path: '/v1/halts',
      called: 'listHalts',
      summary: 'What is stopped now.',
      scope: 'read',
      answers: { 200: schemas.pageOf(schemas.halt, 'Halts') },
      refuses: [],
    },
    async () => ({ kind: 'answer', status: 200, body: { data: (await house.store.halts()).map(haltShown), next: null } }),
  )
  endpoint(
    api,
    house,
    {
      method: 'post',
      path: '/v1/halts',
      called: 'halt',
      summary: 'Stop an action, an account or everything: what has not been sent stays undone.',
      scope: 'halt',
      body: schemas.newHalt,
      answers: { 201: schemas.halt },
      refuses: [400],
    },
    async ({ body: { scope: text, reason }, key }) => {
      const scope = scopeOf(text)
      // A halt with a typing error would stop nothing.
      if (scope.kind !== 'all' && !(scope.kind === 'action' ? house.actions : house.channels).has(scope.name))
        return problem(400, 'unknown_scope', `There is no such ${scope.kind}; nothing was halted.`, {
          errors: [{ in: 'body', at: '/scope', detail: 'names an action or an account of the configuration' }],
        })
      await house.store.halt({ scope, by: proposerOf(key), ...(reason === undefined ? {} : { reason }) })
      const halt = (await house.store.halts()).find((one) => nameOf(one.scope) === text)
      return halt === undefined ? notFound : { kind: 'answer', status: 201, body: haltShown(halt) }
    },
  )
  endpoint(
    api,
    house,
    {
      method: 'delete',
      path: '/v1/halts/{scope}',
      called: 'resume',
      summary: 'Let go on what was stopped. What ended meanwhile stays ended.',
      scope: 'halt',
      params: z.strictObject({ scope: schemas.haltScope }),
      answers: { 204: undefined },
      refuses: [404],
    },
    async ({ params: { scope } }) => ((await house.store.resume(scopeOf(scope))) ? { kind: 'empty' } : notFound),
  )
  endpoint(
    api,
    house,
    {
      method: 'get',
      path: '/v1/grants',
      called: 'listGrants',
      summary: 'Standing yeses that hold now.',
      scope: 'grants',
      query: z.strictObject({ limit }),
      answers: { 200: schemas.pageOf(schemas.grant, 'Grants') },
      refuses: [],
    },
    async ({ query }) => {
      const found = await house.store.grants({ holding: true, limit: query.limit })
      return {
        kind: 'answer',
        status: 200,
        body: { data: found.filter((grant) => isHere(house, grant)).map(grantShown), next: null },
      }
    },
  )
  endpoint(
    api,
    house,
    {
      method: 'delete',
      path: '/v1/grants/{id}',
      called: 'revokeGrant',
      summary: 'End a standing yes: from here on it is asked for each time.',
      scope: 'grants',
      params: z.strictObject({ id: schemas.id }),
      answers: { 204: undefined },
      refuses: [404],
    },
    async ({ params: { id }, key }) => {
      const grant = await house.store.grant(id)
      if (grant === undefined || !isHere(house, grant)) return notFound
      return (await house.store.revokeGrant(id, proposerOf(key))) ? { kind: 'empty' } : notFound
    },
  )
}

/** Given in a chat of an account of this tenant. */
const isHere = (house: House, { conversation }: Grant): boolean => house.channels.has(conversation.account)

function scopeOf(text: string): Halt['scope'] {
  if (text === 'all') return { kind: 'all' }
  const [, kind = 'action', name = ''] = /^(action|account):(.*)$/su.exec(text) ?? []
  return { kind: kind as 'action' | 'account', name }
}

const nameOf = (scope: Halt['scope']): string => (scope.kind === 'all' ? 'all' : `${scope.kind}:${scope.name}`)

const haltShown = ({ scope, by, sinceMs, reason }: Halt) => ({
  scope: nameOf(scope),
  by,
  since: new Date(sinceMs).toISOString(),
  ...(reason === undefined ? {} : { reason }),
})

const grantShown = ({ id, code, person, action, conversation, times, uses, bornAtMs, endsAtMs }: Grant) => ({
  id,
  code,
  person,
  action,
  conversation,
  times,
  uses,
  createdAt: new Date(bornAtMs).toISOString(),
  endsAt: new Date(endsAtMs).toISOString(),
})
