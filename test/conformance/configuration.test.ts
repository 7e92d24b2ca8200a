import { describe, expect, test } from 'vitest'
import { checkPreview } from '../../src/actions/check-preview.ts'
import { defineAction } from '../../src/actions/define-action.ts'
import { checkConfig } from '../../src/config/check-config.ts'
import { ActionError, ConfigError } from '../../src/core/errors.ts'
import { over } from '../../src/core/over.ts'
import { noPast } from '../../src/core/past.ts'
import { type Policy, policyOf } from '../../src/core/policy.ts'
import { script } from '../support/house.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'

const action = bookingAction(new Ledger())
const right = { accounts: { demo: { channel: 'simulator' } }, agent: script, actions: [action] }
const rule = { action: '*', then: 'confirm', reason: { code: 'HIGH_COST' } } as const

/** The places that a configuration is wrong at; none when it loads. */
function wrongAt(differs: object, variables: Readonly<Record<string, string>> = {}): readonly string[] {
  try {
    checkConfig({ ...right, ...differs }, { DALE_SECRET_KEY: 'ab'.repeat(32), ...variables }, '/nowhere')
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ path }) => path)
    throw error
  }
}
const refusedBy = (make: () => unknown): readonly string[] => {
  try {
    make()
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ path }) => path)
    throw error
  }
}

test('the configuration that these tests spoil is right', () => {
  expect(wrongAt({})).toEqual([])
  expect(wrongAt({ policies: [rule] })).toEqual([])
})

describe('what could not be gated', () => {
  test('as-066: a chain of agents does not load', () => {
    expect(wrongAt({ agent: [script, script] })).toEqual(['agent'])
    expect(wrongAt({ chain: [script, script] })).toEqual(['chain'])
  })

  test('as-067: what cannot be gated does not load', () => {
    const { preview: _preview, ...ungated } = action
    expect(wrongAt({ actions: [ungated] })).toEqual(['actions.0'])
  })

  test('as-083: a WhatsApp webhook without its app secret does not load', () => {
    const accounts = { demo: { channel: 'whatsapp-cloud' } }
    const others = { WHATSAPP_ACCESS_TOKEN: 'EAAx', WHATSAPP_PHONE_NUMBER_ID: '100000000000001', WHATSAPP_VERIFY_TOKEN: 'a-word' }
    expect(wrongAt({ accounts }, others)).toEqual(['accounts.demo.secretEnv'])
    expect(wrongAt({ accounts }, { ...others, WHATSAPP_APP_SECRET: 'secret' })).toEqual([])
  })
})

describe('a rule', () => {
  const limit = { field: 'cajas', perRole: { vendedor: '100' }, withinMs: 60_000 }
  const seller = { asker: { account: 'demo', roles: ['vendedor'] }, past: noPast }
  const asked = (rules: readonly Policy[], cajas: number) => policyOf({ version: 'v', rules }, action, { cajas }, seller)

  test('at-391: a value near the asker’s limit is asked for with that reason', () => {
    const rules: readonly Policy[] = [
      { action: '*', then: 'confirm', when: over({ ...limit, fromPercent: 90 }), reason: { code: 'NEAR_LIMIT' } },
    ]
    expect([89, 90, 100].map((cajas) => asked(rules, cajas))).toMatchObject([
      { kind: 'confirm', reasons: [] },
      { kind: 'confirm', reasons: [{ code: 'NEAR_LIMIT' }] },
      { kind: 'confirm', reasons: [{ code: 'NEAR_LIMIT' }] },
    ])
  })

  test('at-395: a value above the asker’s limit is asked of a role', () => {
    const approvers = { kind: 'role', role: 'gerente', second: false } as const
    const rules: readonly Policy[] = [{ ...rule, when: over(limit), approvers }]
    expect(asked(rules, 101)).toMatchObject({ kind: 'confirm', approvers })
    expect(asked(rules, 100)).toMatchObject({ kind: 'confirm', approvers: { kind: 'requester' }, reasons: [] })
  })

  test('ga-423: a reason is a word in capitals', () => {
    expect(wrongAt({ policies: [{ ...rule, reason: { code: 'because' } }] })).toEqual(['policies.0.reason.code'])
    expect(wrongAt({ policies: [{ ...rule, reason: { code: 'NEW_CUSTOMER', message: 'El cliente es nuevo' } }] })).toEqual([])
  })

  test.each(['', ' ', '\n\u00a0'])('ga-424: the words of a reason say something', (message) => {
    expect(wrongAt({ policies: [{ ...rule, reason: { code: 'HIGH_COST', message } }] })).toEqual(['policies.0.reason.message'])
  })

  test('ga-425: a denial asks nobody', () => {
    const approvers = { kind: 'requester' }
    expect(wrongAt({ policies: [{ ...rule, then: 'deny', approvers }] })).toEqual(['policies.0.approvers'])
  })

  test('ga-426: a rule has a reason', () => {
    expect(wrongAt({ policies: [{ action: '*', then: 'confirm' }] })).toEqual(['policies.0.reason'])
  })
})

describe('times and names', () => {
  test.each([0, -1, 0.5, Number.NaN, 8 * 24 * 3_600_000])(
    'av-314: a lease is a whole time, neither none nor without end',
    (leaseMs) => {
      expect(wrongAt({ limits: { leaseMs } })).toContain('limits.leaseMs')
    },
  )

  test('av-315: a lease outlasts every call', () => {
    expect(wrongAt({ limits: { leaseMs: action.timeoutMs } })).toEqual(['limits.leaseMs'])
    expect(wrongAt({ limits: { leaseMs: action.timeoutMs + 1 } })).toEqual([])
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 0, -1, 1000.5])('av-349: how long a card waits is a whole time', (ttlMs) => {
    expect(refusedBy(() => bookingAction(new Ledger(), { ttlMs }))).toEqual(['registrar.ttlMs'])
  })

  test('av-348: no proposal is without a tenant: an agent cannot name one, and a house has one', () => {
    expect(wrongAt({ tenant: '' })).toEqual(['tenant'])
    expect(wrongAt({ tenant: ' ' })).toEqual(['tenant'])
    expect(checkConfig(right, { DALE_SECRET_KEY: 'ab'.repeat(32) }, '/nowhere').config.tenant).toBe('default')
    expect(action.parse({ cajas: 3, tenant: 'other' }).ok).toBe(false)
  })

  test('av-351: tenants, accounts and actions have short names', () => {
    const long = 'a'.repeat(256)
    expect(wrongAt({ tenant: long })).toEqual(['tenant'])
    expect(wrongAt({ accounts: { [long]: { channel: 'simulator' } } })).toEqual([`accounts.${long}`])
    expect(refusedBy(() => bookingAction(new Ledger(), { name: long }))).toEqual([`${long}.name`])
  })
})

test('av-215: an action has a preview, and a preview a summary', () => {
  const without = { ...action, preview: undefined } as unknown as Parameters<typeof defineAction>[0]
  expect(refusedBy(() => defineAction(without))).toContain('registrar.preview')
  const silent = () => checkPreview('registrar', { summary: '', fields: [] })
  expect(silent).toThrow(ActionError)
  expect(silent).toThrow(/summary/)
})
