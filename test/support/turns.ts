import type { Agent, AgentEvent, Turn } from '../../src/ports/agent.ts'

/** A turn in which somebody wrote these texts. */
export const aTurn = (texts: string | readonly string[], differs: Partial<Turn> = {}): Turn => ({
  id: '01K0000000000000000000000T',
  conversation: { account: 'tienda', chat: 'ana' },
  person: 'ana',
  locale: 'es',
  origin: 'human',
  messages: [texts].flat().map((text) => ({ text, form: 'text', atMs: 0 })),
  facts: [],
  actions: [],
  ...differs,
})

/** Everything that an agent answers to a turn. */
export async function answerOf(agent: Agent, turn: Turn, signal = new AbortController().signal): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const event of agent.run(turn, signal)) events.push(event)
  return events
}
