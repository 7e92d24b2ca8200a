// biome-ignore-all lint/suspicious/noThenProperty: "when … then …" is how a rule reads, and no rule is ever awaited
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type ActionDefinition, defineAction } from '../../src/actions/define-action.ts'
import { checkConfig } from '../../src/config/check-config.ts'
import { shippedLocales } from '../../src/config/check-together.ts'
import type { ConfigInput } from '../../src/config/config.ts'
import { defineConfig } from '../../src/config/define-config.ts'
import { ConfigError } from '../../src/core/errors.ts'
import type { Policy } from '../../src/core/policy.ts'
import type { Agent } from '../../src/ports/agent.ts'

const agent: Agent = { async *run() {} }
const key = 'ab'.repeat(32)

const anAction = (differs: Partial<ActionDefinition<z.ZodObject>> = {}) =>
  defineAction({
    name: 'crear_acuerdo',
    version: '1',
    description: 'Crea un plan de pagos.',
    input: z.object({}) as z.ZodObject,
    reversibility: 'reversible',
    preview: () => ({ summary: 'Plan', fields: [] }),
    execute: async () => {},
    ...differs,
  })

const aConfig = (differs: Partial<ConfigInput> = {}): ConfigInput =>
  defineConfig({ accounts: { tienda: { channel: 'simulator' } }, agent, actions: [anAction()], ...differs })

const aFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'dale-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const check = (input: unknown, variables: Record<string, string> = {}) =>
  checkConfig(input, { DALE_SECRET_KEY: key, ...variables }, '/nowhere')

const problemsOf = (input: unknown, variables?: Record<string, string>): readonly string[] => {
  try {
    check(input, variables)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ path, message }) => `${path}: ${message}`)
    throw error
  }
  return []
}

const policy: Extract<Policy, { then: 'confirm' }> = { action: '*', then: 'confirm', reason: { code: 'HIGH_COST' } }
const supervisor = { kind: 'role', role: 'supervisor', second: false } as const
const maria = { id: 'maria', name: 'María', roles: ['supervisor'], identities: ['tg:42000001'] }

describe('a number of the WhatsApp Business Platform', () => {
  const accounts = { tienda: { channel: 'whatsapp-cloud' } } as const
  const variables = {
    WHATSAPP_ACCESS_TOKEN: 'EAAx',
    WHATSAPP_APP_SECRET: 'new, old',
    WHATSAPP_PHONE_NUMBER_ID: '100000000000001',
    WHATSAPP_VERIFY_TOKEN: 'a-word',
  }

  it('needs its four variables, and no public address', () => {
    expect(problemsOf(aConfig({ accounts }), variables)).toEqual([])
    expect(problemsOf(aConfig({ accounts })).map((problem) => problem.replace(/ is not set.*/, ''))).toEqual([
      'accounts.tienda.tokenEnv: WHATSAPP_ACCESS_TOKEN',
      'accounts.tienda.secretEnv: WHATSAPP_APP_SECRET',
      'accounts.tienda.verifyTokenEnv: WHATSAPP_VERIFY_TOKEN',
      'accounts.tienda.phoneNumberIdEnv: WHATSAPP_PHONE_NUMBER_ID',
    ])
  })

  it('takes no empty app secret beside a good one, which would be no secret at all', () => {
    for (const secret of ['good,', ',good', 'a, ,b'])
      expect(problemsOf(aConfig({ accounts }), { ...variables, WHATSAPP_APP_SECRET: secret })).toEqual([
        'accounts.tienda.secretEnv: WHATSAPP_APP_SECRET holds an empty secret between its commas',
      ])
  })

  it('is named by the id that Meta gives it, and by one account', () => {
    expect(problemsOf(aConfig({ accounts }), { ...variables, WHATSAPP_PHONE_NUMBER_ID: '+54 9 11 5555' })).toEqual([
      'accounts.tienda.phoneNumberIdEnv: WHATSAPP_PHONE_NUMBER_ID is the id that Meta shows under WhatsApp, API Setup, all digits; not the telephone number',
    ])
    expect(problemsOf(aConfig({ accounts: { ...accounts, otra: { channel: 'whatsapp-cloud' } } }), variables)).toEqual([
      'accounts.otra.phoneNumberIdEnv: is the same number as accounts.tienda: every message would be taken in twice',
    ])
  })
})

describe('checkConfig', () => {
  it('fills in every default', () => {
    const { config, environment } = check(aConfig())
    expect(config).toEqual({
      tenant: 'default',
      locales: { default: 'en', fallback: 'en' },
      accounts: [{ channel: 'simulator', name: 'tienda', locale: 'en' }],
      agent,
      actions: [expect.objectContaining({ name: 'crear_acuerdo' })],
      sources: [],
      hooks: {},
      api: { requestsPerMinute: 600 },
      webhooks: [],
      policies: { version: expect.stringMatching(/^[0-9a-f]{16}$/), rules: [] },
      people: [],
      roles: [],
      roleChats: [],
      limits: {
        maxOpenPerConversation: 3,
        minReviewTextMs: 3_000,
        minReviewPressMs: 700,
        minReviewHighPressMs: 2_000,
        lateAfterMs: 300_000,
        slots: 'many',
        onOtherMessage: 'disarm',
        onOutcome: 'tell',
        resumeDepth: 3,
        executeByMs: 1_800_000,
        holdMs: 0,
        remindBeforeMs: 0,
        nearMissDays: 30,
        keepDays: 90,
        leaseMs: 60_000,
        quarantineMs: 150_000,
      },
    })
    expect(environment).toMatchObject({ port: 3000, host: '127.0.0.1', logLevel: 'info', dataDir: '/nowhere/.dale' })
    expect(Buffer.from(environment.secretKey).toString('hex')).toBe(key)
  })

  it('keeps a default beside a limit that is written down as undefined', () => {
    expect(check(aConfig({ limits: { holdMs: undefined, lateAfterMs: 1_000 } as never })).config.limits).toMatchObject({
      holdMs: 0,
      lateAfterMs: 1_000,
    })
  })

  it('gives an account the default locale, and a bot its usual variables', () => {
    const accounts = { bot: { channel: 'telegram', mode: 'polling' }, demo: { channel: 'simulator', locale: 'pt-BR' } } as const
    const { config, environment } = check(aConfig({ accounts, locales: { default: 'es' } }), { TELEGRAM_BOT_TOKEN: '1:a' })
    expect(config.accounts).toEqual([
      {
        channel: 'telegram',
        name: 'bot',
        mode: 'polling',
        locale: 'es',
        tokenEnv: 'TELEGRAM_BOT_TOKEN',
        secretEnv: 'TELEGRAM_WEBHOOK_SECRET_TOKEN',
        apiRoot: 'https://api.telegram.org',
      },
      { channel: 'simulator', name: 'demo', locale: 'pt-BR' },
    ])
    expect(environment.variable('TELEGRAM_BOT_TOKEN')).toBe('1:a')
  })

  it('takes the address of a Bot API server with a slash at its end, and leaves that out', () => {
    const bot = { channel: 'telegram', mode: 'polling', apiRoot: 'http://127.0.0.1:8081/' } as const
    const { config } = check(aConfig({ accounts: { tienda: bot } }), { TELEGRAM_BOT_TOKEN: '1:a' })
    expect(config.accounts[0]).toMatchObject({ apiRoot: 'http://127.0.0.1:8081' })
  })

  it('lists the chats of a role, one or several', () => {
    const chat = { account: 'tienda', chat: '-100' }
    const { config } = check(aConfig({ roleChats: { supervisor: chat, cobranzas: [chat, { ...chat, topic: '7' }] } }))
    expect(config.roleChats).toEqual([
      { role: 'supervisor', conversation: chat },
      { role: 'cobranzas', conversation: chat },
      { role: 'cobranzas', conversation: { ...chat, topic: '7' } },
    ])
  })

  it('lists exactly the five problems of a configuration with five mistakes, each with its path', () => {
    const wrong = {
      accounts: { bot: { channel: 'telegram', mode: 'webhook', locale: 'es' }, otro: { channel: 'simulador' } },
      agent,
      actions: [anAction()],
      policies: [
        { ...policy, action: 'borrar_todo' },
        { action: '*', reason: { code: 'HIGH_COST' } },
      ],
    }
    const surroundings = {
      TELEGRAM_BOT_TOKEN: '1:a',
      TELEGRAM_WEBHOOK_SECRET_TOKEN: 'short',
      PUBLIC_URL: 'https://dale.example.com',
      PORT: 'eighty',
    }
    expect(problemsOf(wrong, surroundings)).toEqual([
      'PORT: is a number from 0 to 65535',
      expect.stringMatching(/^accounts\.otro\.channel: /),
      expect.stringMatching(/^policies\.1\.then: /),
      'accounts.bot.secretEnv: TELEGRAM_WEBHOOK_SECRET_TOKEN must hold 32 to 256 letters, digits, _ or -; make one with: openssl rand -hex 32',
      'policies.0.action: there is no action borrar_todo; * is all of them',
    ])
  })

  it.each<[string, Partial<ConfigInput> | Record<string, unknown>, readonly string[]]>([
    [
      'a part that is none',
      { polices: [] },
      [
        'polices: is not a part of a configuration; those are tenant, locales, accounts, agent, actions, hooks, api, webhooks, policies, people, roles, roleChats, limits',
      ],
    ],
    ['no account', { accounts: {} }, ['accounts: name at least one account']],
    [
      'an agent that cannot run',
      { agent: { run: 1 } },
      ['agent: is an agent: scriptedAgent(…), httpAgent(…), or an object with run'],
    ],
    [
      'an action that is none',
      { actions: [{ name: 'a' }] },
      ['actions.0: is an action: defineAction({ … }), httpAction({ … }) or mcpActions({ … })'],
    ],
    ['two actions of one name', { actions: [anAction(), anAction()] }, ['actions.crear_acuerdo: is there twice']],
    [
      'a reason without a code',
      { policies: [{ ...policy, reason: { message: 'a' } }] },
      ['policies.0.reason.code: Invalid input: expected string, received undefined'],
    ],
    [
      'approvers of a denial',
      { policies: [{ ...policy, then: 'deny', approvers: supervisor }] },
      ['policies.0.approvers: means nothing with deny: what is denied is asked of nobody'],
    ],
    [
      'an unknown field of a rule',
      { policies: [{ ...policy, confirmed: true }] },
      ['policies.0.confirmed: is not known here: mend the name, or take it out'],
    ],
    [
      'a role that nobody has and that no chat shows',
      { policies: [{ ...policy, approvers: supervisor }] },
      [
        'policies.0.approvers: nobody in people has the role supervisor',
        'policies.0.approvers: roleChats has no chat for supervisor: nobody would see the card',
      ],
    ],
    [
      'a second person who is not there',
      {
        actions: [anAction({ approvers: { ...supervisor, second: true } })],
        people: [maria],
        roleChats: { supervisor: { account: 'tienda', chat: 'x' } },
      },
      ['actions.crear_acuerdo.approvers: two persons with the role supervisor are needed, and there is one'],
    ],
    ['a person twice', { people: [maria, { ...maria, identities: [] }] }, ['people.maria: is there twice']],
    [
      'an identity of two persons',
      { people: [maria, { ...maria, id: 'otra' }] },
      ['people: tg:42000001 belongs to two persons; whoever writes from it is one'],
    ],
    [
      'an identity without its channel',
      { people: [{ ...maria, identities: ['42000001'] }] },
      ['people.0.identities.0: is a channel and the id there, like tg:42000001'],
    ],
    [
      'a chat of an unknown account',
      { roleChats: { supervisor: { account: 'otra', chat: 'x' } } },
      ['roleChats.supervisor.account: there is no account otra'],
    ],
    [
      'an unknown locale',
      { locales: { default: 'fr' } },
      ['locales.default: there are no words for fr; there are for en, es, pt-BR'],
    ],
    [
      'an account’s unknown locale',
      { accounts: { tienda: { channel: 'simulator', locale: 'es-AR' } } },
      ['accounts.tienda.locale: there are no words for es-AR; there are for en, es, pt-BR'],
    ],
    ['a folder that is not there', { locales: { folder: 'words' } }, ['locales.folder: there is no such folder']],
    [
      'keep beside an action that cannot be undone',
      { limits: { onOtherMessage: 'keep' }, actions: [anAction({ reversibility: 'observed' })] },
      ['limits.onOtherMessage: keep is for reversible actions only, and crear_acuerdo cannot be undone'],
    ],
    [
      'a lease shorter than a call',
      { limits: { leaseMs: 30_000 } },
      ['limits.leaseMs: is longer than any timeout, and crear_acuerdo may take 30000 ms'],
    ],
    [
      'a quarantine shorter than a call',
      { limits: { quarantineMs: 30_000 } },
      ['limits.quarantineMs: is longer than any timeout, and crear_acuerdo may take 30000 ms'],
    ],
    [
      'a key that ends before a retry surely has',
      { actions: [anAction({ idempotency: 'key', keyValidForMs: 120_000 })] },
      [
        "actions.crear_acuerdo.keyValidForMs: 120000 ms is too short to retry safely: at least five leases, 300000 ms, or idempotency: 'none'",
      ],
    ],
    [
      'an action that cannot be undone and that one person could approve',
      { actions: [anAction({ reversibility: 'irreversible' })] },
      [
        "actions.crear_acuerdo.approvers: what cannot be undone takes two persons, { kind: 'role', role: …, second: true }, or typeToConfirm, the argument that one types; nobody could ever approve it otherwise",
      ],
    ],
    [
      'a value to type that is no argument',
      { actions: [{ ...anAction({ reversibility: 'irreversible' }), typeToConfirm: 'ninguno' }] },
      ['actions.crear_acuerdo.typeToConfirm: there is no argument ninguno'],
    ],
    [
      'a missing secret of an action',
      { actions: [anAction({ needs: ['CRM_TOKEN'] })] },
      ['actions.crear_acuerdo: CRM_TOKEN is not set in the environment'],
    ],
    [
      'a missing secret of the agent',
      { agent: { ...agent, needs: ['AGENT_SECRET'] } },
      ['agent: AGENT_SECRET is not set in the environment'],
    ],
    [
      'a bot without its token',
      { accounts: { bot: { channel: 'telegram', mode: 'polling' } } },
      ['accounts.bot.tokenEnv: TELEGRAM_BOT_TOKEN is not set in the environment; @BotFather gives it'],
    ],
  ])('refuses %s', (_, differs, problems) => {
    expect(problemsOf({ ...aConfig(), ...differs })).toEqual(problems)
  })

  it('refuses one bot under two names', () => {
    const bot = { channel: 'telegram', mode: 'polling' } as const
    const accounts = { uno: bot, dos: { ...bot, tokenEnv: 'OTHER_TOKEN' } }
    expect(problemsOf(aConfig({ accounts }), { TELEGRAM_BOT_TOKEN: '1:a', OTHER_TOKEN: '1:a' })).toEqual([
      "accounts.dos.tokenEnv: is the same bot as accounts.uno: two that listen take each other's messages",
    ])
  })

  it.each([
    [
      'REDIS_URL without DATABASE_URL',
      { REDIS_URL: 'redis://h' },
      ['REDIS_URL: is for use with DATABASE_URL: Redis carries no truth, so it needs a PostgreSQL beside it'],
    ],
    [
      'DATABASE_URL without DALE_SECRET_KEY',
      { DATABASE_URL: 'postgres://h/d', DALE_SECRET_KEY: '' },
      ['DALE_SECRET_KEY: is needed with DATABASE_URL, the same for every process; make one with: openssl rand -hex 32'],
    ],
    [
      'a database that is none',
      { DATABASE_URL: 'mysql://h/d' },
      ['DATABASE_URL: is an address like postgres://user:password@host:5432/dale'],
    ],
    ['a port beyond the last', { PORT: '65536' }, ['PORT: is a number from 0 to 65535']],
    ['a level that is none', { LOG_LEVEL: 'loud' }, ['LOG_LEVEL: is one of trace, debug, info, warn, error, fatal, silent']],
    [
      'a key that is too short',
      { DALE_SECRET_KEY: 'abc' },
      ['DALE_SECRET_KEY: is 32 bytes in hex or base64; make one with: openssl rand -hex 32'],
    ],
  ])('refuses %s', (_, variables, problems) => {
    expect(problemsOf(aConfig(), variables)).toEqual(problems)
  })

  it('takes the whole environment of production', () => {
    const { environment } = check(aConfig(), {
      DATABASE_URL: 'postgresql://h/d',
      REDIS_URL: 'rediss://h',
      PORT: '8080',
      PUBLIC_URL: 'https://dale.example.com/',
      LOG_LEVEL: '',
    })
    expect(environment).toMatchObject({
      databaseUrl: 'postgresql://h/d',
      redisUrl: 'rediss://h',
      port: 8080,
      publicUrl: 'https://dale.example.com',
      logLevel: 'info',
    })
  })

  it('gives rules another version when any of them changes', () => {
    const versionOf = (rules: readonly Policy[]) => check(aConfig({ policies: rules })).config.policies.version
    expect(versionOf([policy])).toBe(versionOf([policy]))
    const versions = (
      [
        [],
        [policy],
        [policy, policy],
        [{ ...policy, when: () => true }],
        [{ ...policy, when: () => false }],
        [{ ...policy, then: 'deny', approvers: undefined, escalate: undefined }],
      ] satisfies readonly (readonly Policy[])[]
    ).map(versionOf)
    expect(new Set(versions).size).toBe(versions.length)
  })

  it('makes a secret key once and keeps it for its owner alone, where none is given', () => {
    const folder = aFolder()
    const secretKeyOf = () => checkConfig(aConfig(), {}, folder).environment.secretKey
    const first = secretKeyOf()
    expect(first).toHaveLength(32)
    expect(secretKeyOf()).toEqual(first)
    expect(statSync(join(folder, '.dale', 'secret.key')).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(folder, '.dale'))).toEqual(['secret.key'])
  })

  it('writes nothing while there is a problem', () => {
    const folder = aFolder()
    expect(() => checkConfig(aConfig({ accounts: {} }), {}, folder)).toThrow(ConfigError)
    expect(readdirSync(folder)).toEqual([])
  })

  it('knows the locales of a folder of one’s own', () => {
    const folder = aFolder()
    mkdirSync(join(folder, 'words', 'es-AR'), { recursive: true })
    const input = aConfig({ locales: { default: 'es-AR', folder: 'words' } })
    const { config } = checkConfig(input, { DALE_SECRET_KEY: key }, folder)
    expect(config.accounts).toEqual([{ channel: 'simulator', name: 'tienda', locale: 'es-AR' }])
    expect(config.locales.folder).toBe(join(folder, 'words'))
  })

  it('knows the locales that are shipped', () => {
    expect([...shippedLocales].sort()).toEqual(readdirSync(new URL('../../locales', import.meta.url)).sort())
  })
})
