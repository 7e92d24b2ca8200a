import { z } from '@hono/zod-openapi'
import type { House } from '../gateway/house.ts'
import type { ApiKey } from '../ports/api-keys.ts'
import type { Held, KnownPerson, PeopleChange, PeopleChanged } from '../ports/people.ts'
import { type Api, endpoint } from './endpoint.ts'
import type { Answer } from './idempotency.ts'
import { notFound, problem } from './problem.ts'
import { proposerOf } from './proposals.ts'
import * as schemas from './schemas.ts'

const which = z.strictObject({ id: schemas.person })

type Wanted = PeopleChange extends infer C ? (C extends PeopleChange ? Omit<C, 'by'> : never) : never

/** Who is who and who may what, as `dale people` has it. */
export function peopleEndpoints(api: Api, house: House): void {
  const change = async (wanted: Wanted, key: ApiKey): Promise<Answer> => {
    const asked = { ...wanted, by: proposerOf(key) } as PeopleChange
    return answerTo(await house.store.changePeople(asked), asked)
  }

  endpoint(
    api,
    house,
    {
      method: 'get',
      path: '/v1/people',
      called: 'listPeople',
      summary: 'Everybody whom Dale knows, with roles and identities.',
      scope: 'people',
      answers: { 200: schemas.pageOf(schemas.knownPerson, 'People') },
      refuses: [],
    },
    async () => ({ kind: 'answer', status: 200, body: { data: (await house.store.people()).map(shown), next: null } }),
  )
  endpoint(
    api,
    house,
    {
      method: 'get',
      path: '/v1/people/{id}',
      called: 'getPerson',
      summary: 'One person.',
      scope: 'people',
      params: which,
      answers: { 200: schemas.knownPerson },
      refuses: [404],
    },
    async ({ params }) => {
      const person = (await house.store.people()).find(({ id }) => id === params.id)
      return person === undefined ? notFound : { kind: 'answer', status: 200, body: shown(person) }
    },
  )
  endpoint(
    api,
    house,
    {
      method: 'post',
      path: '/v1/people',
      called: 'addPerson',
      summary: 'Add somebody whom the configuration does not know.',
      scope: 'people',
      body: schemas.newPerson,
      answers: { 201: schemas.knownPerson },
      refuses: [409],
    },
    async ({ body: { id, name, identities, roles }, key }) =>
      await change({ what: 'add', id, identities, roles, ...(name === undefined ? {} : { name }) }, key),
  )
  endpoint(
    api,
    house,
    {
      method: 'delete',
      path: '/v1/people/{id}',
      called: 'forgetPerson',
      summary: 'Take every role and identity away; decisions stay as they were made.',
      scope: 'people',
      params: which,
      answers: { 204: undefined },
      refuses: [404],
    },
    async ({ params: { id }, key }) => await change({ what: 'forget', id }, key),
  )
  for (const { part, field, schema, give, take, called } of [
    { part: 'roles', field: 'role', schema: schemas.name, give: 'give', take: 'take', called: 'Role' },
    { part: 'identities', field: 'identity', schema: schemas.identity, give: 'link', take: 'unlink', called: 'Identity' },
  ] as const) {
    endpoint(
      api,
      house,
      {
        method: 'post',
        path: `/v1/people/{id}/${part}`,
        called: `add${called}`,
        summary: `Give a person a ${field}.`,
        scope: 'people',
        params: which,
        body: z.strictObject({ value: schema }).openapi(`New${called}`),
        answers: { 200: schemas.knownPerson },
        refuses: [404, 409],
      },
      async ({ params: { id }, body: { value }, key }) =>
        await change({ what: give, id, [field]: value } as unknown as Wanted, key),
    )
    endpoint(
      api,
      house,
      {
        method: 'delete',
        path: `/v1/people/{id}/${part}/{value}`,
        called: `remove${called}`,
        summary: `Take a ${field} away from a person.`,
        scope: 'people',
        params: z.strictObject({ id: schemas.person, value: schema }),
        answers: { 200: schemas.knownPerson },
        refuses: [404],
      },
      async ({ params: { id, value }, key }) => await change({ what: take, id, [field]: value } as unknown as Wanted, key),
    )
  }
}

function answerTo(changed: PeopleChanged, { what }: PeopleChange): Answer {
  if (changed.kind === 'changed')
    return changed.person === undefined
      ? { kind: 'empty' }
      : { kind: 'answer', status: what === 'add' ? 201 : 200, body: shown(changed.person) }
  switch (changed.because) {
    case 'unknown':
    case 'not_theirs':
      return notFound
    case 'exists':
      return problem(409, 'exists', 'There is somebody with this id already.')
    case 'theirs_already':
      return problem(409, 'theirs_already', 'This person has it already.')
    case 'taken':
      return problem(409, 'taken', 'This identity is another person’s.')
  }
}

const heldOf = ({ value, source, taken }: Held) => ({ value, source, taken: taken !== undefined })

const shown = ({ id, name, source, roles, identities }: KnownPerson) => ({
  id,
  ...(name === undefined ? {} : { name }),
  source,
  roles: roles.map(heldOf),
  identities: identities.map(heldOf),
})
