import { describe, expect, it } from 'vitest'
import { drawKey } from '../../src/api/key.ts'
import { keyScopes } from '../../src/ports/api-keys.ts'
import { anApi, forAna } from '../support/api.ts'
import { aHouse } from '../support/house.ts'

const minute = 60_000

describe('a key', () => {
  it('is kept as a hash alone, and opens nothing once it is revoked, over or changed by a letter', async () => {
    await using test = await aHouse()
    const { program: make, send } = anApi(test)
    const program = await make()
    const brief = await make(keyScopes, { lastsMs: minute })
    const [row] = await test.stage.run('select * from dale.api_key where id = $1', [program.id])
    expect(JSON.stringify(row)).not.toContain(program.text.slice(-43))
    expect((await program.get('/v1/actions')).status).toBe(200)
    const last = program.text.at(-1) === 'A' ? 'B' : 'A'
    for (const authorization of [
      '',
      program.text,
      'Bearer dale_',
      `Bearer ${program.text.slice(0, -2)}${last}${last}`,
      `Bearer ${drawKey().text}`,
      `Basic ${Buffer.from(program.text).toString('base64')}`,
    ])
      expect(await send('/v1/actions', { headers: { authorization } })).toMatchObject({ status: 401, body: { code: 'no_key' } })
    await test.later(2 * minute)
    expect((await brief.get('/v1/actions')).status).toBe(401)
    expect(await test.house.store.revokeKey('other', program.id, 'test')).toBe(false)
    expect(await test.house.store.revokeKey(test.house.tenant, program.id, 'test')).toBe(true)
    expect((await program.get('/v1/actions')).status).toBe(401)
  })

  it('does what its scopes say and nothing else', async () => {
    await using test = await aHouse()
    const { program: make } = anApi(test)
    const tries = {
      propose: (one) => one.post('/v1/proposals', forAna),
      read: (one) => one.get('/v1/proposals'),
      halt: (one) => one.post('/v1/halts', { scope: 'all' }),
      people: (one) => one.get('/v1/people'),
      grants: (one) => one.get('/v1/grants'),
    } satisfies Record<
      (typeof keyScopes)[number],
      (one: Awaited<ReturnType<typeof make>>) => Promise<{ readonly status: number }>
    >
    for (const scope of keyScopes) {
      const program = await make([scope])
      for (const [needed, attempt] of Object.entries(tries))
        expect([scope, needed, (await attempt(program)).status === 403]).toEqual([scope, needed, scope !== needed])
      await test.house.store.resume({ kind: 'all' })
    }
  })

  it('may ask so often in a minute, on all gateways together, and is told when it may again', async () => {
    await using test = await aHouse()
    const { program: make } = anApi(test, 2)
    const program = await make()
    expect((await program.get('/v1/actions')).headers.get('ratelimit')).toMatch(/^"key";r=1;t=\d+$/)
    await program.get('/v1/actions')
    const limited = await program.get('/v1/actions')
    expect(limited).toMatchObject({ status: 429, body: { code: 'too_many_requests' } })
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await (await make()).get('/v1/actions')).status).toBe(200)
    await test.later(minute)
    expect((await program.get('/v1/actions')).status).toBe(200)
  })
})

describe('a request that is sent again', () => {
  it('is done once under its Idempotency-Key, and answered the same', async () => {
    await using test = await aHouse()
    const program = await anApi(test).program()
    const first = await program.post('/v1/proposals', forAna, { 'idempotency-key': '"one"' })
    const again = await program.post('/v1/proposals', forAna, { 'idempotency-key': 'one' })
    expect([again.status, again.body]).toEqual([first.status, first.body])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await test.proposals()).toHaveLength(1)
  })

  it('is refused with another payload, while it is being answered, and under what is no key', async () => {
    await using test = await aHouse()
    const api = anApi(test)
    const [program, other] = [await api.program(), await api.program()]
    await program.post('/v1/proposals', forAna, { 'idempotency-key': 'one' })
    expect(await program.post('/v1/proposals', { ...forAna, args: { cajas: 4 } }, { 'idempotency-key': 'one' })).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    })
    const statuses = await Promise.all(
      [1, 2, 3].map(
        async () => (await program.post('/v1/proposals', { ...forAna, args: { cajas: 5 } }, { 'idempotency-key': 'two' })).status,
      ),
    )
    expect(statuses.filter((status) => status !== 409 && status !== 201)).toEqual([])
    for (const key of ['', '"', 'two words', '"a""b"', 'ñ'.normalize('NFC'), 'x'.repeat(256)].filter((key) =>
      /^[\x20-\xff]*$/.test(key),
    ))
      expect(await program.post('/v1/proposals', forAna, { 'idempotency-key': key })).toMatchObject({
        status: 400,
        body: { code: 'idempotency_key_malformed' },
      })
    expect((await other.post('/v1/proposals', forAna, { 'idempotency-key': 'one' })).status).toBe(200)
    expect(await test.proposals()).toHaveLength(2)
  })

  it('is done once even when the process that did it died before it answered', async () => {
    await using test = await aHouse()
    const program = await anApi(test).program()
    const first = await program.post('/v1/proposals', forAna, { 'idempotency-key': 'one' })
    await program.post(`/v1/proposals/${first.body.proposalId}/withdraw`, {})
    await test.stage.run('update dale.idempotency_key set status = null, body = null, taken_until = dale.now_ms() + 30000')
    expect((await program.post('/v1/proposals', forAna, { 'idempotency-key': 'one' })).status).toBe(409)
    await test.later(minute)
    expect(await program.post('/v1/proposals', forAna, { 'idempotency-key': 'one' })).toMatchObject({
      status: 200,
      body: { proposalId: first.body.proposalId, executed: false },
    })
    expect(await test.proposals()).toHaveLength(1)
  })

  it('may be sent under the same key again where nothing was done, and after a day', async () => {
    await using test = await aHouse()
    const program = await anApi(test).program()
    await test.house.store.halt({ scope: { kind: 'all' }, by: 'test' })
    expect(await program.post('/v1/proposals', forAna, { 'idempotency-key': 'one' })).toMatchObject({
      status: 409,
      body: { code: 'halted' },
    })
    await test.house.store.resume({ kind: 'all' })
    expect((await program.post('/v1/proposals', forAna, { 'idempotency-key': 'one' })).status).toBe(201)
    await test.later(24 * 60 * minute)
    expect((await program.post('/v1/proposals', { ...forAna, args: { cajas: 4 } }, { 'idempotency-key': 'one' })).status).toBe(
      201,
    )
  })
})
