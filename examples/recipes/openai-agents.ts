import { Agent, type Model, Runner, tool } from '@openai/agents'
import { z } from 'zod'
import { type Dale, decidedByPerson, type Outcome, type Wanted } from './dale.ts'

/**
 * Runs an agent whose tool needs approval. Each interruption becomes a card in the chat. It is Dale that refunds; the tool only hands the
 * outcome of its call to the model, and a refusal is told to it as one.
 */
export async function run(
  dale: Dale,
  place: Pick<Wanted, 'conversation' | 'requester'>,
  model: Model | string,
  input: string,
): Promise<string> {
  const outcomes = new Map<string, Outcome>()
  const refund = tool({
    name: 'refund',
    description: 'Refunds an order. A person is asked first.',
    parameters: z.object({ order: z.string(), amount: z.string() }),
    needsApproval: true,
    execute: (_args, _context, details) => outcomes.get(details?.toolCall?.callId ?? '')?.result ?? 'Refunded.',
  })
  const agent = new Agent({ name: 'Shop', instructions: 'You help customers of a shop.', model, tools: [refund] })
  const runner = new Runner({ tracingDisabled: true })
  let result = await runner.run(agent, input)
  while (result.interruptions.length > 0) {
    for (const asked of result.interruptions) {
      const { name, arguments: args, callId } = asked.rawItem as { name: string; arguments: string; callId: string }
      const outcome = await decidedByPerson(dale, { action: name, args: JSON.parse(args), ...place }, callId)
      outcomes.set(callId, outcome)
      if (outcome.executed) result.state.approve(asked)
      else result.state.reject(asked, { message: `Not done: ${outcome.state}.` })
    }
    result = await runner.run(agent, result.state)
  }
  return result.finalOutput ?? ''
}
