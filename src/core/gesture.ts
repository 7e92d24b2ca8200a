import type { Via } from './decision.ts'
import { type Approvers, asksTwo, type Proposal } from './proposal.ts'

/**
 * What a yes takes beside the word or the tap (RULES 7): nothing; a value of the card, typed as it stands there; or what no single person
 * can give.
 */
export type Gesture = 'word' | 'typed' | 'second'

/** What a yes to this proposal takes. Two persons need not type: each of them looks. A refusal never takes anything. */
export function gestureOf({
  reversibility,
  approvers,
  typeToConfirm,
}: Pick<Proposal, 'reversibility' | 'approvers' | 'typeToConfirm'>): Gesture {
  if (asksTwo(approvers)) return 'word'
  if (typeToConfirm !== undefined) return 'typed'
  return reversibility === 'irreversible' ? 'second' : 'word'
}

/** The field that a yes to one call types: of what is grave, where the action names one and no second person is asked. */
export const typedFor = (
  typeToConfirm: string | undefined,
  weight: Pick<Proposal, 'reversibility' | 'severity'>,
  approvers: Approvers,
): Pick<Proposal, 'typeToConfirm'> =>
  typeToConfirm === undefined || !isGrave(weight) || asksTwo(approvers) ? {} : { typeToConfirm }

/** Was a yes given by the gesture that is asked for? */
export function isGestureFor(proposal: Proposal, via: Via): boolean {
  switch (gestureOf(proposal)) {
    case 'word':
      return true
    case 'typed':
      return via === 'typed'
    case 'second':
      return false
  }
}

/** Does the card look different, and is it read longer? What cannot be undone always is. */
export const isGrave = ({ severity, reversibility }: Pick<Proposal, 'severity' | 'reversibility'>): boolean =>
  severity === 'high' || reversibility === 'irreversible'
