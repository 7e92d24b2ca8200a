import { hasQuestionMark } from '../core/armed.ts'
import { isSamePerson } from '../core/authority.ts'
import type { Conversation } from '../core/conversation.ts'
import type { InboundMessage } from '../core/inbound.ts'
import { looksLikeAttempt, nearMissOf } from '../core/near-miss.ts'
import type { Origin } from '../core/origin.ts'
import { isDecidable, type Proposal } from '../core/proposal.ts'
import type { AgentEvent, Past, Spoken, Turn } from '../ports/agent.ts'
import type { AskedUntil } from '../ports/asking.ts'
import type { Move, OutboxDraft, TurnRow } from '../ports/store.ts'
import { showingDraft } from './cards.ts'
import { channelHere } from './channel-here.ts'
import { factOf } from './fact-of.ts'
import type { House } from './house.ts'
import { tellMoved } from './move.ts'
import { noticeDraft } from './notice.ts'
import { propose, type Refused } from './propose.ts'
import { ring } from './ring.ts'
import { withdraw } from './withdraw.ts'

/** A turn is one worker's for this long at a time; it is extended while the agent works. */
const leaseMs = 30_000
/** No agent may think longer than this about one turn. */
const turnMs = 120_000
/** After this many crashed tries a turn is given up politely. */
const triesAllowed = 3
/** So many draws of codes that somebody else just took are no chance any more. */
const drawsAllowed = 5
const summaryCap = 4_000

/**
 * Lets the agent answer what waits in a conversation, turn by turn; messages that came while it thought are joined into the next. What it
 * said and proposed is written in one transaction, so a crash before that repeats the turn under the same id, and after it never.
 */
export async function converse(house: House, conversation: Conversation): Promise<void> {
  for (;;) {
    const turn = await house.store.nextTurn(conversation, leaseMs, house.mint.ulid())
    if (turn === undefined) return
    const said = await runTurn(house, turn)
    if (said === undefined) return
    // A card for a role is shown elsewhere, and so is the end of one that was replaced.
    await ring(house, {
      deliveries: [conversation, ...said.map((draft) => draft.conversation)],
      hooks: house.hooks.onProposed !== undefined,
    })
  }
}

/** What a turn has come to. */
interface Written {
  readonly say: OutboxDraft[]
  readonly create: Proposal[]
  readonly moves: Move[]
  readonly until: AskedUntil[]
  /** What of the agent's words it came from, to be written once more. */
  readonly heard: Repeatable[]
}

type Repeatable = Extract<AgentEvent, { kind: 'text' | 'propose' }>

const nothing = (): Written => ({ say: [], create: [], moves: [], until: [], heard: [] })

/** What the turn said, once it is written; undefined when it was lost. */
async function runTurn(house: House, turn: TurnRow): Promise<readonly OutboxDraft[] | undefined> {
  let written = nothing()
  const isAnswered = turn.attempts <= triesAllowed && (await isHeard(house, turn, written))
  for (let draws = 1; ; draws += 1) {
    // Nobody asked anything where an outcome started it, and that was told.
    if (!isAnswered && turn.resumed === undefined) written.say.push(agentDown(house, turn.conversation))
    if (written.create.length === 0) written.say.push(...cardsThatFollow(house, turn, written.say))
    const { say, create, moves, until, heard } = written
    const committed = await house.store.commit({
      turn: { id: turn.id, fence: turn.fence },
      say,
      create,
      moves,
      askedUntil: until,
    })
    if (committed.kind === 'committed') {
      for (const move of moves) tellMoved(house, move)
      const approved = moves.flatMap(({ after }) => (after.state.name === 'approved' ? [{ id: after.id, delayMs: 0 }] : []))
      if (approved.length > 0) await ring(house, { executions: approved })
      return say
    }
    house.log.warn({ turn: turn.id, what: committed.what, attempt: draws }, 'turn_lost')
    // A lease that went, or an older card that was decided meanwhile: nothing was written, so the turn comes again. A code that somebody
    // drew first needs no other answer of the agent: the same is written under another. So is what was asked for while this person asked
    // for more elsewhere: their limits are added up anew.
    // And so is what a grant stood for that is used up by now: it is asked for.
    if ((committed.what !== 'code' && committed.what !== 'asked' && committed.what !== 'grant') || draws === drawsAllowed)
      return undefined
    written = nothing()
    for (const event of heard) await take(house, turn, event, written)
  }
}

/** Listens to the agent; false when it could not answer. */
async function isHeard(house: House, turn: TurnRow, written: Written): Promise<boolean> {
  const { account } = turn.conversation
  try {
    await listen(house, turn, written)
    return true
  } catch (error) {
    house.log.error({ turn: turn.id, account, err: error }, 'agent_failed')
    house.count('agent_failed', { account })
    return false
  }
}

async function listen(house: House, turn: TurnRow, written: Written): Promise<void> {
  const stopped = new AbortController()
  const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(turnMs)])
  const keeping = setInterval(() => {
    house.store.extendTurn(turn.id, turn.fence, leaseMs).then(
      (kept) => kept || stopped.abort(new Error('the turn was lost to another worker')),
      (error: unknown) => house.log.warn({ turn: turn.id, err: error }, 'turn_not_extended'),
    )
  }, leaseMs / 3)
  try {
    const past = house.agent.memory && (await house.store.past(turn.conversation, turn.id, house.agent.memory.lines))
    for await (const event of house.agent.run(turnOf(house, turn, past), signal)) {
      if (event.kind === 'remember') await remember(house, turn, event.summary, past)
      else if (await take(house, turn, event, written)) return
    }
  } finally {
    clearInterval(keeping)
    stopped.abort()
  }
}

/** A summary stands for what it was made of. Should the turn be lost after it, the next one is given the summary all the same. */
async function remember(house: House, { conversation }: TurnRow, summary: string, past: Past | undefined): Promise<void> {
  const last = past?.overflow.at(-1)
  if (last !== undefined) await house.store.remember(conversation, summary.slice(0, summaryCap), last.atMs)
}

/** Takes one event of the agent; true when the turn ends with it. */
async function take(
  house: House,
  turn: TurnRow,
  event: Exclude<AgentEvent, { kind: 'remember' }>,
  written: Written,
): Promise<boolean> {
  const { conversation, person } = turn
  if (event.kind === 'text' || event.kind === 'propose') written.heard.push(event)
  switch (event.kind) {
    case 'text':
      if (event.text.trim() !== '')
        written.say.push({ conversation, lane: 'chatter', body: { do: 'say', message: { kind: 'text', text: event.text } } })
      return false
    case 'state':
      // Best effort, and nobody waits for it.
      channelHere(house, conversation.account)
        ?.typing?.(conversation)
        .catch((error: unknown) => house.log.info({ turn: turn.id, err: error }, 'typing_not_shown'))
      return false
    case 'withdraw':
      await withdraw(house, turn, event.code)
      return false
    case 'propose': {
      const name = turn.messages[0]?.message.sender.name
      const proposed = await propose(
        house,
        {
          conversation,
          requester: person,
          ...(name === undefined ? {} : { requesterName: name }),
          ...runOf(turn),
          action: event.action,
          args: event.args,
        },
        written.create,
      )
      if (proposed.kind === 'refused') return refused(house, turn, proposed, written) && event.more !== true
      if (proposed.kind === 'new') {
        written.create.push(proposed.proposal)
        written.moves.push(...proposed.moves)
        if (proposed.until !== undefined) written.until.push(proposed.until)
      }
      written.say.push(...proposed.say)
      return event.more !== true
    }
  }
}

/** A proposal that came to nothing is told in the chat: an agent that promised it must not be the last word. */
function refused(house: House, { conversation, id }: TurnRow, { code, message }: Refused, written: Written): boolean {
  house.log.warn({ turn: id, code }, 'proposal_refused')
  house.count('proposal_refused', { code })
  const locale = house.localeOf(conversation.account)
  const told = house.texts
    .say(locale, `refused.${code}`, { message: code === 'denied' || code === 'completed' ? message : '' })
    .trim()
  // Behind what the agent said in this turn, not before it as a receipt would be.
  written.say.push(noticeDraft(conversation, 'chatter', told))
  return true
}

/**
 * After the agent's answer to another message a card that waits follows by itself, once, unless the answer asks something; once more, with
 * the words to type on top, where the message looked like an attempt to decide.
 */
function cardsThatFollow(house: House, turn: TurnRow, said: readonly OutboxDraft[]): readonly OutboxDraft[] {
  const texts = said.flatMap(({ body }) => (body.do === 'say' && body.message.kind === 'text' ? [body.message.text] : []))
  if (texts.length === 0 || texts.some(hasQuestionMark)) return []
  const attempted = turn.messages.some(({ message }) => isAttempt(house, message))
  const isShown = ({ id }: Proposal): boolean => said.some(({ lane, proposalId }) => lane === 'card' && proposalId === id)
  return turn.proposals
    .filter(
      (proposal) =>
        isDecidable(proposal) &&
        !isShown(proposal) &&
        isSamePerson({ id: turn.person, formerly: turn.formerly }, proposal.requester) &&
        proposal.approvers.kind === 'requester',
    )
    .map((proposal) => ({
      ...showingDraft(house, proposal, turn.conversation, turn.nowMs, attempted ? [{ kind: 'near' }] : []),
      once: `${attempted ? 'near' : 'follow'}:${proposal.id}`,
    }))
}

function isAttempt(house: House, { body, conversation }: InboundMessage): boolean {
  const miss = body.kind === 'text' ? nearMissOf(body.text, house.words.of(conversation.account).vocabulary) : undefined
  return miss !== undefined && looksLikeAttempt(miss)
}

const originOfTurn = ({ resumed }: TurnRow): Origin => (resumed === undefined ? 'human' : 'agent')

/** Where what it proposes comes from. A turn that an outcome started has no message since which it may replace anything (RULES 7). */
const runOf = (turn: TurnRow): { readonly origin: Origin; readonly depth: number; readonly sinceMs?: number } => ({
  origin: originOfTurn(turn),
  depth: turn.resumed === undefined ? 0 : (turn.resumed.resumes?.depth ?? 0) + 1,
  ...(turn.sinceMs === undefined ? {} : { sinceMs: turn.sinceMs }),
})

function turnOf(house: House, turn: TurnRow, past: Past | undefined): Turn {
  return {
    id: turn.id,
    conversation: turn.conversation,
    person: turn.person,
    locale: house.localeOf(turn.conversation.account),
    origin: originOfTurn(turn),
    messages: turn.messages.map(({ message }) => spokenOf(message)),
    facts: turn.proposals.map(factOf),
    ...(turn.resumed === undefined ? {} : { resumed: factOf(turn.resumed) }),
    actions: [...house.actions.values()].map(({ name, description, input }) => ({ name, description, input })),
    ...(past === undefined ? {} : { past }),
  }
}

const spokenOf = ({ body, moment }: InboundMessage): Spoken => ({
  text: body.text ?? '',
  form: body.kind === 'text' ? 'text' : body.form,
  atMs: moment.atMs,
})

const agentDown = (house: House, conversation: Conversation): OutboxDraft =>
  noticeDraft(conversation, 'receipt', house.texts.say(house.localeOf(conversation.account), 'notice.agent_down'))
