import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A Bot API that answers at once with as little work as can be, and tells when a chat got its outcome. */
export interface FarSide extends AsyncDisposable {
  readonly apiRoot: string
  /** Resolves when a message that begins with `Done` was sent to the chat. */
  outcomeIn(chat: number): Promise<void>
}

/** Starts the far side on loopback. It checks nothing: what it is for is being the same for the walk and for the null path. */
export async function openFarSide(): Promise<FarSide> {
  const waiting = new Map<number, () => void>()
  let messageId = 1_000_000
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const method = request.url?.split('/').at(-1) ?? ''
      const text = Buffer.concat(chunks).toString()
      const body: { chat_id?: string | number; text?: string } = text === '' ? {} : JSON.parse(text)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ ok: true, result: resultOf(method, Number(body.chat_id)) }))
      if (method === 'sendMessage' && body.text?.startsWith('Done')) waiting.get(Number(body.chat_id))?.()
    })
  })
  const resultOf = (method: string, chat: number): unknown => {
    if (method === 'getMe') return { id: 1, is_bot: true, first_name: 'bench', username: 'bench_bot' }
    if (method !== 'sendMessage' && method !== 'editMessageText') return true
    messageId += 1
    return {
      message_id: messageId,
      date: Math.floor(Date.now() / 1000),
      chat: { id: chat, type: 'private', first_name: 'x' },
      text: '',
    }
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    apiRoot: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    outcomeIn: async (chat) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.set(chat, resolve)
      await promise
      waiting.delete(chat)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
