import { conversationNamed, conversationWith, type Place } from '../api/places.ts'
import { nowhereOf } from '../core/conversation.ts'
import type { House } from '../gateway/house.ts'
import type { OutcomeInFull } from '../gateway/outcome-of.ts'
import { proposeOutside } from '../gateway/propose-outside.ts'
import { waitForOutcome } from '../gateway/wait-for-outcome.ts'
import { withdrawOutside } from '../gateway/withdraw-outside.ts'
import type { ActionOffer } from '../ports/agent.ts'

/** What a program asks for through MCP: the action and its arguments, and for whom and where, if that is known. */
export interface Wish {
  readonly action: string
  readonly args: unknown
  readonly conversation?: { readonly account: string; readonly chat: string; readonly topic?: string | undefined } | undefined
  readonly account?: string | undefined
  readonly requester?: string | undefined
}

/** It came to this, or to nothing: `code` says why in one word, `message` in a sentence. */
export type DeskAnswer =
  | { readonly kind: 'done'; readonly told: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }

/**
 * All that a program can do through MCP. It asks, takes back what is its own, and looks; nothing here decides. `by` is the name under which
 * it proposes. Plain JSON in and out, so that another process can be asked as well.
 */
export interface Desk {
  actions(): Promise<readonly ActionOffer[]>
  propose(by: string, wish: Wish): Promise<DeskAnswer>
  withdraw(by: string, proposalId: string): Promise<DeskAnswer>
  /** Waits so many seconds for its end, if there is none yet. */
  outcome(proposalId: string, waitSeconds: number): Promise<OutcomeInFull | undefined>
}

/** The desk of a house. Its proposals are of origin `mcp`. */
export const deskOf = (house: House): Desk => ({
  async actions() {
    return [...house.actions.values()].map(({ name, description, input }) => ({ name, description, input }))
  },

  async propose(by, wish) {
    const place = await placeOf(house, wish)
    if ('message' in place) return place
    const receipt = await proposeOutside(house, {
      ...place,
      action: wish.action,
      args: wish.args,
      origin: 'mcp',
      proposedBy: by,
    })
    if (receipt.kind === 'refused') return { kind: 'refused', code: receipt.code, message: receipt.message }
    const { kind: _kind, ...told } = receipt
    return { kind: 'done', told }
  },

  async withdraw(by, proposalId) {
    const withdrawn = await withdrawOutside(house, proposalId, by)
    switch (withdrawn.kind) {
      case 'unknown':
        return refuse('unknown', 'There is no such proposal.')
      case 'not_own':
        return refuse('not_own', 'Somebody else asked for it: only who did may take it back.')
      case 'too_late':
        return refuse('too_late', `It waits no more: it is ${withdrawn.state}.`)
      case 'withdrawn':
        return { kind: 'done', told: { proposalId, state: withdrawn.proposal.state.name } }
    }
  },

  outcome: (proposalId, waitSeconds) =>
    waitForOutcome(house, proposalId, waitSeconds === 0 ? AbortSignal.abort() : AbortSignal.timeout(waitSeconds * 1000)),
})

const refuse = (code: string, message: string): Extract<DeskAnswer, { kind: 'refused' }> => ({ kind: 'refused', code, message })

/** Where and for whom: the conversation named, the requester's own, or none, for what a role decides. */
async function placeOf(
  house: House,
  { conversation: asked, requester: who, account: named }: Wish,
): Promise<Place | Extract<DeskAnswer, { kind: 'refused' }>> {
  const accounts = [...house.quietHours.keys()]
  const conversation = asked && conversationNamed(asked)
  const account = conversation?.account ?? named ?? (accounts.length === 1 ? accounts[0] : undefined)
  if (account === undefined) return refuse('invalid_request', `Name the account: there is ${accounts.join(', ')}.`)
  if (!accounts.includes(account))
    return refuse('unknown_account', `There is no account ${account}; there is ${accounts.join(', ')}.`)
  if (named !== undefined && named !== account)
    return refuse('invalid_request', 'account is another one than the conversation’s.')
  const requester = who === undefined ? undefined : (await house.store.person(who)).id
  if (conversation !== undefined) return { conversation, ...(requester === undefined ? {} : { requester }) }
  if (who === undefined || requester === undefined) return { conversation: nowhereOf(account) }
  const own = await conversationWith(house, account, who)
  return own === undefined
    ? refuse('no_conversation', 'This person never wrote here: name the conversation.')
    : { conversation: own, requester }
}
