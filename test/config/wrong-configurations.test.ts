// biome-ignore-all lint/suspicious/noThenProperty: "when … then …" is how a rule reads, and no rule is ever awaited
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { defineAction } from '../../src/actions/define-action.ts'
import { checkConfig } from '../../src/config/check-config.ts'
import { ConfigError } from '../../src/core/errors.ts'
import { over } from '../../src/core/over.ts'
import { changed, farFromUsual, neverSeen } from '../../src/core/unusual.ts'

const anAction = (name: string, reversibility: 'reversible' | 'observed' | 'irreversible') =>
  defineAction({
    name,
    version: '1',
    description: 'Pays.',
    input: z.object({ monto: z.string(), moneda: z.string(), a: z.object({ cbu: z.string() }) }),
    reversibility,
    ...(reversibility === 'irreversible' ? { approvers: { kind: 'role', role: 'jefe', second: true } } : {}),
    preview: () => ({ summary: 'Pagar', fields: [] }),
    execute: async () => {},
  })

const day = 86_400_000
const reason = { code: 'HIGH_COST' }

/** A configuration with some of everything, and right. Made anew, to be spoilt. */
const right = () => ({
  tenant: 'casa',
  accounts: { front: { channel: 'simulator' }, back: { channel: 'simulator' } } as Record<string, unknown>,
  agent: { async *run() {} } as unknown,
  actions: [anAction('pagar', 'reversible'), anAction('enviar', 'observed'), anAction('borrar', 'irreversible')] as unknown[],
  policies: [
    { action: '*', then: 'deny', roles: ['baja'], reason },
    { action: 'pagar', then: 'allow', people: ['eva'] },
    {
      action: ['pagar', 'enviar'],
      accounts: ['front'],
      when: over({ field: 'monto', perRole: { ventas: '100000', jefe: '9.5' }, withinMs: day }),
      then: 'confirm',
      approvers: { kind: 'role', role: 'jefe', second: false },
      reason: { code: 'OVER_LIMIT', message: 'Es mucho.' },
    },
    {
      action: 'pagar',
      when: over({ field: 'monto', currency: 'moneda', perRole: { ventas: { ARS: '1' } }, withinMs: day }),
      then: 'deny',
      reason,
    },
    { action: 'pagar', when: farFromUsual({ field: 'monto' }), then: 'confirm', reason },
    { action: 'pagar', when: neverSeen({ field: 'a.cbu' }), then: 'confirm', reason },
    { action: 'pagar', when: changed({ field: 'a.cbu', of: 'moneda' }), then: 'confirm', reason },
    { action: 'pagar', when: () => false, then: 'confirm', reason },
  ] as Record<string, unknown>[],
  people: [
    { id: 'eva', name: 'Eva', roles: ['jefe'], identities: ['tg:1'] },
    { id: 'leo', name: 'Leo', roles: ['jefe', 'ventas', 'caja', 'turno', 'noche', 'tarde'], identities: ['tg:2'] },
  ] as Record<string, unknown>[],
  roles: ['baja'],
  roleChats: { jefe: { account: 'front', chat: 'jefes' } } as Record<string, unknown>,
  limits: { maxOpenPerConversation: 3 } as Record<string, unknown>,
  hooks: { onSettled: () => undefined } as Record<string, unknown>,
})
type Spoilt = ReturnType<typeof right>

/** One way to be wrong: what it does, and where that is told. */
type Spoiling = readonly [part: string, spoil: (config: Spoilt, drawn: Drawn) => string]
interface Drawn {
  readonly junk: unknown
  readonly word: string
}

const confirm = 2
const put = (config: Spoilt, rule: Record<string, unknown>, place: string): string => {
  config.policies.push({ action: 'pagar', then: 'confirm', reason, ...rule })
  return `policies.${config.policies.length - 1}.${place}`
}
const unknownName = (word: string) => `no_such_${word}`
const limit = (differs: object) => ({
  when: { ...over({ field: 'monto', perRole: { ventas: '1' }, withinMs: day }), ...differs },
})
const far = (differs: object) => ({ when: { ...farFromUsual({ field: 'monto' }), ...differs } })

const escalate = (c: Spoilt, differs: object, place = 'escalate') =>
  put(c, { escalate: { afterMs: 60_000, to: 'jefe', ...differs } }, place)
const byFunction = (c: Spoilt, differs: object, place = 'approvers') =>
  put(c, { approvers: { kind: 'function', choose: () => 'eva', ...differs } }, place)
const byLimit = (c: Spoilt, differs: object, place = 'approvers', perRole: object = { jefe: '9' }) =>
  put(c, { ...limit({ perRole }), approvers: { kind: 'limit', ...differs } }, place)
const quiet = (c: Spoilt, differs: object, place: string) => {
  c.accounts.front = {
    channel: 'simulator',
    quietHours: { from: '22:00', to: '08:00', timeZone: 'America/Sao_Paulo', ...differs },
  }
  return `accounts.front.quietHours${place}`
}
const ofAction = (c: Spoilt, differs: object, place: string) => {
  c.actions[0] = { ...(c.actions[0] as object), ...differs }
  return `actions.pagar.${place}`
}

const spoilings: readonly Spoiling[] = [
  ['function that is none', (c, { junk }) => byFunction(c, { choose: junk }, 'approvers.choose')],
  ['function without itself', (c) => byFunction(c, { choose: undefined }, 'approvers.choose')],
  ['function without a name', (c) => byFunction(c, { name: '' }, 'approvers.name')],
  ['function with a version that is none', (c) => byFunction(c, { version: 1 }, 'approvers.version')],
  ['unknown part of a function', (c, { word }) => byFunction(c, { [unknownName(word)]: 1 }, `approvers.${unknownName(word)}`)],
  [
    'two functions of one name',
    (c, { word }) => {
      byFunction(c, { name: word })
      return byFunction(c, { name: word, choose: () => 'leo' }, 'approvers.name')
    },
  ],
  ['step of a limit without a limit', (c) => put(c, { approvers: { kind: 'limit' } }, 'approvers')],
  ['step of a limit that has no chat', (c) => byLimit(c, {}, 'approvers', { jefe: '9', noche: '1' })],
  ['step above that nobody has', (c, { word }) => byLimit(c, { above: unknownName(`${word}_above`) })],
  ['step above without a name', (c) => byLimit(c, { above: '' }, 'approvers.above')],
  [
    'two persons of a step that one has',
    (c) => {
      c.roleChats.tarde = { account: 'front', chat: 'tarde' }
      return byLimit(c, { second: true }, 'approvers', { tarde: '9' })
    },
  ],
  ['step of a limit for an action', (c) => ofAction(c, { approvers: { kind: 'limit' } }, 'approvers.kind')],
  ['approvers of an action that are none', (c, { word }) => ofAction(c, { approvers: { kind: word } }, 'approvers.kind')],
  [
    'function of an action that is none',
    (c, { junk }) => ofAction(c, { approvers: { kind: 'function', choose: junk } }, 'approvers.choose'),
  ],
  [
    'escalation of an action to nobody',
    (c, { word }) => ofAction(c, { escalate: { afterMs: 60_000, to: unknownName(`${word}_later`) } }, 'escalate'),
  ],
  ['escalation of an action at no time', (c) => ofAction(c, { escalate: { to: 'jefe' } }, 'escalate.afterMs')],
  ['escalation that is none', (c, { junk }) => put(c, { escalate: junk }, 'escalate')],
  ['escalation to nobody', (c, { word }) => escalate(c, { to: unknownName(`${word}_then`) })],
  ['escalation to a role without a chat', (c) => escalate(c, { to: 'turno' })],
  ['escalation at once', (c) => escalate(c, { afterMs: 0 }, 'escalate.afterMs')],
  ['escalation after the card is over', (c) => escalate(c, { afterMs: 1_800_000 })],
  [
    'escalation to whom is asked already',
    (c) =>
      put(c, { approvers: { kind: 'role', role: 'jefe', second: false }, escalate: { afterMs: 60_000, to: 'jefe' } }, 'escalate'),
  ],
  ['escalation with deny', (c) => put(c, { then: 'deny', escalate: { afterMs: 60_000, to: 'jefe' } }, 'escalate')],
  [
    'escalation with allow',
    (c) => put(c, { then: 'allow', reason: undefined, escalate: { afterMs: 60_000, to: 'jefe' } }, 'escalate'),
  ],
  [
    'quiet hours that are none',
    (c, { junk }) => {
      c.accounts.front = { channel: 'simulator', quietHours: junk }
      return 'accounts.front.quietHours'
    },
  ],
  ['quiet hours from no time', (c) => quiet(c, { from: '24:00' }, '.from')],
  ['quiet hours as people say them', (c) => quiet(c, { to: '8 AM' }, '.to')],
  ['quiet hours in no zone', (c, { word }) => quiet(c, { timeZone: unknownName(word) }, '.timeZone')],
  ['quiet hours at an offset', (c) => quiet(c, { timeZone: '-03:00' }, '.timeZone')],
  ['quiet hours all day', (c) => quiet(c, { to: '22:00' }, '')],
  ['rule without then', (c) => put(c, { then: undefined }, 'then')],
  ['rule with a then that is none', (c, { word }) => put(c, { then: word }, 'then')],
  ['message without a code', (c) => put(c, { reason: { message: 'Por algo.' } }, 'reason.code')],
  ['confirm without a reason', (c) => put(c, { reason: undefined }, 'reason')],
  ['code in small letters', (c, { word }) => put(c, { reason: { code: word } }, 'reason.code')],
  ['message that says nothing', (c) => put(c, { reason: { code: 'X', message: ' ' } }, 'reason.message')],
  ['reason with allow', (c) => put(c, { then: 'allow', reason }, 'reason')],
  ['approvers with allow', (c) => put(c, { then: 'allow', reason: undefined, approvers: { kind: 'requester' } }, 'approvers')],
  ['a limit with allow', (c) => put(c, { then: 'allow', reason: undefined, ...limit({}) }, 'when')],
  ['approvers with deny', (c) => put(c, { then: 'deny', approvers: { kind: 'requester' } }, 'approvers')],
  ['unknown action', (c, { word }) => put(c, { action: unknownName(word) }, 'action')],
  ['unknown action among known', (c, { word }) => put(c, { action: ['pagar', unknownName(word)] }, 'action')],
  ['all and one', (c) => put(c, { action: ['*', 'pagar'] }, 'action')],
  ['no action', (c) => put(c, { action: [] }, 'action')],
  ['unknown account', (c, { word }) => put(c, { accounts: [unknownName(word)] }, 'accounts')],
  ['unknown person', (c, { word }) => put(c, { people: [unknownName(word)] }, 'people')],
  ['nobody', (c) => put(c, { people: [] }, 'people')],
  ['unknown role of askers', (c, { word }) => put(c, { roles: [unknownName(word)] }, 'roles')],
  [
    'approver role that nobody has',
    (c, { word }) => put(c, { approvers: { kind: 'role', role: unknownName(word), second: false } }, 'approvers'),
  ],
  ['empty approver set', (c) => put(c, { approvers: {} }, 'approvers.kind')],
  ['approver role without a name', (c) => put(c, { approvers: { kind: 'role', role: '', second: false } }, 'approvers.role')],
  [
    'two of a role that one has',
    (c) => {
      c.roleChats.caja = { account: 'front', chat: 'caja' }
      put(c, { approvers: { kind: 'role', role: 'caja', second: false } }, 'approvers')
      return put(c, { approvers: { kind: 'role', role: 'caja', second: true } }, 'approvers')
    },
  ],
  ['approver role without a chat', (c) => put(c, { approvers: { kind: 'role', role: 'ventas', second: false } }, 'approvers')],
  ['condition that is no function', (c, { junk }) => put(c, { when: junk }, 'when')],
  ['limit on all actions', (c) => put(c, { action: '*', ...limit({}) }, 'action')],
  ['limit on no argument', (c) => put(c, limit({ field: 'cuanto' }), 'when')],
  ['limit on no argument inside', (c) => put(c, limit({ field: 'a.cuanto' }), 'when')],
  ['limit on a path that is none', (c) => put(c, limit({ field: '1 a' }), 'when.field')],
  ['limit of a float', (c) => put(c, limit({ perRole: { ventas: 100 } }), 'when.perRole.ventas')],
  ['limit as people write it', (c) => put(c, limit({ perRole: { ventas: '100.000,50' } }), 'when.perRole.ventas')],
  ['negative limit', (c) => put(c, limit({ perRole: { ventas: '-1' } }), 'when.perRole.ventas')],
  ['limit of nobody', (c) => put(c, limit({ perRole: {} }), 'when.perRole')],
  ['limit of an unknown role', (c, { word }) => put(c, limit({ perRole: { [unknownName(word)]: '1' } }), 'when')],
  ['limit in no time', (c) => put(c, limit({ withinMs: 0 }), 'when.withinMs')],
  ['limit for ever', (c) => put(c, limit({ withinMs: 400 * day }), 'when.withinMs')],
  ['limit from no share', (c) => put(c, limit({ fromPercent: 0 }), 'when.fromPercent')],
  ['limit for each currency without one', (c) => put(c, limit({ perRole: { ventas: { ARS: '1' } } }), 'when')],
  ['one limit for all currencies', (c) => put(c, limit({ currency: 'moneda' }), 'when')],
  ['unknown part of a limit', (c, { word }) => put(c, limit({ [unknownName(word)]: 1 }), 'when')],
  ['unusual on no argument', (c) => put(c, { when: neverSeen({ field: 'cuanto' }) }, 'when')],
  ['changed of no argument', (c) => put(c, { when: changed({ field: 'monto', of: 'cuanto' }) }, 'when')],
  ['unusual on all actions', (c) => put(c, { action: '*', when: neverSeen({ field: 'monto' }) }, 'action')],
  ['far that is near', (c) => put(c, far({ times: 1 }), 'when.times')],
  ['far from nothing', (c) => put(c, far({ least: 0 }), 'when.least')],
  ['a test that is none', (c, { word }) => put(c, far({ test: word }), 'when.test')],
  ['allow of what is observed', (c) => put(c, { action: 'enviar', then: 'allow', reason: undefined }, 'then')],
  ['unknown field of a rule', (c, { word }) => put(c, { [unknownName(word)]: 1 }, unknownName(word))],
  [
    'rule that is none',
    (c, { junk }) => {
      c.policies.push(junk as never)
      return `policies.${c.policies.length - 1}`
    },
  ],
  [
    'irreversible without a second person',
    (c) => {
      c.actions[confirm] = { ...(c.actions[confirm] as object), approvers: { kind: 'requester' } }
      return 'actions.borrar.approvers'
    },
  ],
  [
    'a value to type that is no argument',
    (c) => {
      c.actions[1] = { ...(c.actions[1] as object), typeToConfirm: 'ninguno' }
      return 'actions.enviar.typeToConfirm'
    },
  ],
  [
    'keep with what is not reversible',
    (c) => {
      c.limits.onOtherMessage = 'keep'
      return 'limits.onOtherMessage'
    },
  ],
  [
    'action twice',
    (c) => {
      c.actions.push(c.actions[0])
      return 'actions.pagar'
    },
  ],
  [
    'action that is none',
    (c, { junk }) => {
      c.actions.push(junk)
      return `actions.${c.actions.length - 1}`
    },
  ],
  [
    'person twice',
    (c) => {
      c.people.push({ id: 'eva', name: 'Otra', roles: [], identities: [] })
      return 'people.eva'
    },
  ],
  [
    'identity of two',
    (c) => {
      c.people.push({ id: 'ana', name: 'Ana', roles: [], identities: ['tg:1'] })
      return 'people'
    },
  ],
  [
    'identity without a channel',
    (c, { word }) => {
      c.people.push({ id: 'ana', name: 'Ana', roles: [], identities: [word] })
      return `people.${c.people.length - 1}.identities.0`
    },
  ],
  [
    'role chat on no account',
    (c, { word }) => {
      c.roleChats.jefe = { account: unknownName(word), chat: 'x' }
      return 'roleChats.jefe.account'
    },
  ],
  [
    'roles that are no list',
    (c, { word }) => {
      c.roles = word as never
      return 'roles'
    },
  ],
  [
    'unknown part',
    (c, { word }) => {
      Object.assign(c, { [unknownName(word)]: 1 })
      return unknownName(word)
    },
  ],
  [
    'agent that is none',
    (c, { junk }) => {
      c.agent = junk
      return 'agent'
    },
  ],
  [
    'account that is none',
    (c, { junk }) => {
      c.accounts.otra = junk
      return 'accounts.otra'
    },
  ],
  [
    'limit of the house that is none',
    (c, { junk }) => {
      c.limits.holdMs = junk
      return 'limits.holdMs'
    },
  ],
  [
    'way to go on from an outcome that is none',
    (c, { junk }) => {
      c.limits.onOutcome = junk
      return 'limits.onOutcome'
    },
  ],
  [
    'no turn at all from an outcome',
    (c) => {
      c.limits.resumeDepth = 0
      return 'limits.resumeDepth'
    },
  ],
  [
    'hook that is no function',
    (c, { junk }) => {
      c.hooks.onSettled = junk
      return 'hooks.onSettled'
    },
  ],
  [
    'hook that nothing calls',
    (c) => {
      c.hooks.onProposd = () => undefined
      return 'hooks.onProposd'
    },
  ],
]

const oneOf = ['limits.', 'actions.pagar', 'accounts.front']

const check = (config: unknown) => checkConfig(config, { DALE_SECRET_KEY: 'ab'.repeat(32) }, '/nowhere')

function problemsOf(config: unknown) {
  try {
    check(config)
    return undefined
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  junk: fc.oneof(fc.constant(null), fc.constant(-1.5), fc.string(), fc.array(fc.nat(), { maxLength: 2 }), fc.constant({ a: 1 })),
  word: fc.stringMatching(/^[a-z]{1,8}$/).filter((word) => !['far', 'own', 'deny', 'allow', 'changed', 'confirm'].includes(word)),
})

test('the configuration that is spoilt here is right', () => {
  expect(problemsOf(right())).toBeUndefined()
})

test.each(spoilings)('%s does not start, and it is told where and why', (_, spoil) => {
  const config = right()
  const place = spoil(config, { junk: [1], word: 'word' })
  expect(problemsOf(config)?.map(({ path }) => path)).toContain(place)
})

test('a function chooses for nobody to see where no role has a chat', () => {
  const alone = {
    ...right(),
    roleChats: {},
    actions: [anAction('pagar', 'reversible')],
    policies: [] as Record<string, unknown>[],
  }
  expect(problemsOf(alone)).toBeUndefined()
  const place = byFunction(alone, {})
  expect(problemsOf(alone)?.map(({ path }) => path)).toEqual([place])
})

test('nothing that is wrong starts, however much of it there is, and each has its place and its reason', {
  timeout: 120_000,
}, () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(spoilings.length - 1), { minLength: 1, maxLength: 4 }), drawn, (ways, how) => {
      const config = right()
      // Two that spoil the same part of what is there already would hide each other.
      const places = ways.map((at) => spoilings[at]?.[1](config, how) ?? '')
      const spoilt = places.map((place) => oneOf.find((part) => place.startsWith(part)) ?? place)
      fc.pre(new Set(spoilt).size === places.length)
      const problems = problemsOf(config) ?? []
      const told = problems.map(({ path }) => path)
      for (const place of places)
        expect(
          told.some((path) => path === place || path.startsWith(`${place}.`)),
          place,
        ).toBe(true)
      for (const { message } of problems) expect(message).toMatch(/\S/)
    }),
    { numRuns: Number(process.env.DALE_CONFIG_RUNS ?? 500) },
  )
})
