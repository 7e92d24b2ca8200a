import type { Refused } from '../gateway/propose.ts'
import { type Problem, problem } from './problem.ts'

const statuses: Readonly<Record<Refused['code'], Problem['status']>> = {
  unknown_action: 400,
  invalid_args: 400,
  denied: 422,
  completed: 422,
  nobody_can_decide: 422,
  does_not_fit: 422,
  slot_busy: 409,
  halted: 409,
  preview_failed: 503,
}

const titles: Readonly<Record<Refused['code'], string>> = {
  unknown_action: 'There is no such action.',
  invalid_args: 'The arguments are not what the action takes.',
  denied: 'A rule forbids it.',
  completed: 'It is done already.',
  nobody_can_decide: 'Nobody could ever decide it.',
  does_not_fit: 'It does not fit on a card.',
  slot_busy: 'Another card waits in its place.',
  halted: 'It is halted for now.',
  preview_failed: 'What it would do could not be shown.',
}

/** Why no proposal comes of a request. */
export const refusalProblem = ({ code, message }: Refused): Problem =>
  problem(statuses[code], code, titles[code], {
    detail: message,
    ...(code === 'unknown_action' ? { errors: [{ in: 'body', at: '/action', detail: message }] } : {}),
    ...(code === 'invalid_args' ? { errors: [{ in: 'body', at: '/args', detail: message }] } : {}),
    ...(code === 'preview_failed' ? { headers: { 'retry-after': '5' } } : {}),
  })
