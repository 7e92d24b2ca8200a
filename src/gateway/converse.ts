import type { Conversation } from '../core/conversation.ts'
import type { InboundMessage } from '../core/inbound.ts'
import type { Past, Spoken, Turn } from '../ports/agent.ts'
import type { OutboxDraft, TurnRow } from '../ports/store.ts'
import { cardsThatFollow } from './cards-that-follow.ts'
import { drawAgain } from './draw-again.ts'
import { factOf } from './fact-of.ts'
import type { House } from './house.ts'
import { noticeDraft } from './notice.ts'
import { ring } from './ring.ts'
import { changeOf, nothingWritten, originOfTurn, takeEvent, type Written } from './take-event.ts'
import { tellWritten } from './tell-written.ts'

/** A turn is one worker's for this long at a time; it is extended while the agent works. */
const leaseMs = 30_000
/** No agent may think longer than this about one turn. */
const turnMs = 120_000
/** After this many crashed tries a turn is given up politely. */
const triesAllowed = 3
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

/** What the turn said, once it is written; undefined when it was lost. */
async function runTurn(house: House, turn: TurnRow): Promise<readonly OutboxDraft[] | undefined> {
  let written = nothingWritten()
  const isAnswered = turn.attempts <= triesAllowed && (await isHeard(house, turn, written))
  for (let draws = 1; ; draws += 1) {
    // Nobody asked anything where an outcome started it, and that was told.
    if (!isAnswered && turn.resumed === undefined) written.say.push(agentDown(house, turn.conversation))
    if (written.create.length === 0) written.say.push(...cardsThatFollow(house, turn, written.say))
    const { create, say, moves, heard } = written
    const committed = await house.store.commit({
      turn: { id: turn.id, fence: turn.fence, ...(create.length === 0 ? {} : { proposed: true }) },
      ...changeOf(written),
    })
    if (committed.kind === 'committed') {
      await tellWritten(house, moves)
      return say
    }
    house.log.warn({ turn: turn.id, what: committed.what, attempt: draws }, 'turn_lost')
    // A lease that went, or an older card that was decided meanwhile: nothing was written, so the turn comes again. What needs no other
    // answer of the agent is written anew.
    if (!drawAgain(committed, draws)) return undefined
    written = nothingWritten()
    for (const event of heard) await takeEvent(house, turn, event, written)
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
      else if (await takeEvent(house, turn, event, written)) return
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
  ...(body.kind === 'text' || body.media === undefined ? {} : { media: body.media }),
  atMs: moment.atMs,
})

const agentDown = (house: House, conversation: Conversation): OutboxDraft =>
  noticeDraft(conversation, 'receipt', house.texts.say(house.localeOf(conversation.account), 'notice.agent_down'))
