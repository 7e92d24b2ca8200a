import { describe, expect, test } from 'vitest'
import { type Import, sourcesOf } from './support/imports.ts'

/**
 * Who may import whom. A room is a folder or a file, the longest that fits; it may always import itself. `node:*` are Node's own
 * modules, `locales` the texts. What is not here is not allowed.
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
  'src/core': ['node:crypto', 'big.js', 'canonicalize', 'fastest-levenshtein', 'temporal-polyfill', 'ulid'],
  'src/ports': ['src/core', 'locales'],
  'src/gateway': ['src/core', 'src/ports'],

  // What any channel needs of its connection: to wait, to be the one process that holds it, to take a webhook's body.
  'src/channels/connection': ['src/core', 'src/ports', 'node:*'],
  'src/channels/simulator': ['src/core', 'src/ports', 'node:*', 'zod'],
  'src/channels/telegram': ['src/channels/connection', 'src/core', 'src/ports', 'node:*', 'zod', 'grammy'],
  'src/channels/whatsapp-cloud': ['src/channels/connection', 'src/core', 'src/ports', 'node:*', 'zod'],
  'src/channels/whatsapp-baileys': ['src/channels/connection', 'src/core', 'src/ports', 'node:*', 'zod', 'baileys'],

  'src/store': ['src/core', 'src/ports', 'node:*', 'kysely', 'pg', '@electric-sql/pglite'],
  'src/queue': ['src/core', 'src/ports', 'node:*', 'bullmq', 'ioredis', 'pg', '@electric-sql/pglite'],
  'src/agents': ['src/core', 'src/ports', 'node:*', 'zod', 'ai', '@ai-sdk/openai-compatible'],
  'src/actions': [
    'src/core',
    'src/ports',
    'node:*',
    'zod',
    'ipaddr.js',
    '@modelcontextprotocol/client',
    '@modelcontextprotocol/client/stdio',
  ],
  'src/texts': ['src/core', 'src/ports', 'node:*', 'zod', 'i18next', 'jsonc-parser', 'locales'],

  'src/api': ['src/core', 'src/ports', 'src/gateway', 'node:*', 'hono', '@hono/zod-openapi'],
  // The same care about addresses as for actions.
  'src/webhooks': ['src/core', 'src/ports', 'src/actions/addresses.ts', 'src/actions/http-call.ts', 'node:*'],
  'src/mcp': [
    'src/core',
    'src/ports',
    'src/gateway',
    'src/api/key.ts',
    'src/api/places.ts',
    'src/api/proposals.ts',
    'zod',
    'hono',
    '@modelcontextprotocol/server',
  ],

  'src/console': ['src/core', 'src/ports', 'src/gateway', 'node:*', 'zod', 'hono', '@hono/node-server'],
  'src/config': ['src/core', 'src/ports', 'node:*', 'zod'],
  'src/scrub.ts': [],
  'src/log.ts': ['src/ports', 'src/scrub.ts', 'node:*', 'pino'],
  'src/metrics.ts': ['src/ports', 'src/gateway/house.ts', 'node:*', 'prom-client'],
  workers: ['src/core', 'src/ports', 'src/gateway', 'node:*'],
}

/** What puts the house together, and may import everything; nothing in the table may import these. */
const composing = ['src/compose.ts', 'src/main.ts', 'src/index.ts', 'src/cli', 'src/demo', 'src/rehearsal', 'workers/main.ts']

/** What imports a path that is known only when it runs: the configuration. */
const computing = ['src/config/load-config.ts']

const sources = sourcesOf(['src', 'workers'])
const imports = sources.flatMap((source) => source.imports)

const within = (path: string, room: string): boolean => path === room || path.startsWith(`${room}/`)
const composes = (path: string): boolean => composing.some((room) => within(path, room))
const roomOf = (path: string): string | undefined =>
  (composes(path) ? [] : Object.keys(rooms)).filter((room) => within(path, room)).sort((a, b) => b.length - a.length)[0]

const isAllowed = ({ from, to }: Import, room: string): boolean => {
  if (to.kind === 'computed') return computing.includes(from)
  const allowed = [room, ...(rooms[room] ?? [])]
  if (to.kind === 'file') return allowed.some((prefix) => within(to.path, prefix))
  return allowed.includes(to.name) || (to.name.startsWith('node:') && allowed.includes('node:*'))
}
const told = ({ from, to }: Import): string =>
  `${from} → ${to.kind === 'file' ? to.path : to.kind === 'package' ? to.name : 'a computed path'}`

/** The files that import a name from one of ours, by whatever way. */
const importersOf = (path: string, name: string): readonly string[] =>
  imports
    .filter(({ to, names }) => to.kind === 'file' && to.path === path && (names.includes(name) || names.includes('*')))
    .map(({ from }) => from)
const importersOfPackage = (name: string): readonly string[] => [
  ...new Set(imports.filter(({ to }) => to.kind === 'package' && to.name === name).map(({ from }) => from)),
]

describe('who may import whom', () => {
  test.each(Object.keys(rooms))('%s imports only what its row says', (room) => {
    expect(imports.filter((one) => roomOf(one.from) === room && !isAllowed(one, room)).map(told)).toEqual([])
  })

  test('no channel knows another', () => {
    const channelOf = (path: string): string | undefined => /^src\/channels\/[^/]+/.exec(path)?.[0]
    expect(
      imports
        .filter(
          ({ from, to }) =>
            to.kind === 'file' &&
            channelOf(from) !== undefined &&
            channelOf(to.path) !== undefined &&
            channelOf(to.path) !== 'src/channels/connection' &&
            channelOf(from) !== channelOf(to.path),
        )
        .map(told),
    ).toEqual([])
  })

  test('every room is in the table, or composes', () => {
    expect(sources.map(({ path }) => path).filter((path) => roomOf(path) === undefined && !composes(path))).toEqual([])
  })

  test('only the configuration is found when it runs', () => {
    expect(
      imports
        .filter(({ to }) => to.kind === 'computed')
        .map(({ from }) => from)
        .sort(),
    ).toEqual([...computing].sort())
  })

  test('core takes only hashes from node:crypto', () => {
    const taken = imports
      .filter(({ from, to }) => within(from, 'src/core') && to.kind === 'package' && to.name === 'node:crypto')
      .flatMap(({ names }) => names)
    expect(taken.filter((name) => !['hash', 'createHash', 'createHmac', 'timingSafeEqual'].includes(name))).toEqual([])
  })
})

describe('one file knows each of the large libraries', () => {
  test.each([
    ['bullmq', ['src/queue/bullmq.ts']],
    ['i18next', ['src/texts/say.ts']],
  ])('%s', (name, files) => {
    expect(importersOfPackage(name)).toEqual(files)
  })

  test('baileys, where the phone is', () => {
    expect(importersOfPackage('baileys').length).toBeLessThanOrEqual(1)
    expect(importersOfPackage('@whiskeysockets/baileys')).toEqual([])
  })
})

/** Where what a person did is followed. */
const roads = ['src/gateway/take-road.ts', 'src/gateway/answer-question.ts']

/** What decides, or makes an event a person's. */
const deciding = ['src/gateway/decide.ts', 'src/gateway/receive.ts', 'src/gateway/route.ts', ...roads]

/** Where runs begin that no person's event is: of an agent, of what it says later, of a program, of a hook. */
const runs = [
  'src/gateway/converse.ts',
  'src/gateway/take-push.ts',
  'src/gateway/propose-outside.ts',
  'src/gateway/withdraw-outside.ts',
  'src/gateway/tell-webhooks.ts',
  'src/gateway/call-hooks.ts',
  'src/gateway/execute.ts',
  ...sources.map(({ path }) => path).filter((path) => within(path, 'src/api') || within(path, 'src/mcp')),
]

function reachedFrom(path: string, reached = new Set<string>()): ReadonlySet<string> {
  for (const { from, to } of imports) {
    if (from !== path || to.kind !== 'file' || reached.has(to.path)) continue
    reached.add(to.path)
    reachedFrom(to.path, reached)
  }
  return reached
}

describe('nothing but a person decides', () => {
  test('only what receives events can call one a person’s', () => {
    expect(importersOf('src/core/human-event.ts', 'asHumanEvent')).toEqual(['src/gateway/receive.ts'])
  })

  test('only what stands under a person’s own yes is decided without one now', () => {
    expect(importersOf('src/core/decision.ts', 'decisionUnder')).toEqual(['src/gateway/under-grant.ts'])
  })

  test('only a road that a person’s event takes binds a verdict to a person', () => {
    expect(importersOf('src/core/decision.ts', 'decisionOf')).toEqual(['src/gateway/decide.ts'])
    expect(importersOf('src/gateway/receive.ts', 'humanEventOf')).toEqual(['src/gateway/route.ts'])
    expect(importersOf('src/gateway/decide.ts', 'decide').filter((file) => !roads.includes(file))).toEqual([])
  })

  test.each(runs)('%s reaches nothing that decides, over however many files', (run) => {
    expect(sources.map(({ path }) => path)).toContain(run)
    expect([...reachedFrom(run)].filter((file) => deciding.includes(file))).toEqual([])
  })

  test('the table is asked in one place, which writes the answer', () => {
    expect(importersOf('src/core/lifecycle.ts', 'transition')).toEqual(['src/gateway/move.ts'])
  })

  test('the state `approved` is made in the table alone', () => {
    expect(sources.filter(({ namedObjects }) => namedObjects.includes('approved')).map(({ path }) => path)).toEqual([
      'src/core/lifecycle.ts',
    ])
  })
})
