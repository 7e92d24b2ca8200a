import { Annotation, Command, INTERRUPT, interrupt, isInterrupted, MemorySaver, StateGraph } from '@langchain/langgraph'
import { type Dale, decidedByPerson, type Outcome, type Wanted } from './dale.ts'

/** What a node asks a person for. Where it is asked is the runner's affair. */
export type Asked = Pick<Wanted, 'action' | 'args'>

const State = Annotation.Root({
  /** The refund that somebody asks for. */
  order: Annotation<string>,
  amount: Annotation<string>,
  answer: Annotation<string>,
})

/**
 * A graph whose one step with an effect stops with `interrupt` until a person has decided in the chat. It is Dale that refunds; the graph
 * goes on with what became of it.
 */
export const graph = new StateGraph(State)
  .addNode('refund', ({ order, amount }) => {
    const outcome = interrupt<Asked, Outcome>({ action: 'refund', args: { order, amount } })
    return {
      answer: outcome.executed ? `Refunded: ${outcome.result ?? order}.` : `Not refunded (${outcome.state}).`,
    }
  })
  .addEdge('__start__', 'refund')
  .addEdge('refund', '__end__')
  .compile({ checkpointer: new MemorySaver() })

/** Runs the graph for one thread; every interrupt becomes a card in the chat, and the graph goes on with the outcome. */
export async function run(
  dale: Dale,
  place: Pick<Wanted, 'conversation' | 'requester'>,
  thread: string,
  input: { readonly order: string; readonly amount: string },
): Promise<string> {
  const config = { configurable: { thread_id: thread } }
  let state: unknown = await graph.invoke(input, config)
  while (isInterrupted<Asked>(state)) {
    const [asked] = state[INTERRUPT]
    if (asked?.value === undefined) throw new Error('an interrupt without a value')
    const outcome = await decidedByPerson(dale, { ...asked.value, ...place }, `${thread}:${asked.id}`)
    state = await graph.invoke(new Command({ resume: outcome }), config)
  }
  return (state as typeof State.State).answer
}
