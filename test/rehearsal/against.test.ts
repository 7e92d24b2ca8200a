import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineAction } from '../../src/actions/define-action.ts'
import { scriptedAgent } from '../../src/agents/scripted.ts'
import { ConfigError } from '../../src/core/errors.ts'
import { differenceOf } from '../../src/rehearsal/difference.ts'
import { readScript } from '../../src/rehearsal/read-script.ts'
import { openRehearsalRoom, type RehearsalRoom } from '../../src/rehearsal/rehearse.ts'
import { anMcpServer, textArgs } from '../support/mcp.ts'

let room: RehearsalRoom
beforeAll(async () => {
  room = await openRehearsalRoom({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', REDIS_URL: 'redis://127.0.0.1:1' })
}, 60_000)
afterAll(async () => await room[Symbol.asyncDispose]())

/** A shop with a Telegram bot whose token is nowhere, and an action that is not to be called. */
function aShop() {
  const called: unknown[] = []
  const pay = defineAction({
    name: 'pay',
    version: '1',
    description: 'Pays.',
    input: z.object({ amount: z.number().max(500) }),
    reversibility: 'observed',
    approvers: { kind: 'role', role: 'boss', second: false },
    preview: ({ amount }) => ({ summary: `Pagar ${amount}`, fields: [] }),
    execute: async (args) => {
      called.push(args)
      return { message: 'Recibo R-9.' }
    },
  })
  const input = {
    locales: { default: 'es' },
    accounts: { shop: { channel: 'telegram', mode: 'polling' } },
    agent: scriptedAgent([{ when: 'pagá {amount:number}', propose: { action: 'pay', args: { amount: '{amount}' } } }]),
    actions: [pay],
    people: [{ id: 'beto', name: 'Beto', roles: ['boss'], identities: ['tg:7'] }],
    roleChats: { boss: { account: 'shop', chat: '-100' } },
  }
  return { called, against: { input, cwd: process.cwd() } }
}

const talk = (...lines: readonly string[]) => readScript('shop.chat', ['# A rule.', ...lines].join('\n'))

describe('against a configuration', () => {
  test('its agent, schema, people and preview are its own, and its action is counted and not called', async () => {
    const { called, against } = aShop()
    const script = talk(
      'ana: pagá 100',
      'bot@beto: Lo pide Ana (shop). Pagar 100 … #K7Q2',
      'bot: … colega …',
      'beto: [Confirmar]',
      'bot (toast): …',
      'bot: Recibido, ya me ocupo.  #K7Q2',
      'bot: Hecho: Pagar 100  #K7Q2',
      'bot@ana: Hecho: Pagar 100  #K7Q2',
      'effects: pay {"amount":100}',
      'ana: pagá 900',
      'bot: Faltan datos o hay alguno mal …',
    )
    const played = await room.rehearse(script, { against })
    expect(differenceOf(played)).toEqual([])
    expect(called).toEqual([])
    expect(played.verdicts.proposals).toEqual([
      { code: 'K7Q2', state: 'succeeded', decisions: [{ person: 'beto', verdict: 'approve', via: 'button' }] },
    ])
  })

  test('whom it tells by webhooks is told nothing', async () => {
    const { against } = aShop()
    // Without its secret this would not start.
    const input = { ...against.input, webhooks: [{ url: 'https://erp.example.com/dale', secretEnv: 'ERP_HOOK_SECRET' }] }
    const played = await room.rehearse(talk('ana: pagá 900', 'bot: Faltan datos o hay alguno mal …'), {
      against: { ...against, input },
    })
    expect(differenceOf(played)).toEqual([])
  })

  test('a tool of an MCP server shows its own card, and is counted and not called', async () => {
    using server = anMcpServer([{ name: 'pagar', inputSchema: textArgs('que') }])
    const { against } = aShop()
    const input = {
      ...against.input,
      agent: scriptedAgent([{ when: 'pagá', propose: { action: 'caja_pagar', args: { que: 'todo' } } }]),
      actions: [server.actions()],
      people: [],
      roleChats: {},
    }
    const played = await room.rehearse(talk('ana: pagá', 'ana: dale', 'effects: caja_pagar {"que":"todo"}'), {
      against: { ...against, input },
    })
    expect(played.verdicts.proposals.map(({ state }) => state)).toEqual(['succeeded'])
    expect(played.after).toContain('effects: caja_pagar {"que":"todo"}')
    expect(server.calls()).toEqual([])
  })

  test('an action runs as it is only where the file calls it real', async () => {
    const { called, against } = aShop()
    const played = await room.rehearse(talk('action pay real', 'ana: pagá 100', 'beto: [Confirmar]'), { against })
    expect(called).toEqual([{ amount: 100 }])
    expect(played.after).toContain('  Recibo R-9.  #K7Q2'.replace('K7Q2', played.verdicts.proposals[0]?.code ?? ''))
  })

  test('a file’s own agent and policies stand over the configuration’s', async () => {
    const { against } = aShop()
    const script = talk(
      'policy deny pay "Hoy no."',
      'agent "cobrá" proposes pay {"amount":1}',
      'ana: cobrá',
      'bot: No es posible: Hoy no.',
      'ana: pagá 100',
      'agent: (the model answers)',
    )
    expect(differenceOf(await room.rehearse(script, { against }))).toEqual([])
  })

  test('an action that the configuration does not have is told with its line', async () => {
    const { against } = aShop()
    const problems = await room
      .rehearse(talk('agent "cobrá" proposes pya {"amount":1}', 'ana: cobrá'), { against })
      .catch((error: unknown) => (error instanceof ConfigError ? error.problems : error))
    expect(problems).toEqual([{ path: 'shop.chat:2', message: 'the configuration has no action pya; it has pay' }])
  })

  test('what could not start is told as a start would', async () => {
    const script = talk('policy onOtherMessage keep', 'action pay observed', 'ana: hola')
    const problems = await room
      .rehearse(script)
      .catch((error: unknown) => (error instanceof ConfigError ? error.problems : error))
    expect(problems).toEqual([
      { path: 'shop.chat', message: 'limits.onOtherMessage: keep is for reversible actions only, and pay cannot be undone' },
    ])
  })
})

describe('a rehearsal', () => {
  test('tells what a person cannot do instead of doing something else', async () => {
    const played = await room.rehearse(
      talk('locale es', 'ana: [Confirmar]', 'ana (reply): dale', 'ana (edits): dale', 'ana (reacts): 👍'),
    )
    expect(played.isSame).toBe(false)
    expect(played.after.filter((line) => line.startsWith('('))).toEqual([
      '(cannot: ana finds no [Confirmar])',
      '(cannot: ana finds nothing to reply to)',
      '(cannot: ana finds no text to edit)',
      '(cannot: ana finds no card to react to)',
    ])
  })

  test('finds nothing of the one before it, and comes out the same each time', async () => {
    const script = talk('locale es', 'agent "plan" proposes abrir_plan {"cuotas":3}', 'ana: un plan', 'ana: dale')
    const first = await room.rehearse(script)
    const second = await room.rehearse(script)
    expect({ ...second, tookMs: 0 }).toEqual({ ...first, tookMs: 0 })
    expect(first.verdicts.effects).toEqual([{ action: 'abrir_plan', args: { cuotas: 3 } }])
  })
})
