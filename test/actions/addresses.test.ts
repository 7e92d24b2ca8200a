import type { lookup } from 'node:dns'
import { describe, expect, it, onTestFinished } from 'vitest'
import { refusalOf } from '../../src/actions/addresses.ts'
import { type HttpCall, HttpCallError, httpCall } from '../../src/actions/http-call.ts'
import { startActionServer } from '../support/action-server.ts'

const aCanary = async () => {
  const server = await startActionServer()
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

const calling = (url: string, differs: Partial<HttpCall> = {}) =>
  httpCall({
    method: 'GET',
    url: new URL(url),
    headers: {},
    signal: AbortSignal.timeout(5_000),
    allowPrivate: false,
    maxBytes: 1_000,
    ...differs,
  })

/** A name server that plays one answer after the other. */
const answering = (...answers: readonly (readonly string[])[]) => {
  const left = [...answers]
  const resolve = (
    _host: string,
    _options: unknown,
    done: (error: null, addresses: { address: string; family: number }[]) => void,
  ) =>
    done(
      null,
      (left.shift() ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  return resolve as never as typeof lookup
}

describe('an address inside', () => {
  it.each([
    'http://127.0.0.1:PORT/',
    'http://127.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f000001:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://0:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[64:ff9b::7f00:1]:PORT/',
    'http://[2002:7f00:1::]:PORT/',
    'http://１２７.０.０.１:PORT/',
    'http://localhost:PORT/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://[fe80::1]/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://100.100.100.200/',
  ])('%s is refused before a byte leaves', async (url) => {
    const canary = await aCanary()
    const error: unknown = await calling(url.replace('PORT', String(canary.port))).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(HttpCallError)
    expect(error).toMatchObject({ sent: false, message: expect.stringContaining('not on the public internet') })
    expect(canary.arrived).toEqual([])
  })

  it('is refused when a name leads there', async () => {
    const canary = await aCanary()
    const error = await calling(`http://crm.example:${canary.port}/`, { resolve: answering(['127.0.0.1']) }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ sent: false })
    expect(canary.arrived).toEqual([])
  })

  it('is refused when only one of a name’s addresses leads there', async () => {
    const canary = await aCanary()
    const error = await calling(`http://crm.example:${canary.port}/`, { resolve: answering(['93.184.215.14', '::1']) }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ sent: false })
    expect(canary.arrived).toEqual([])
  })

  it('is judged in the very answer that is connected to, so a name that changes gains nothing', async () => {
    const canary = await aCanary()
    const resolve = answering(['127.0.0.1'], ['93.184.215.14'])
    const error = await calling(`http://rebind.example:${canary.port}/`, { resolve }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ sent: false })
    expect(canary.arrived).toEqual([])
  })

  it('is called when its host is named', async () => {
    const canary = await aCanary()
    const answer = await calling(`http://crm.example:${canary.port}/`, {
      resolve: answering(['127.0.0.1']),
      allowPrivate: ['crm.example'],
    })
    expect(answer.status).toBe(404)
  })
})

describe('a redirect', () => {
  it('is an answer, and is not followed', async () => {
    const canary = await aCanary()
    const server = await aCanary()
    server.next({ kind: 'status', status: 302, headers: { location: canary.url } })
    expect((await calling(server.url, { allowPrivate: true })).status).toBe(302)
    expect(canary.arrived).toEqual([])
  })
})

describe('allowPrivate: true', () => {
  it.each(['127.0.0.1', '10.1.2.3', '::1', 'fd12::1', '8.8.8.8'])('lets %s be called', (address) => {
    expect(refusalOf('crm', address, true)).toBeUndefined()
  })

  it.each(['169.254.169.254', '100.100.100.200', 'fd00:ec2::254', 'fe80::1', '0.0.0.0', '224.0.0.1', '255.255.255.255'])(
    'does not open %s',
    (address) => {
      expect(refusalOf('crm', address, true)?.message).toContain('name the host')
    },
  )
})
