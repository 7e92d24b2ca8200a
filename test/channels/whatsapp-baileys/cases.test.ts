import { describe, expect, it, vi } from 'vitest'
import { afterClose } from '../../../src/channels/whatsapp-baileys/close-codes.ts'
import type { BaileysContext } from '../../../src/channels/whatsapp-baileys/context.ts'
import { Lately } from '../../../src/channels/whatsapp-baileys/lately.ts'
import { normalizeBaileys } from '../../../src/channels/whatsapp-baileys/normalize.ts'
import { render } from '../../../src/channels/whatsapp-baileys/render.ts'
import { asHumanEvent } from '../../../src/core/human-event.ts'
import type { InboundMessage, InboundPress, Normalized } from '../../../src/core/inbound.ts'
import { matchDecision } from '../../../src/core/match.ts'
import type { Shown } from '../../../src/core/situation.ts'
import { type Target, targetOf } from '../../../src/core/target.ts'
import { aCard as aShownCard } from '../../contracts/channel.ts'
import recordedCases from '../../fixtures/cases/whatsapp-baileys.json' with { type: 'json' }
import { aCard, aSituation, timing } from '../../support/situations.ts'
import { shippedVocabulary } from '../../support/vocabularies.ts'

interface Case {
  readonly id: string
  readonly input: object
  readonly context: {
    readonly now: number
    readonly bot: string
    readonly sentIds?: readonly string[]
    readonly pending: readonly {
      readonly id: string
      readonly decidableBy: string
      readonly promptMessageId: string | number
      readonly createdAt: number
      readonly status: string
    }[]
  }
}
const cases: readonly Case[] = recordedCases

function caseOf(id: string): Case {
  const found = cases.find((known) => known.id === id)
  if (found === undefined) throw new Error(`there is no case ${id}`)
  return found
}

/** The steps of a case as Baileys emits them. */
function stepsOf({ input }: Case): readonly unknown[] {
  const steps: readonly object[] = 'sequence' in input && Array.isArray(input.sequence) ? input.sequence : [input]
  return steps.map((step) => {
    if ('messages' in step) return { event: 'messages.upsert', data: step }
    if ('updates' in step) return { event: 'messages.update', data: step.updates }
    return undefined
  })
}

function contextOf({ context: { bot, now, pending, sentIds = [] } }: Case): BaileysContext {
  const ours = new Set([...sentIds, ...pending.map(({ promptMessageId }) => String(promptMessageId))])
  return {
    account: 'demo',
    me: { phone: bot },
    lidOf: () => undefined,
    pnOf: () => undefined,
    polls: new Map(),
    isOurs: (id) => ours.has(id),
    stubAtMsOf: (id) => (id === '3EB0AA0000000000J002' ? now * 1000 : undefined),
    nowMs: now * 1000,
  }
}

const eventsOf = (one: Case): readonly Normalized[] =>
  stepsOf(one).flatMap((step) => (step === undefined ? [] : normalizeBaileys(step, contextOf(one))))

const vocabulary = shippedVocabulary('es')

/** The road of an event where the cards of the case are open, were shown here and are the last thing said. */
function targetIn(one: Case, event: InboundMessage | InboundPress): Target {
  const { now, pending } = one.context
  const names = [event.sender.id, ...(event.sender.also ?? [])]
  const open = pending.map((card): Shown & { readonly of: (typeof pending)[number] } => {
    const state = card.status === 'approved' ? 'approved' : 'pending'
    const proposal = aCard({ code: card.id.slice(2), requester: 'ana', state })
    const moment = { atMs: card.createdAt * 1000 }
    const showing = { proposalId: proposal.id, cardRevision: proposal.cardRevision, conversation: event.conversation }
    return {
      of: card,
      proposal,
      showings: [{ ...showing, messageIds: [String(card.promptMessageId)], acceptedAtMs: moment.atMs, moment }],
    }
  })
  const isTheirs = pending.some(({ decidableBy }) => names.includes(decidableBy.replace(/^lid:(\d+)$/, 'wa:$1@lid')))
  const named =
    event.kind === 'press'
      ? open.find(({ of }) => event.payload.endsWith(of.id))
      : open.find(({ showings }) => event.reply.kind === 'message' && showings[0]?.messageIds.includes(event.reply.id) === true)
  const situation = aSituation([], {
    nowMs: now * 1000,
    person: { id: isTheirs ? 'ana' : 'beto', roles: [], formerly: [] },
    open,
    said: open.map(({ proposal: { id: proposalId, cardRevision }, of }) => ({
      what: { kind: 'card', proposalId, cardRevision },
      begunAtMs: of.createdAt * 1000,
      moment: { atMs: of.createdAt * 1000 },
    })),
    ...(named === undefined ? {} : { named }),
  })
  const human = asHumanEvent(event)
  const matched =
    event.kind === 'message' && event.body.text !== undefined ? matchDecision(event.body.text, vocabulary) : undefined
  const press =
    event.kind === 'press' && named !== undefined
      ? {
          proposalId: named.proposal.id,
          cardRevision: named.proposal.cardRevision,
          verdict: event.payload.startsWith('g:a:') ? ('approve' as const) : ('reject' as const),
        }
      : undefined
  const reading = {
    event: human,
    receivedAtMs: now * 1000,
    ...(matched === undefined ? {} : { matched }),
    ...(press === undefined ? {} : { press }),
  }
  return targetOf(reading, situation, timing)
}

/** In a word: what is decided on which card and how, or the road, or why it is left out. An event that came before is no second one. */
function roadsOf(one: Case): readonly string[] {
  const seen = new Set<string>()
  return eventsOf(one).map((event) => {
    if (event.kind === 'ignored') return event.reason
    if (seen.has(event.providerId)) return 'seen'
    seen.add(event.providerId)
    if (event.kind !== 'message' && event.kind !== 'press') return event.kind
    const target = targetIn(one, event)
    if (target.road === 'decide') return `${target.given.verdict} ${target.proposal.code} by ${target.given.via}`
    if (target.road === 'attempt') return `attempt${target.toAgent ? ', to the agent' : ''}`
    return target.road === 'ignore' ? `ignore ${target.reason}` : target.road
  })
}

/** What each case comes to. Where it is not what the case says, `test/fixtures/cases/README.md` says why. */
const roads: Readonly<Record<string, readonly string[]>> = {
  'WA-001': ['approve 7Q2M by phrase'],
  'WA-002': ['approve 7Q2M by phrase'],
  'WA-003': ['approve 7Q2M by phrase'],
  'WA-005': ['approve 7Q2M by phrase'],
  'WA-007': ['ignore not_addressed'],
  'WA-008': ['ignore not_addressed'],
  'WA-010': ['ignore not_addressed'],
  'WA-011': ['ignore not_addressed'],
  'WA-013': ['own_message'],
  'WA-016': ['own_chat'],
  'WA-018': ['approve 7Q2M by phrase', 'seen'],
  'WA-019': ['approve 7Q2M by phrase'],
  'WA-022': ['approve 7Q2M by phrase'],
  'WA-023': ['reject 7Q2M by phrase'],
  'WA-024': ['attempt, to the agent'],
  'WA-026': ['approve 7Q2M by phrase'],
  'WA-027': ['approve 8R3N by reply'],
  'WA-029': ['ignore not_addressed'],
  'WA-030': ['attempt, to the agent'],
  'WA-031': ['attempt'],
  'WA-033': ['deleted'],
  'WA-034': ['attempt'],
  'WA-036': ['approve 7Q2M by button'],
  'WA-038': ['approve 7Q2M by button'],
  'WA-041': ['not_yours'],
  'WA-044': ['undecryptable', 'approve 7Q2M by phrase'],
  'WA-045': ['undecryptable', 'reject 7Q2M by phrase'],
  'WA-046': ['undecryptable'],
  'WA-047': ['status'],
  'WA-048': ['newsletter'],
  'WA-049': ['no_content'],
  'WA-050': ['approve 7Q2M by phrase'],
}

describe('what a case comes to', () => {
  it.each(Object.entries(roads))('%s: %j', (id, expected) => {
    expect(roadsOf(caseOf(id))).toEqual(expected)
  })

  it('is written down for every case that brings in anything', () => {
    expect(cases.filter((one) => eventsOf(one).length > 0).map(({ id }) => id)).toEqual(Object.keys(roads))
  })
})

describe('who a case is from', () => {
  it.each([
    ['WA-002', { id: 'wa:184467000012345@lid', also: ['wa:5491155550101'], name: 'Ana' }],
    ['WA-003', { id: 'wa:184467000012345@lid', also: ['wa:5491155550101'], name: 'Ana' }],
    ['WA-005', { id: 'wa:184467000012345@lid', also: [], name: 'Ana' }],
    ['WA-007', { id: 'wa:5491155550101', also: [], name: 'Ana' }],
    ['WA-008', { id: 'wa:5491155550101', also: [], name: 'Ana' }],
    ['WA-010', { id: 'wa:184467000012345@lid', also: ['wa:5491155550101'], name: 'Ana' }],
    ['WA-011', { id: 'wa:5491155550102', also: [], name: 'Ana' }],
    ['WA-041', { id: 'wa:5491155550102', also: [], name: 'Ana' }],
  ])('%s: %j', (id, sender) => {
    expect(eventsOf(caseOf(id))).toEqual([expect.objectContaining({ sender })])
  })
})

describe('in a group', () => {
  it.each([
    ['WA-007', 'approve 7Q2M by phrase'],
    ['WA-008', 'reject 7Q2M by phrase'],
    ['WA-010', 'approve 7Q2M by phrase'],
    ['WA-011', 'converse'],
  ])('%s: the same words with a mention of the account come to %j', (id, road) => {
    const one = caseOf(id)
    const { messages } = one.input as { readonly messages: readonly { readonly message: { readonly conversation: string } }[] }
    const mentioning = messages.map((message) => ({
      ...message,
      message: {
        extendedTextMessage: {
          text: `@5491155559999 ${message.message.conversation}`,
          contextInfo: { mentionedJid: ['5491155559999@s.whatsapp.net'] },
        },
      },
    }))
    expect(roadsOf({ ...one, input: { type: 'notify', messages: mentioning } })).toEqual([road])
  })
})

describe('a case without an event', () => {
  it('WA-053: a card is enough to answer by words, and its poll is never the only place of anything', () => {
    const rendering = render({ kind: 'card', card: aShownCard() }, { polls: true })
    expect(rendering).toMatchObject({
      parts: [
        { kind: 'text', text: expect.stringContaining('Para confirmar escribí: sí, confirmo. Para cancelar: no.') },
        { kind: 'poll' },
      ],
    })
    expect(render({ kind: 'card', card: aShownCard(), plain: true }, { polls: true })).toEqual(
      render({ kind: 'card', card: aShownCard() }, { polls: false }),
    )
  })

  it('WA-054: a phone that asks for a message of days ago gets nothing, however often the same was asked for in time', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const sent = new Lately<string>(500, 5 * 60_000)
      sent.set('3EB0BB00000000009001', 'the card')
      vi.advanceTimersByTime(4 * 60_000)
      expect(sent.get('3EB0BB00000000009001')).toBe('the card')
      vi.advanceTimersByTime(3 * 24 * 60 * 60_000)
      expect(sent.get('3EB0BB00000000009001')).toBeUndefined()
    } finally {
      vi.useRealTimers()
    }
  })

  it('WA-055: a restart goes on at once, a replaced session stops and says so, a logged-out one is forgotten', () => {
    expect([515, 440, 401].map((code) => afterClose(code).next)).toEqual(['now', 'stop', 'forget'])
  })
})
