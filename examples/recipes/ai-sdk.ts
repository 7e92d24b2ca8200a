import { generateText, type LanguageModel, type ModelMessage, stepCountIs, tool } from 'ai'
import { z } from 'zod'
import { type Dale, decidedByPerson, type Outcome, type Wanted } from './dale.ts'

/**
 * Runs a model whose tool asks for approval. Each request becomes a card in the chat. It is Dale that refunds; the tool only hands the
 * outcome of its call to the model, and a refusal is told to it as one.
 */
export async function run(
  dale: Dale,
  place: Pick<Wanted, 'conversation' | 'requester'>,
  model: LanguageModel,
  prompt: string,
): Promise<string> {
  const outcomes = new Map<string, Outcome>()
  const refund = tool({
    description: 'Refunds an order. A person is asked first.',
    inputSchema: z.object({ order: z.string(), amount: z.string() }),
    execute: (_args, { toolCallId }) => outcomes.get(toolCallId)?.result ?? 'Refunded.',
  })
  const messages: ModelMessage[] = [{ role: 'user', content: prompt }]
  for (;;) {
    const { text, content, responseMessages } = await generateText({
      model,
      tools: { refund },
      toolApproval: { refund: 'user-approval' },
      messages,
      stopWhen: stepCountIs(10),
    })
    messages.push(...responseMessages)
    const requests = content.filter((part) => part.type === 'tool-approval-request')
    if (requests.length === 0) return text
    for (const { approvalId, toolCall } of requests) {
      const outcome = await decidedByPerson(
        dale,
        { action: toolCall.toolName, args: toolCall.input, ...place },
        toolCall.toolCallId,
      )
      outcomes.set(toolCall.toolCallId, outcome)
      messages.push({
        role: 'tool',
        content: [
          {
            type: 'tool-approval-response',
            approvalId,
            approved: outcome.executed,
            ...(outcome.executed ? {} : { reason: `Not done: ${outcome.state}.` }),
          },
        ],
      })
    }
  }
}
