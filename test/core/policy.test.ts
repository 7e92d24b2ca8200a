// biome-ignore-all lint/suspicious/noThenProperty: "when … then …" is how a rule reads, and no rule is ever awaited
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { noPast } from '../../src/core/past.ts'
import { type Around, type Asker, type Gated, type Policy, policyOf, spokenOn } from '../../src/core/policy.ts'
import type { Approvers } from '../../src/core/proposal.ts'

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

describe('for whom a rule is', () => {
  const maria = { id: 'maria', roles: ['ventas'], formerly: ['tg:1'] }
  const around = (differs: Partial<Asker> = {}): Around => ({
    asker: { account: 'front', person: maria, roles: maria.roles, ...differs },
    past: noPast,
  })
  const speaks = (rule: Policy, by: Around) => policyOf({ version: 'v1', rules: [rule] }, crear, {}, by).kind === 'denied'

  it('is an account, a person by any of their names, a role, or one of several actions', () => {
    expect(speaks(denying({ accounts: ['front'] }), around())).toBe(true)
    expect(speaks(denying({ accounts: ['other'] }), around())).toBe(false)
    expect(speaks(denying({ people: ['tg:1'] }), around())).toBe(true)
    expect(speaks(denying({ people: ['eva'] }), around())).toBe(false)
    expect(speaks(denying({ roles: ['caja', 'ventas'] }), around())).toBe(true)
    expect(speaks(denying({ roles: ['ventas'] }), around({ roles: [] }))).toBe(false)
    expect(speaks(denying({ action: ['otra', 'crear_acuerdo'] }), around())).toBe(true)
    expect(speaks(denying({ action: ['otra'] }), around())).toBe(false)
  })

  it('is nobody who came over the API, where it names somebody', () => {
    const nobody: Around = { asker: { account: 'front', roles: [] }, past: noPast }
    expect(speaks(denying({ people: ['maria'] }), nobody)).toBe(false)
    expect(speaks(denying({ roles: ['ventas'] }), nobody)).toBe(false)
    expect(speaks(denying(), nobody)).toBe(true)
  })

  it('is told to a condition of its own', () => {
    const mine = denying({ when: (_, { roles, account }) => roles.includes('ventas') && account === 'front' })
    expect(speaks(mine, around())).toBe(true)
    expect(speaks(mine, around({ roles: [] }))).toBe(false)
  })
})

describe('allow', () => {
  const pagar: Gated = { name: 'pagar', reversibility: 'reversible' }
  const allow: Policy = { action: '*', then: 'allow' }
  const boss = rule({ approvers: supervisor })

  it('takes away what rules below it ask, and nothing of those above it', () => {
    expect(ask([allow, boss], pagar)).toMatchObject({ reasons: [], approvers: { kind: 'requester' } })
    expect(ask([boss, allow], pagar)).toMatchObject({ reasons: [{ code: 'HIGH_COST' }], approvers: supervisor })
  })

  it('leaves the card, and whom the action itself asks', () => {
    expect(ask([allow, boss], { ...pagar, approvers: two })).toMatchObject({ kind: 'confirm', approvers: two })
  })

  it.each(['observed', 'irreversible'] as const)('has no say over what is %s', (reversibility) => {
    const action = { ...pagar, reversibility }
    expect(ask([allow, boss], action)).toEqual(ask([boss], action))
    expect(spokenOn({ version: 'v1', rules: [allow] }, action, {}).map(({ said }) => said.kind)).toEqual(['powerless'])
  })

  it('never makes a rule that fails pass', () => {
    const failing = rule({ when: () => 'yes' as never })
    expect(ask([allow, failing], pagar)).toMatchObject({ kind: 'denied', reason: { code: 'POLICY_ERROR' } })
  })
})

describe('whatever the rules', () => {
  const anyRule = fc.record({
    action: fc.constantFrom('*', 'crear_acuerdo', 'otra'),
    then: fc.constantFrom('allow', 'confirm', 'deny'),
    holds: fc.boolean(),
    role: fc.constantFrom('none', 'a', 'b'),
    second: fc.boolean(),
  })
  type Drawn = typeof anyRule extends fc.Arbitrary<infer T> ? T : never
  const ruleOf = ({ action, then, holds, role, second }: Drawn): Policy => {
    const when = () => holds
    if (then === 'allow') return { action, then, when }
    if (then === 'deny') return { action, then, when, reason: { code: 'NO' } }
    const approvers: Approvers = role === 'none' ? { kind: 'requester' } : { kind: 'role', role, second }
    return { action, then: 'confirm', when, reason: { code: 'ASK' }, approvers }
  }
  const applies = (one: Drawn) => one.holds && one.action !== 'otra'

  it('it is denied exactly when a denial applies, and allow never makes it less than the action’s own', () => {
    fc.assert(
      fc.property(
        fc.array(anyRule, { maxLength: 8 }),
        fc.constantFrom('reversible', 'observed', 'irreversible'),
        (drawn, reversibility) => {
          const rules = drawn.map(ruleOf)
          const action: Gated = { name: 'crear_acuerdo', reversibility, approvers: supervisor }
          const answer = policyOf({ version: 'v1', rules }, action, {})
          expect(answer.kind === 'denied').toBe(drawn.some((one) => one.then === 'deny' && applies(one)))
          if (answer.kind !== 'confirm') return
          expect(answer.approvers.kind).toBe('role')
          const without = policyOf({ version: 'v1', rules: rules.filter(({ then }) => then !== 'allow') }, action, {})
          if (reversibility !== 'reversible') expect(answer).toEqual(without)
        },
      ),
      { numRuns: Number(process.env.DALE_POLICY_RUNS ?? 300) },
    )
  })
})
