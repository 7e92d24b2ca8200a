import type { House } from '../gateway/house.ts'
import { proposeOutside } from '../gateway/propose-outside.ts'
import type { ProgramAsks } from './script.ts'
import type { Stage } from './stage.ts'

/** Proposes as a program does, for a person in their own chat; answers how what it got differs from what the file says, if it does. */
export async function askOutside(
  house: House,
  account: string,
  stage: Stage,
  { action, args, person, refused }: ProgramAsks,
): Promise<string | undefined> {
  const { id: requester } = await house.store.person(stage.identityOf(person))
  const answer = await proposeOutside(house, {
    conversation: { account, chat: stage.chatOf(person) },
    requester,
    action,
    args,
    origin: 'api',
    proposedBy: 'rehearsal',
  })
  const came = answer.kind === 'refused' ? answer.code : undefined
  if (came === refused) return undefined
  return came === undefined
    ? `the program was not refused: it has #${'code' in answer ? answer.code : ''}`
    : `the program was refused: ${came}`
}
