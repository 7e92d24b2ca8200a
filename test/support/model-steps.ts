import { simulateReadableStream } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'

type Stream = Awaited<ReturnType<MockLanguageModelV4['doStream']>>
type Chunk = Stream['stream'] extends ReadableStream<infer Part> ? Part : never

/** One step of a model: what it says, and which tools it calls with which arguments (a string is sent as it is, JSON or not). */
export interface Step {
  readonly text?: string
  readonly calls?: readonly { readonly name: string; readonly args: unknown }[]
  readonly error?: Error
}

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 10, text: 10, reasoning: undefined },
}

/** A step as the SDK streams it. */
export function chunksOf({ text, calls = [], error }: Step, index: number): Chunk[] {
  const words: Chunk[] =
    text === undefined
      ? []
      : [
          { type: 'text-start', id: 't' },
          ...(text.match(/[\s\S]{1,7}/g) ?? []).map((delta): Chunk => ({ type: 'text-delta', id: 't', delta })),
          { type: 'text-end', id: 't' },
        ]
  const tools = calls.map(
    ({ name, args }, place): Chunk => ({
      type: 'tool-call',
      toolCallId: `call-${index}-${place}`,
      toolName: name,
      input: typeof args === 'string' ? args : JSON.stringify(args),
    }),
  )
  const failed: Chunk[] = error === undefined ? [] : [{ type: 'error', error }]
  const unified = calls.length > 0 ? 'tool-calls' : 'stop'
  return [...words, ...tools, ...failed, { type: 'finish', finishReason: { unified, raw: undefined }, usage }]
}

/** A model that takes these steps, one a call, and then nothing more; `doStreamCalls` holds what it was asked. */
export function modelOfSteps(...steps: readonly Step[]): MockLanguageModelV4 {
  let calls = 0
  return new MockLanguageModelV4({
    doStream: async () => {
      const step = steps[calls]
      if (step === undefined) throw new Error('the model was asked once more than the test foresaw')
      calls += 1
      return { stream: simulateReadableStream({ chunks: chunksOf(step, calls) }) }
    },
    doGenerate: async () => ({
      content: [{ type: 'text', text: 'Ana quiere tres cuotas.' }],
      finishReason: { unified: 'stop', raw: undefined },
      usage,
      warnings: [],
    }),
  })
}
