import { describe, expect, it } from 'vitest'
import type { InboundMessage } from '../../src/core/inbound.ts'
import type { Proposal } from '../../src/core/proposal.ts'
import type { Situation } from '../../src/core/situation.ts'
import { type Target, targetOf } from '../../src/core/target.ts'
import { minutes } from '../support/proposals.ts'
import {
  aCard,
  aShowing,
  aSituation,
  cardSaid,
  said,
  shown,
  shownAtMs,
  taps,
  timing,
  writes,
  writtenAtMs,
} from '../support/situations.ts'

const k7 = aCard({ code: 'K7Q2' })
const m3 = aCard({ code: 'M3XA' })
const observed = aCard({ code: 'R4TT', reversibility: 'observed' })
const irreversible = aCard({ code: 'Z9ZZ', reversibility: 'irreversible' })
const withSecond = aCard({
  code: 'S2EE',
  reversibility: 'irreversible',
  requester: 'beto',
  approvers: { kind: 'role', role: 'boss', second: true },
})
const forRole = aCard({ code: 'B5SS', requester: 'beto', approvers: { kind: 'role', role: 'boss', second: false } })
const boss = { id: 'ana', roles: ['boss'], formerly: [] }
const beto = { id: 'beto', roles: [], formerly: [] }
const inGroup = { group: true, addressed: false } satisfies Partial<InboundMessage>
const mentioned = { group: true, addressed: true } satisfies Partial<InboundMessage>
const reply = { reply: { kind: 'message', id: 'm10' } } satisfies Partial<InboundMessage>
const replyElsewhere = { reply: { kind: 'elsewhere' } } satisfies Partial<InboundMessage>
const at = (afterS: number, order = 20) =>
  ({ moment: { atMs: shownAtMs + 1000 * afterS, order } }) satisfies Partial<InboundMessage>
const received = (afterS: number) => shownAtMs + 1000 * afterS
const agentSaid = (text: string, order = 15, afterS = 5) => said({ kind: 'text', text }, order, afterS)
const since = (...things: readonly Situation['said'][number][]): Partial<Situation> => ({ said: [...things, cardSaid(k7)] })
const named = (card: typeof k7, over: Partial<Situation> = {}): Situation => aSituation([card], { named: shown(card), ...over })
const ended = (
  over: Partial<NonNullable<Situation['lastEnded']>> = {},
  card: Proposal = aCard({ code: 'E2ND', state: 'succeeded' }),
): Situation =>
  aSituation([], { lastEnded: { proposal: card, atMs: writtenAtMs - 60_000, quietSince: true, repeated: false, ...over } })

/** The road, and what it is about in a word: how it decides, or the code of the card. */
function roadOf(target: Target): string {
  switch (target.road) {
    case 'decide':
      return `${target.given.verdict} #${target.proposal.code} by ${target.given.via}`
    case 'which':
    case 'name_it':
      return `${target.road} ${target.proposals.map(({ code }) => `#${code}`).join(' ')}`
    case 'attempt':
      return `attempt #${target.proposal.code}${target.toAgent ? ', to the agent' : ''}`
    case 'contradiction':
      return `contradiction #${target.code}`
    case 'no_such':
      return target.code === undefined ? 'no_such' : `no_such #${target.code}`
    case 'ignore':
      return `ignore: ${target.reason}`
    case 'converse':
      return 'converse'
    case 'answer':
      return `answer ${target.question.id}`
    default:
      return `${target.road} #${target.proposal.code}`
  }
}

type Row = readonly [what: string, reading: ReturnType<typeof writes>, situation: Situation, road: string]

const press: readonly Row[] = [
  ['of Confirm', taps(k7, 'approve'), named(k7), 'approve #K7Q2 by button'],
  ['of Cancel', taps(k7, 'reject'), named(k7), 'reject #K7Q2 by button'],
  [
    'of Confirm, whatever was said since',
    taps(k7, 'approve'),
    named(k7, since(agentSaid('¿Algo más?'))),
    'approve #K7Q2 by button',
  ],
  ['of a stranger', taps(k7, 'approve'), named(k7, { person: beto }), 'not_yours #K7Q2'],
  [
    'of the requester on a card for a role, to approve',
    taps(forRole, 'approve'),
    named(forRole, { person: beto }),
    'not_yours #B5SS',
  ],
  [
    'of the requester on a card for a role, to refuse',
    taps(forRole, 'reject'),
    named(forRole, { person: beto }),
    'reject #B5SS by button',
  ],
  ['of somebody with the role', taps(forRole, 'approve'), named(forRole, { person: boss }), 'approve #B5SS by button'],
  [
    'of the requester where a second person is asked',
    taps(withSecond, 'approve'),
    named(withSecond, { person: { id: 'beto', roles: ['boss'], formerly: [] } }),
    'not_yours #S2EE',
  ],
  ['on an older card', taps(k7, 'approve', { revision: 2 }), named(k7), 'old_card #K7Q2'],
  ['with a payload that is not ours', taps(k7, 'approve', { ours: false }), aSituation([k7]), 'no_such'],
  ['that names nothing we have', taps(k7, 'approve'), aSituation(), 'no_such'],
  ['of Edit, which decides nothing', taps(k7, 'edit'), named(k7), 'edit #K7Q2'],
  ['699 ms after the card', taps(k7, 'approve', { receivedAtMs: shownAtMs + 699 }), named(k7), 'too_fast #K7Q2'],
  ['700 ms after the card', taps(k7, 'approve', { receivedAtMs: shownAtMs + 700 }), named(k7), 'approve #K7Q2 by button'],
  [
    '1,999 ms after a card of high severity',
    taps(withSecond, 'approve', { receivedAtMs: shownAtMs + 1999 }),
    named(withSecond, { person: boss }),
    'too_fast #S2EE',
  ],
  [
    '2 s after a card of high severity',
    taps(withSecond, 'approve', { receivedAtMs: shownAtMs + 2000 }),
    named(withSecond, { person: boss }),
    'approve #S2EE by button',
  ],
  ['on what cannot be undone, by one person alone', taps(irreversible, 'approve'), named(irreversible), 'too_weak #Z9ZZ'],
  [
    'of Cancel on what cannot be undone: a refusal needs no gesture',
    taps(irreversible, 'reject'),
    named(irreversible),
    'reject #Z9ZZ by button',
  ],
  ...(['succeeded', 'failed', 'rejected', 'expired', 'superseded', 'halted', 'executing', 'in_doubt', 'approved'] as const).map(
    (state): Row => {
      const card = aCard({ code: 'E2ND', state })
      return [
        `of Confirm on a card that is ${state}`,
        taps(card, 'approve'),
        aSituation([], { named: shown(card) }),
        'state #E2ND',
      ]
    },
  ),
  [
    'of Cancel on an approved one, which halts it',
    taps(aCard({ code: 'E2ND', state: 'approved' }), 'reject'),
    aSituation([], { named: shown(aCard({ code: 'E2ND', state: 'approved' })) }),
    'reject #E2ND by button',
  ],
  [
    'of Cancel on one that is being executed',
    taps(aCard({ code: 'E2ND', state: 'executing' }), 'reject'),
    aSituation([], { named: shown(aCard({ code: 'E2ND', state: 'executing' })) }),
    'state #E2ND',
  ],
]

const code: readonly Row[] = [
  ['with a yes', writes('sí #K7Q2'), named(k7), 'approve #K7Q2 by code'],
  ['with a no', writes('no #k7q2'), named(k7), 'reject #K7Q2 by code'],
  ['among several cards', writes('sí #K7Q2'), aSituation([k7, m3], { named: shown(k7) }), 'approve #K7Q2 by code'],
  ['after other talk', writes('sí #K7Q2'), named(k7, since(agentSaid('¿Algo más?'))), 'approve #K7Q2 by code'],
  [
    'of a card that ended',
    writes('sí #E2ND'),
    aSituation([], { named: shown(aCard({ code: 'E2ND', state: 'expired' })) }),
    'state #E2ND',
  ],
  ['that nobody knows', writes('sí #K7Q2'), aSituation(), 'no_such #K7Q2'],
  [
    'of a card of another chat',
    writes('sí #K7Q2'),
    aSituation([], {
      named: { proposal: aCard({ code: 'K7Q2', conversation: { account: 'tienda', chat: 'otro' } }), showings: [] },
    }),
    'no_such #K7Q2',
  ],
  [
    'of a card that was asked for here and shown elsewhere, with a no',
    writes('no #B5SS'),
    aSituation([], { person: beto, named: { proposal: forRole, showings: [] } }),
    'reject #B5SS by code',
  ],
  ["of somebody else's card", writes('sí #K7Q2'), named(k7, { person: beto }), 'not_yours #K7Q2'],
  ['alone', writes('#K7Q2'), named(k7), 'show_card #K7Q2'],
  [
    'alone, of a card that ended',
    writes('#E2ND'),
    aSituation([], { named: shown(aCard({ code: 'E2ND', state: 'succeeded' })) }),
    'state #E2ND',
  ],
  ['alone, that nobody knows', writes('#K7Q2'), aSituation(), 'no_such #K7Q2'],
  ["alone, of somebody else's card", writes('#K7Q2'), named(k7, { person: beto }), 'not_yours #K7Q2'],
  ['in a group, without a mention', writes('sí #K7Q2', inGroup), named(k7), 'approve #K7Q2 by code'],
  ["in operators' chats", writes('sí #B5SS'), named(forRole, { person: boss, operators: true }), 'approve #B5SS by code'],
  ['with an ack where that is enough', writes('ok #K7Q2'), named(k7), 'approve #K7Q2 by code'],
  ['with an ack where that is too weak', writes('ok #R4TT'), named(observed), 'too_weak #R4TT'],
  ['with a full word for the same', writes('dale #R4TT'), named(observed), 'approve #R4TT by code'],
  ['on what cannot be undone', writes('dale #Z9ZZ'), named(irreversible), 'too_weak #Z9ZZ'],
  [
    'with always, where nothing may be always',
    writes('sí siempre en esta conversación #K7Q2'),
    named(k7),
    'always_not_allowed #K7Q2',
  ],
]

const replies: readonly Row[] = [
  ['to the card, with a yes', writes('sí', reply), named(k7), 'approve #K7Q2 by reply'],
  ['to one of several cards', writes('no', reply), aSituation([k7, m3], { named: shown(k7) }), 'reject #K7Q2 by reply'],
  ['to the card, with its code', writes('sí #K7Q2', reply), named(k7), 'approve #K7Q2 by reply'],
  ['to the card, with the code of another', writes('sí #M3XA', reply), named(k7), 'contradiction #M3XA'],
  ['to anything else', writes('sí', reply), aSituation([k7]), 'converse'],
  ['to anything else, with a code', writes('sí #K7Q2', reply), aSituation([k7]), 'contradiction #K7Q2'],
  ['to something that cannot be named, with a code', writes('sí #K7Q2', replyElsewhere), aSituation([k7]), 'contradiction #K7Q2'],
  ['to something that cannot be named', writes('sí', replyElsewhere), aSituation([k7]), 'converse'],
  ['in a group to the card, without a mention', writes('sí', { ...reply, ...inGroup }), named(k7), 'approve #K7Q2 by reply'],
  ['in a group to another member', writes('sí', { ...reply, ...inGroup }), aSituation([k7]), 'ignore: not_addressed'],
  ["in a group to somebody else's card", writes('sí', { ...reply, ...inGroup }), named(k7, { person: beto }), 'not_yours #K7Q2'],
  ['to the card, with other words', writes('y cuánto sale', reply), named(k7), 'converse'],
]

const bare: readonly Row[] = [
  ['without any card', writes('sí'), aSituation(), 'converse'],
  ['one minute after an end', writes('sí'), ended(), 'state #E2ND'],
  ['a second time after an end', writes('sí'), ended({ repeated: true }), 'converse'],
  ['two minutes after an end', writes('sí'), ended({ atMs: writtenAtMs - 120_000 }), 'converse'],
  ['after an end, when something was said since', writes('sí'), ended({ quietSince: false }), 'converse'],
  [
    'after an approval that has not begun, with a no',
    writes('no'),
    ended({}, aCard({ code: 'E2ND', state: 'approved' })),
    'reject #E2ND by phrase',
  ],
  ['yes to one armed card', writes('sí'), aSituation([k7]), 'approve #K7Q2 by phrase'],
  ['no to one armed card', writes('no'), aSituation([k7]), 'reject #K7Q2 by phrase'],
  ['ack to one armed card', writes('ok'), aSituation([k7]), 'approve #K7Q2 by phrase'],
  ['ack where that is too weak', writes('ok'), aSituation([observed]), 'too_weak #R4TT'],
  ['yes after a question of the agent', writes('sí'), aSituation([k7], since(agentSaid('¿Algo más?'))), 'converse'],
  ['yes after a question without a beginning', writes('sí'), aSituation([k7], since(agentSaid('Otra cosa?'))), 'converse'],
  ['no after a question of the agent', writes('no'), aSituation([k7], since(agentSaid('¿Algo más?'))), 'converse'],
  [
    'no after somebody wrote through the same account',
    writes('no'),
    aSituation([k7], since(said({ kind: 'outside' }, 15, 5))),
    'converse',
  ],
  [
    'yes after somebody wrote through the same account',
    writes('sí'),
    aSituation([k7], since(said({ kind: 'outside' }, 15, 5))),
    'converse',
  ],
  [
    'no after a text of the agent without a question',
    writes('no'),
    aSituation([k7], since(agentSaid('Listo.'))),
    'reject #K7Q2 by phrase',
  ],
  [
    'yes after a text of the agent without a question',
    writes('sí'),
    aSituation([k7], since(agentSaid('Listo.'))),
    'show_again #K7Q2',
  ],
  [
    'yes, the third time',
    writes('sí'),
    aSituation([k7], { ...since(agentSaid('Listo.')), shownAgain: { [k7.id]: 2 } }),
    'name_it #K7Q2',
  ],
  [
    'yes, when the person wrote something else since',
    writes('sí'),
    aSituation([k7], { spoke: { moment: { atMs: shownAtMs + 5000, order: 14 }, receivedAtMs: received(5) } }),
    'show_again #K7Q2',
  ],
  [
    'yes, when that was before the card',
    writes('sí'),
    aSituation([k7], { spoke: { moment: { atMs: shownAtMs - 5000, order: 4 }, receivedAtMs: received(-5) } }),
    'approve #K7Q2 by phrase',
  ],
  [
    'yes, when that was in the second of the card and had come before it',
    writes('sí'),
    aSituation([k7], { spoke: { moment: { atMs: shownAtMs, order: 9 }, receivedAtMs: received(0) } }),
    'approve #K7Q2 by phrase',
  ],
  ['yes to several cards', writes('sí'), aSituation([k7, m3]), 'which #K7Q2 #M3XA'],
  ['no to several cards', writes('no'), aSituation([k7, m3]), 'which #K7Q2 #M3XA'],
  [
    "yes beside somebody else's card",
    writes('sí'),
    aSituation([k7, aCard({ requester: 'beto' })], { said: [cardSaid(k7)] }),
    'approve #K7Q2 by phrase',
  ],
  ["yes to somebody else's card alone", writes('sí'), aSituation([aCard({ requester: 'beto' })]), 'converse'],
  ['yes with a question mark', writes('sí?'), aSituation([k7]), 'converse'],
  ['yes and more', writes('sí, gracias'), aSituation([k7]), 'converse'],
  ['yes that was written before the card', writes('sí', at(-60, 8)), aSituation([k7]), 'converse'],
  ['yes with a high number and an old time', writes('sí', at(-600, 99)), aSituation([k7]), 'converse'],
  ['yes in the second of the card, behind it', writes('sí', at(0, 11)), aSituation([k7]), 'too_fast #K7Q2'],
  [
    'yes in the second of the card, where nothing is numbered',
    writes('sí', { moment: { atMs: shownAtMs } }),
    aSituation([k7], { open: [shown(k7, { ...aShowing(k7), moment: { atMs: shownAtMs } })] }),
    'converse',
  ],
  ['yes two seconds after the card', writes('sí', at(2), received(2)), aSituation([k7]), 'too_fast #K7Q2'],
  ['yes three seconds after the card', writes('sí', at(3), received(3)), aSituation([k7]), 'approve #K7Q2 by phrase'],
  ['no two seconds after the card', writes('no', at(2), received(2)), aSituation([k7]), 'too_fast #K7Q2'],
  ['yes that comes five minutes late', writes('sí', {}, writtenAtMs + minutes(5)), aSituation([k7]), 'approve #K7Q2 by phrase'],
  ['yes that comes later than that', writes('sí', {}, writtenAtMs + minutes(5) + 1), aSituation([k7]), 'late #K7Q2'],
  ['no that comes late', writes('no', {}, writtenAtMs + minutes(60)), aSituation([k7]), 'reject #K7Q2 by phrase'],
  ['yes in a group', writes('sí', inGroup), aSituation([k7]), 'ignore: not_addressed'],
  ['yes in a group with a mention', writes('sí', mentioned), aSituation([k7]), 'approve #K7Q2 by phrase'],
  ["yes in operators' chats", writes('sí'), aSituation([forRole], { person: boss, operators: true }), 'name_it #B5SS'],
  ["no in operators' chats", writes('no'), aSituation([forRole], { person: boss, operators: true }), 'name_it #B5SS'],
  ['yes after a list of cards', writes('sí'), aSituation([k7], since(said({ kind: 'list' }, 15, 5))), 'show_again #K7Q2'],
  [
    'yes while another text is being sent',
    writes('sí'),
    aSituation([k7], { said: [{ what: { kind: 'text', text: 'Listo.' }, begunAtMs: writtenAtMs - 2000 }, cardSaid(k7)] }),
    'show_again #K7Q2',
  ],
  [
    'yes while the same card is being sent again',
    writes('sí'),
    aSituation([k7], {
      said: [{ what: { kind: 'card', proposalId: k7.id, cardRevision: 1 }, begunAtMs: writtenAtMs - 2000 }, cardSaid(k7)],
    }),
    'approve #K7Q2 by phrase',
  ],
  [
    'yes before a text that was sent later',
    writes('sí'),
    aSituation([k7], { said: [agentSaid('¿Algo más?', 30, 20), cardSaid(k7)] }),
    'approve #K7Q2 by phrase',
  ],
  [
    'yes while one of two approvals is there',
    writes('sí'),
    aSituation([aCard({ code: 'W2WW', state: 'awaiting_second' })]),
    'approve #W2WW by phrase',
  ],
]

const others: readonly Row[] = [
  ['a text', writes('cuánto sale'), aSituation([k7]), 'converse'],
  ['a text in a group', writes('cuánto sale', inGroup), aSituation([k7]), 'ignore: not_addressed'],
  ...(['caption', 'forwarded'] as const).map(
    (form): Row => [
      `a ${form} phrase while a card is armed`,
      writes('', { body: { kind: 'other', form, text: 'sí' } }),
      aSituation([k7]),
      'attempt #K7Q2, to the agent',
    ],
  ),
  ...(['voice', 'sticker'] as const).map(
    (form): Row => [
      `a ${form} while a card is armed`,
      writes('', { body: { kind: 'other', form } }),
      aSituation([k7]),
      'attempt #K7Q2, to the agent',
    ],
  ),
  [
    'an edit into a phrase while a card is armed',
    writes('', { body: { kind: 'other', form: 'edited', text: 'sí' } }),
    aSituation([k7]),
    'attempt #K7Q2',
  ],
  [
    'an edit into something else',
    writes('', { body: { kind: 'other', form: 'edited', text: 'hola' } }),
    aSituation([k7]),
    'ignore: edited',
  ],
  [
    'a reaction to the card',
    writes('', { ...reply, body: { kind: 'other', form: 'reaction', text: '👍' } }),
    named(k7),
    'attempt #K7Q2',
  ],
  [
    'a reaction to anything else',
    writes('', { ...reply, body: { kind: 'other', form: 'reaction', text: '👍' } }),
    aSituation([k7]),
    'ignore: reaction',
  ],
  ['a second attempt', writes('', { body: { kind: 'other', form: 'voice' } }), aSituation([k7], { hinted: [k7.id] }), 'converse'],
  [
    'a voice note while nothing is armed',
    writes('', { body: { kind: 'other', form: 'voice' } }),
    aSituation([k7], since(agentSaid('Listo.'))),
    'converse',
  ],
  ['a photo without words', writes('', { body: { kind: 'other', form: 'media' } }), aSituation([k7]), 'converse'],
  [
    'a location in a group',
    writes('', { ...inGroup, body: { kind: 'other', form: 'location' } }),
    aSituation([k7]),
    'ignore: not_addressed',
  ],
]

describe.each([
  ['a tap', press],
  ['a code', code],
  ['a reply', replies],
  ['a bare word:', bare],
  ['anything else:', others],
])('%s', (_kind, rows) => {
  it.each(rows)('%s', (_what, reading, situation, road) => {
    expect(roadOf(targetOf(reading, situation, timing))).toBe(road)
  })
})

describe('under the policy keep', () => {
  const keep = { ...timing, onOtherMessage: 'keep' } as const

  it.each([
    ['a yes stays good after other talk', writes('sí'), aSituation([k7], since(agentSaid('Listo.'))), 'approve #K7Q2 by phrase'],
    ['a yes still answers a question of the agent', writes('sí'), aSituation([k7], since(agentSaid('¿Algo más?'))), 'converse'],
    [
      'a yes to what is hard to undo is asked for again',
      writes('sí'),
      aSituation([observed], { said: [agentSaid('Listo.'), cardSaid(observed)] }),
      'show_again #R4TT',
    ],
  ] satisfies readonly Row[])('%s', (_what, reading, situation, road) => {
    expect(roadOf(targetOf(reading, situation, keep))).toBe(road)
  })
})
