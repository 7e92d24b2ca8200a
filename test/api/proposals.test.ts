import { describe, expect, it } from 'vitest'
import { anApi, forAna } from '../support/api.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'
import { anId, aProposal } from '../support/proposals.ts'

describe('a program asks over HTTP', () => {
  it('gets a receipt, and the outcome as soon as the person has decided', async () => {
    await using test = await aPhonesHouse()
    const program = await anApi(test).program(['propose', 'read'])
    const asked = await program.post('/v1/proposals', forAna)
    await test.quiet()
    const phone = test.phone('ana')
    expect(asked).toMatchObject({
      status: 201,
      body: { code: phone.card().code, status: 'pending', executed: false, repeated: false },
    })
    const { proposalId } = asked.body
    expect(await program.get(`/v1/proposals/${proposalId}/outcome`)).toMatchObject({ status: 202, body: { state: 'pending' } })
    await test.read()
    const waiting = program.get(`/v1/proposals/${proposalId}/outcome?wait=20`)
    await phone.says('dale')
    const { status, body } = await waiting
    expect([status, body]).toMatchObject([
      200,
      {
        id: proposalId,
        action: 'registrar',
        args: { cajas: 3 },
        origin: 'api',
        requester: 'sim:ana',
        state: 'succeeded',
        final: true,
        executed: true,
        decisions: [{ person: 'sim:ana', verdict: 'approve', via: 'phrase' }],
      },
    ])
    expect(test.ledger.effects).toHaveLength(1)
    expect(test.turns).toEqual([])
  })

  it('finds the chat of a person who wrote here, and no chat of one who did not', async () => {
    await using test = await aPhonesHouse()
    const program = await anApi(test).program()
    await test.phone('ana').says('cuánto sale')
    const { conversation: _, ...anywhere } = forAna
    expect(await program.post('/v1/proposals', anywhere)).toMatchObject({ status: 201 })
    expect(await program.post('/v1/proposals', { ...anywhere, requester: 'sim:beto' })).toMatchObject({
      status: 422,
      body: { code: 'no_conversation' },
    })
    expect(await program.post('/v1/conversations', { account: 'demo', person: 'sim:ana' })).toMatchObject({
      status: 200,
      body: forAna.conversation,
    })
    expect(await program.get('/v1/conversations')).toMatchObject({ body: { data: [forAna.conversation], next: null } })
  })

  it('is told in no chat what became of a proposal that was made in none', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({
      ledger,
      people: [{ id: 'eva', name: 'Eva', identities: ['sim:eva'], roles: ['supervisor'] }],
      roleChats: { supervisor: { account: 'demo', chat: 'eva' } },
      actions: [bookingAction(ledger, { approvers: { kind: 'role', role: 'supervisor', second: false } })],
    })
    const program = await anApi(test).program()
    const { body } = await program.post('/v1/proposals', { action: 'registrar', args: { cajas: 3 } })
    await test.quiet()
    await test.read()
    await test.phone('eva').says(`dale #${body.code}`)
    expect(await program.get(`/v1/proposals/${body.proposalId}/outcome?wait=5`)).toMatchObject({
      status: 200,
      body: { state: 'succeeded' },
    })
    expect(await test.stage.run('select distinct conversation from dale.outbox')).toEqual([{ conversation: 'demo/eva' }])
  })

  it('takes back what it asked for, and not what another key or a person did', async () => {
    await using test = await aPhonesHouse()
    const api = anApi(test)
    const [program, other] = [await api.program(), await api.program()]
    const { body } = await program.post('/v1/proposals', forAna)
    await test.quiet()
    expect(await other.post(`/v1/proposals/${body.proposalId}/withdraw`, {})).toMatchObject({
      status: 409,
      body: { code: 'not_own' },
    })
    expect(await program.post(`/v1/proposals/${body.proposalId}/withdraw`, {})).toMatchObject({
      status: 200,
      body: { state: 'discarded', reason: 'withdrawn' },
    })
    expect(await program.post(`/v1/proposals/${body.proposalId}/withdraw`, {})).toMatchObject({
      status: 409,
      body: { code: 'too_late' },
    })
    expect(await program.post(`/v1/proposals/${anId()}/withdraw`, {})).toMatchObject({ status: 404 })
  })

  it('lists proposals page by page, the newest first', async () => {
    await using test = await aPhonesHouse()
    const program = await anApi(test).program()
    for (const cajas of [1, 2, 3]) await program.post('/v1/proposals', { ...forAna, args: { cajas } })
    const first = await program.get('/v1/proposals?limit=2')
    const second = await program.get(`/v1/proposals?limit=2&before=${first.body.next}`)
    expect([first, second].map(({ body }) => body.data.map((one: { readonly args: unknown }) => one.args))).toEqual([
      [{ cajas: 3 }, { cajas: 2 }],
      [{ cajas: 1 }],
    ])
    expect(second.body.next).toBe(null)
    expect((await program.get('/v1/proposals?state=rejected,expired')).body.data).toEqual([])
    expect((await program.get('/v1/proposals?account=demo&chat=beto')).body.data).toEqual([])
    expect((await program.get('/v1/proposals?action=registrar&account=demo&chat=ana')).body.data).toHaveLength(3)
  })
})

describe('what nobody may do with any key', () => {
  it('is to hide a key that is none: it is refused, and not dropped', async () => {
    await using test = await aPhonesHouse()
    const { text } = await anApi(test).program()
    const { status, body } = await anApi(test).send('/v1/proposals', {
      method: 'POST',
      headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json' },
      body: JSON.stringify(forAna).replace(/("args":\{)/, '$1"__proto__":{"x":1},'),
    })
    expect([status, body.code, await test.proposals()]).toEqual([400, 'invalid_args', []])
  })

  it('is to decide: every word and field that could mean a yes changes nothing, wherever it is sent', async () => {
    await using test = await aPhonesHouse()
    const program = await anApi(test).program()
    const { body: receipt } = await program.post('/v1/proposals', forAna)
    await test.quiet()
    const id: string = receipt.proposalId
    const vocabulary = test.house.words.of('demo').vocabulary
    const words = [...vocabulary.approve.keys(), ...vocabulary.reject.keys(), ...vocabulary.always, ...vocabulary.off.keys()]
    expect(words.length).toBeGreaterThan(20)
    const fields = [
      'confirmed',
      'approved',
      'approvedBy',
      'approve',
      'decision',
      'verdict',
      'state',
      'status',
      'via',
      'person',
      'origin',
      'human',
      'executed',
      'always',
      'grant',
      'proposedBy',
      'id',
    ]
    const before = await test.stage.run('select id, revision, state from dale.proposal')
    for (const [index, field] of fields.entries()) {
      const word = words[index % words.length]
      for (const value of [true, word, 'approved', { person: 'sim:ana', verdict: 'approve' }]) {
        expect(await program.post('/v1/proposals', { ...forAna, args: { cajas: 9 }, [field]: value })).toMatchObject({
          status: 400,
        })
        expect(await program.post('/v1/proposals', { ...forAna, args: { cajas: 9, [field]: value } })).toMatchObject({
          status: 400,
        })
      }
      expect(await program.get(`/v1/proposals?${field}=approved`)).toMatchObject({ status: field === 'state' ? 200 : 400 })
    }
    for (const word of words) {
      for (const body of [word, { text: word }, { message: word, code: receipt.code }, { verdict: word }])
        for (const path of ['', '/approve', '/decide', '/decision', '/reject', '/press', '/confirm', '/outcome', '/events'])
          expect((await program.post(`/v1/proposals/${id}${path}`, body)).status).toBe(404)
      expect((await program.post('/v1/proposals', { ...forAna, action: word })).status).toBe(400)
      expect((await program.post(`/v1/proposals/${encodeURIComponent(word)}/withdraw`, {})).status).toBe(400)
    }
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expect((await program.send(`/v1/proposals/${id}`, { method, body: '{"state":"approved"}' })).status).toBe(404)
    expect(await test.stage.run('select id, revision, state from dale.proposal')).toEqual(before)
    expect(await test.stage.run('select * from dale.decision')).toEqual([])
    expect(test.ledger.effects).toEqual([])
  })

  it('is to see another tenant: its proposals are not there, and its keys open nothing', async () => {
    await using test = await aPhonesHouse()
    const api = anApi(test)
    const [program, stranger] = [await api.program(), await api.program(undefined, { tenant: 'other' })]
    const theirs = aProposal({ tenant: 'other', state: 'draft', conversation: forAna.conversation })
    await test.stage.store.commit({ create: [theirs] })
    expect(await stranger.get('/v1/proposals')).toMatchObject({ status: 401 })
    for (const path of [`/v1/proposals/${theirs.id}`, `/v1/proposals/${theirs.id}/outcome`, `/v1/proposals/${theirs.id}/events`])
      expect(await program.get(path)).toMatchObject({ status: 404 })
    expect(await program.post(`/v1/proposals/${theirs.id}/withdraw`, {})).toMatchObject({ status: 404 })
    expect((await program.get('/v1/proposals')).body.data).toEqual([])
    expect((await program.get('/v1/events')).body.data).toEqual([])
  })
})
