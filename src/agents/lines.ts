import { TextDecoder } from 'node:util'
import { AgentError } from './agent-error.ts'

/** Of an answer in all. */
const maxAnswerBytes = 1024 * 1024

/**
 * The lines of a stream as they come, without empty ones. Throws `AgentError` beyond `maxAnswerBytes` or where it is not UTF-8; stops
 * the stream when its reader stops.
 */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let size = 0
  let rest = ''
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxAnswerBytes) throw new AgentError(`The agent answered more than ${maxAnswerBytes} bytes`, { again: false })
    const parts = decoded(decoder, chunk).split('\n')
    for (const [index, part] of parts.entries()) {
      rest += part
      if (index === parts.length - 1) break
      if (rest.trim() !== '') yield rest
      rest = ''
    }
  }
  rest += decoded(decoder)
  if (rest.trim() !== '') yield rest
}

function decoded(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined })
  } catch (cause) {
    throw new AgentError('The agent answered bytes that are not UTF-8', { again: false }, { cause })
  }
}
