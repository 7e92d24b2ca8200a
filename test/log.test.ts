import { describe, expect, it } from 'vitest'
import { loggable } from '../src/log.ts'
import { scrub } from '../src/scrub.ts'

describe('a line of the log', () => {
  it('carries ids, names and counts, and nothing that it does not know', () => {
    const about = {
      proposal: '01K4Z8M2Q7',
      account: 'front',
      turns: 3,
      text: 'sí, dale',
      phone: '+5491155550000',
      args: { amount: 1 },
      to: 'pending',
    }
    expect(loggable(about, false)).toEqual({ proposal: '01K4Z8M2Q7', account: 'front', turns: 3, to: 'pending' })
  })

  it('leaves out an object under a name that it knows', () => {
    expect(loggable({ account: { name: 'front' }, code: ['x'] }, false)).toEqual({})
  })

  it('keeps the event that moved a proposal apart from the line’s own word', () => {
    expect(loggable({ event: 'approve' }, false)).toEqual({ move: 'approve' })
  })

  it('tells an error with its causes, without their stacks unless asked', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })
    const err = new Error('The database could not be asked', { cause })
    expect(loggable({ err }, false)).toEqual({
      err: {
        name: 'Error',
        message: 'The database could not be asked',
        cause: { name: 'Error', code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:5432' },
      },
    })
    expect(loggable({ error: err }, true)).toMatchObject({ err: { stack: expect.stringContaining('log.test.ts') } })
  })
})

describe('scrubbing', () => {
  it.each([
    [
      'a token in an address',
      'GET https://api.telegram.org/bot123456789:AAF-x_yzABCDEFGHIJKLMNOPQRSTUVWXYZ/getMe',
      'GET https://api.telegram.org/bot…/getMe',
    ],
    ['a password in an address', 'postgres://dale:secret@db:5432/dale refused', 'postgres://…@db:5432/dale refused'],
    ['keys behind an address', 'https://crm.example/x?key=abc&b=1 said 500', 'https://crm.example/x?… said 500'],
    ['a bearer token', 'Authorization: Bearer abc.def', 'Authorization: Bearer …'],
    ['a phone number', 'no such number +54 (911) 5555-0000 here', 'no such number … here'],
    ['a number of a person', 'chat tg:42000001 not found', 'chat tg:… not found'],
  ])('takes out %s', (_what, said, kept) => {
    expect(scrub(said)).toBe(kept)
  })

  it.each([
    'proposal 01K4Z8M2Q7W6X5V4T3S2R1Q0P9 lost',
    'connect ECONNREFUSED 127.0.0.1:54321',
    'took longer than 30000 ms',
    'PostgreSQL 17.2',
  ])('leaves %j', (said) => {
    expect(scrub(said)).toBe(said)
  })
})
