import { z } from 'zod'
import type { AgentEvent } from '../ports/agent.ts'
import { AgentError } from './agent-error.ts'

const event = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), text: z.string().min(1).max(8_000) }),
  z.strictObject({
    kind: z.literal('propose'),
    action: z.string().min(1).max(64),
    args: z.record(z.string(), z.unknown()),
    more: z.literal(true).optional(),
  }),
  z.strictObject({ kind: z.literal('withdraw'), code: z.string().min(1).max(16) }),
  z.strictObject({ kind: z.literal('state'), state: z.enum(['thinking', 'typing']) }),
])

const answer = z.strictObject({ events: z.array(z.unknown()).max(100) })

/** Reads one event of an agent. Throws `AgentError` that names what is wrong: unknown fields are refused, not ignored. */
export function agentEventOf(value: unknown): AgentEvent {
  const read = event.safeParse(value)
  if (read.success) return read.data
  throw new AgentError(`The agent answered with an event that is none: ${read.error.issues.map(problemOf).join('; ')}`, {
    again: false,
  })
}

/** Reads the answer `{ "events": […] }`. Throws `AgentError`. */
export function agentAnswerOf(value: unknown): readonly AgentEvent[] {
  const read = answer.safeParse(value)
  if (!read.success) {
    throw new AgentError(`The agent must answer {"events":[…]}: ${read.error.issues.map(problemOf).join('; ')}`, { again: false })
  }
  return read.data.events.map(agentEventOf)
}

function problemOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return `unknown field ${issue.keys.join(', ')} (an agent speaks and proposes; it cannot confirm or approve anything)`
  return [issue.path.map(String).join('.'), issue.message].filter((part) => part !== '').join(': ')
}
