import { isSamePerson } from '../core/authority.ts'
import type { Situation } from '../core/situation.ts'
import { chosen } from './chosen.ts'
import type { House } from './house.ts'

/** The same situation, with the proposals in it whose function of the configuration chooses this person now. */
export async function withChosen(house: House, situation: Situation): Promise<Situation> {
  const { open, named, lastEnded, person } = situation
  const all = [...open, ...(named === undefined ? [] : [named]), ...(lastEnded === undefined ? [] : [lastEnded])]
  const asked = new Map(
    all.flatMap(({ proposal }) => (proposal.approvers.kind === 'function' ? [[proposal.id, proposal] as const] : [])),
  )
  if (asked.size === 0) return situation
  const chosenFor: string[] = []
  for (const proposal of asked.values())
    if ((await chosen(house, proposal)).some(({ id }) => isSamePerson(person, id))) chosenFor.push(proposal.id)
  return { ...situation, person: { ...person, chosenFor } }
}
