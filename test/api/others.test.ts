import { describe, expect, it } from 'vitest'
import { anApi, forAna } from '../support/api.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'

describe('what else a program may do', () => {
  it('is to look at the actions with their schemas', async () => {
    await using test = await aPhonesHouse()
    const program = await anApi(test).program(['read'])
    expect((await program.get('/v1/actions')).body.data).toMatchObject([
      { name: 'registrar', input: { type: 'object', required: ['cajas'], additionalProperties: false } },
    ])
  })

  it('is to listen to a proposal until its end', async () => {
    await using test = await aPhonesHouse()
    const { api, program: make } = anApi(test)
    const program = await make()
    const { body } = await program.post('/v1/proposals', forAna)
    await test.quiet()
    const listening = api.request(`/v1/proposals/${body.proposalId}/events`, {
      headers: { authorization: `Bearer ${program.text}` },
    })
    await test.read()
    await test.phone('ana').says('no')
    const text = await (await listening).text()
    expect([...text.matchAll(/^event: (.*)$/gm)].map(([, event]) => event)).toEqual([
      'proposal.created',
      'proposal.shown',
      'proposal.settled',
    ])
    expect(JSON.parse(/^data: (.*)$/m.exec(text.slice(text.lastIndexOf('event: ')))?.[1] ?? '')).toMatchObject({
      id: body.proposalId,
      state: 'rejected',
      final: true,
      executed: false,
    })
  })

  it('is to halt what has not begun, and to let it go on', async () => {
    await using test = await aPhonesHouse()
    const program = await anApi(test).program()
    expect(await program.post('/v1/halts', { scope: 'action:registrar', reason: 'precios' })).toMatchObject({
      status: 201,
      body: { scope: 'action:registrar', by: `key:${program.id}`, reason: 'precios' },
    })
    expect(await program.post('/v1/halts', { scope: 'action:registar' })).toMatchObject({
      status: 400,
      body: { code: 'unknown_scope' },
    })
    expect(await program.post('/v1/proposals', forAna)).toMatchObject({ status: 409, body: { code: 'halted' } })
    expect((await program.get('/v1/halts')).body.data).toHaveLength(1)
    expect((await program.delete('/v1/halts/action:registrar')).status).toBe(204)
    expect((await program.delete('/v1/halts/action:registrar')).status).toBe(404)
    expect((await program.post('/v1/proposals', forAna)).status).toBe(201)
  })

  it('is to say who is who: a role holds at once, and what was taken counts for nothing', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({
      ledger,
      people: [{ id: 'carla', name: 'Carla', identities: ['sim:carla'], roles: ['supervisor'] }],
      roleChats: { supervisor: { account: 'demo', chat: 'turno' } },
      actions: [bookingAction(ledger, { approvers: { kind: 'role', role: 'supervisor', second: false } })],
    })
    const program = await anApi(test).program()
    expect((await program.delete('/v1/people/carla/roles/supervisor')).body).toMatchObject({
      id: 'carla',
      roles: [{ value: 'supervisor', source: 'configuration', taken: true }],
    })
    expect(await program.post('/v1/proposals', forAna)).toMatchObject({ status: 422, body: { code: 'nobody_can_decide' } })
    expect(await program.post('/v1/people', { id: 'eva', name: 'Eva', identities: ['sim:eva'] })).toMatchObject({ status: 201 })
    expect(await program.post('/v1/people', { id: 'eva' })).toMatchObject({ status: 409, body: { code: 'exists' } })
    expect(await program.post('/v1/people/eva/roles', { value: 'supervisor' })).toMatchObject({
      status: 200,
      body: { id: 'eva', roles: [{ value: 'supervisor', source: 'managed', taken: false }] },
    })
    expect(await program.get('/v1/people/eva')).toMatchObject({ body: { identities: [{ value: 'sim:eva' }] } })
    expect((await program.post('/v1/proposals', forAna)).status).toBe(201)
    expect((await program.delete('/v1/people/eva/roles/supervisor')).body.roles).toEqual([])
    expect((await program.delete('/v1/people/eva/identities/sim:eva')).body.identities).toEqual([])
    expect((await program.delete('/v1/people/eva')).status).toBe(204)
    expect((await program.get('/v1/people')).body.data).toHaveLength(1)
    expect((await program.delete('/v1/people/nobody/roles/supervisor')).status).toBe(404)
  })

  it('is to end what somebody said “always” to', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [bookingAction(ledger, { always: { times: 5, days: 7 } })] })
    const program = await anApi(test).program(['grants'])
    const phone = test.phone('ana')
    await phone.says('registrá 3 cajas')
    await phone.says('dale siempre en esta conversación')
    await test.quiet()
    const { body } = await program.get('/v1/grants')
    expect(body.data).toMatchObject([{ person: 'sim:ana', action: 'registrar', conversation: forAna.conversation, times: 5 }])
    expect((await program.delete(`/v1/grants/${body.data[0].id}`)).status).toBe(204)
    expect((await program.delete(`/v1/grants/${body.data[0].id}`)).status).toBe(404)
    expect((await program.get('/v1/grants')).body.data).toEqual([])
    await phone.says('registrá 4 cajas')
    expect((await test.proposals()).at(-1)?.state.name).toBe('pending')
  })
})

describe('what is no request', () => {
  it('is told with everything that is wrong in it, as a problem document', async () => {
    await using test = await aPhonesHouse()
    const program = await anApi(test).program()
    const wrong = await program.post('/v1/proposals', { ...forAna, conversation: { account: 'demo' }, confirmed: true })
    expect(wrong.headers.get('content-type')).toBe('application/problem+json')
    expect(wrong).toMatchObject({
      status: 400,
      body: {
        type: 'urn:dale:problem:invalid-request',
        title: 'The request is not as it should be.',
        status: 400,
        errors: expect.arrayContaining([
          { in: 'body', at: '/confirmed', detail: 'is not known here' },
          expect.objectContaining({ in: 'body', at: '/conversation/chat' }),
        ]),
      },
    })
    expect(await program.post('/v1/proposals', { ...forAna, args: { cajas: 3, confirmed: true } })).toMatchObject({
      status: 400,
      body: { code: 'invalid_args' },
    })
    expect(
      (await program.send('/v1/proposals', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }))
        .status,
    ).toBe(400)
    expect(
      (
        await program.send('/v1/proposals', {
          method: 'POST',
          body: JSON.stringify(forAna),
          headers: { 'content-type': 'text/plain' },
        })
      ).status,
    ).toBe(400)
    expect((await program.post('/v1/proposals', { ...forAna, args: { a: 'x'.repeat(200_000) } })).status).toBe(413)
    expect((await program.get('/v1/nothing')).body).toMatchObject({ status: 404, code: 'not_found' })
    expect(await test.proposals()).toEqual([])
  })
})
