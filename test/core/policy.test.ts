// biome-ignore-all lint/suspicious/noThenProperty: "when … then …" is how a rule reads, and no rule is ever awaited
import { describe, expect, it } from 'vitest'
import { type Gated, type Policy, policyOf } from '../../src/core/policy.ts'

const crear: Gated = { name: 'crear_acuerdo', reversibility: 'observed' }
const supervisor = { kind: 'role', role: 'supervisor', second: false } as const
const two = { kind: 'role', role: 'cobranzas', second: true } as const
type Asking = Extract<Policy, { then: 'confirm' }>
const rule = (differs: Partial<Asking> = {}): Asking => ({
  action: '*',
  then: 'confirm',
  reason: { code: 'HIGH_COST' },
  ...differs,
})
const denying = (differs: Partial<Extract<Policy, { then: 'deny' }>> = {}): Policy => ({
  action: '*',
  then: 'deny',
  reason: { code: 'CUSTOM_POLICY_REQUIREMENT' },
  ...differs,
})
const ask = (rules: readonly Policy[], action = crear, args: unknown = { monto: 5_000 }) =>
  policyOf({ version: 'v1', rules }, action, args)

describe('policyOf', () => {
  it('asks the requester where no rule says otherwise', () => {
    expect(ask([])).toEqual({ kind: 'confirm', reasons: [], marks: [], approvers: { kind: 'requester' }, version: 'v1' })
  })

  it('asks whom the action says', () => {
    expect(ask([], { ...crear, approvers: supervisor })).toMatchObject({ approvers: supervisor })
  })

  it('makes one question of several reasons, in their order and each once', () => {
    const answer = ask([rule(), rule({ reason: { code: 'PRODUCTION_WRITE', message: 'es producción' } }), rule()])
    expect(answer).toMatchObject({
      kind: 'confirm',
      reasons: [{ code: 'HIGH_COST' }, { code: 'PRODUCTION_WRITE', message: 'es producción' }],
    })
  })

  it('lets a denial win wherever it stands', () => {
    const denial = denying()
    const denied = { kind: 'denied', reason: { code: 'CUSTOM_POLICY_REQUIREMENT' }, version: 'v1' }
    expect(ask([denial, rule()])).toEqual(denied)
    expect(ask([rule(), denial])).toEqual(denied)
  })

  it('heeds only rules for this action whose condition holds', () => {
    const over = (least: number) => rule({ action: 'crear_acuerdo', when: (args) => (args as { monto: number }).monto > least })
    expect(ask([over(9_000), denying({ action: 'otra' })])).toMatchObject({ kind: 'confirm', reasons: [] })
    expect(ask([over(1_000)])).toMatchObject({ reasons: [{ code: 'HIGH_COST' }] })
  })

  it.each([
    ['a role over the requester', [rule(), rule({ approvers: supervisor })], crear, supervisor],
    [
      'the first rule’s role over a later one’s',
      [rule({ approvers: supervisor }), rule({ approvers: { ...two, second: false } })],
      crear,
      supervisor,
    ],
    [
      'a second person if any rule asks for one',
      [rule({ approvers: supervisor }), rule({ approvers: two })],
      crear,
      { ...supervisor, second: true },
    ],
    [
      'the action’s role over a rule’s requester',
      [rule({ approvers: { kind: 'requester' } })],
      { ...crear, approvers: two },
      two,
    ],
  ] as const)('takes %s', (_, rules, action, approvers) => {
    expect(ask(rules, action)).toMatchObject({ approvers })
  })

  it('denies when a rule fails, or answers neither true nor false', () => {
    const failing = rule({
      when: () => {
        throw new Error('no such field')
      },
    })
    expect(ask([failing])).toEqual({
      kind: 'denied',
      reason: { code: 'POLICY_ERROR' },
      version: 'v1',
      cause: new Error('no such field'),
    })
    const promising = rule({ when: (async () => false) as never })
    expect(ask([promising])).toMatchObject({ kind: 'denied', reason: { code: 'POLICY_ERROR' } })
  })
})
