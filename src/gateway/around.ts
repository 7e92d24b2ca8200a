import type { Conversation } from '../core/conversation.ts'
import { conversationKeyOf } from '../core/conversation.ts'
import type { Counted } from '../core/past.ts'
import { type Around, actionsOf, isAbout, isTrigger, type PolicySet } from '../core/policy.ts'
import type { Proposal } from '../core/proposal.ts'
import type { AskedBefore, AskedUntil, AskingQuery } from '../ports/asking.ts'
import type { House } from './house.ts'

/** The call that is judged. */
export interface Judged {
  readonly conversation: Conversation
  readonly requester?: string
  readonly action: string
  readonly fingerprint: string
  readonly replacementKey?: string
  /** What ends where this one begins. */
  readonly insteadOf?: string
}

/** What the store is asked for before rules are applied to an action; undefined where no rule looks at anything but arguments and account. */
export function askingQueryOf({ rules }: PolicySet, action: string, requester: string): AskingQuery | undefined {
  const about = rules.filter((rule) => isAbout(rule, action))
  const looking = about.filter(({ when, people, roles }) => when !== undefined || people !== undefined || roles !== undefined)
  if (looking.length === 0) return undefined
  const triggers = about.flatMap(({ when, ...rule }) => (isTrigger(when) ? [{ when, actions: actionsOf(rule) ?? [] }] : []))
  const limits = triggers.flatMap(({ when, actions }) => (when.kind === 'over' ? [{ when, actions }] : []))
  return {
    requester,
    actions: [...new Set(limits.flatMap(({ actions }) => actions))],
    withinMs: Math.max(0, ...limits.map(({ when }) => when.withinMs)),
    ...(triggers.some(({ when }) => when.kind === 'unusual') ? { historyOf: action } : {}),
  }
}

/**
 * Who asks, and what they asked for before: one query, and none where no rule needs it. `already` is what the same run proposed and nobody
 * has stored yet. What this call replaces, or is the same as, is not counted beside it.
 */
export async function aroundOf(
  house: House,
  judged: Judged,
  already: readonly Proposal[],
): Promise<{ readonly around: Around; readonly until?: AskedUntil }> {
  const { requester, conversation, action } = judged
  const { account } = conversation
  const query = requester === undefined ? undefined : askingQueryOf(house.policies, action, requester)
  if (query === undefined) return { around: { asker: { account, roles: [] }, past: { nowMs: 0, counted: [], done: [] } } }
  const { nowMs, person, counted, done, until } = await house.store.askingPast(query)
  const own = already.filter((one) => query.actions.includes(one.action)).map(askedOf)
  return {
    around: {
      asker: { account, person, roles: person.roles },
      past: {
        nowMs,
        counted: [...counted, ...own].filter((one) => !isBeside(one, judged)).map(countedOf),
        done: done.map((args): unknown => JSON.parse(args)),
      },
    },
    ...(until === undefined ? {} : { until }),
  }
}

const askedOf = ({ id, conversation, action, canonicalArgs, fingerprint, replacementKey }: Proposal): AskedBefore => ({
  id,
  conversation,
  action,
  canonicalArgs,
  fingerprint,
  waits: true,
  ...(replacementKey === undefined ? {} : { replacementKey }),
})

/** Its card is shown again instead of this one, or it ends where this one begins. */
function isBeside(one: AskedBefore, { conversation, action, fingerprint, replacementKey, insteadOf }: Judged): boolean {
  if (one.id === insteadOf) return true
  if (one.doneAtMs !== undefined || one.action !== action) return false
  if (conversationKeyOf(one.conversation) !== conversationKeyOf(conversation)) return false
  return one.fingerprint === fingerprint || (one.waits && replacementKey !== undefined && one.replacementKey === replacementKey)
}

const countedOf = ({ action, canonicalArgs, doneAtMs }: AskedBefore): Counted => ({
  action,
  args: JSON.parse(canonicalArgs),
  ...(doneAtMs === undefined ? {} : { doneAtMs }),
})
