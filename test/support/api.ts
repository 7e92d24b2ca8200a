import { apiApp } from '../../src/api/app.ts'
import { drawKey } from '../../src/api/key.ts'
import { type KeyScope, keyScopes } from '../../src/ports/api-keys.ts'
import type { TestHouse } from './house.ts'

/** What a program got. */
export interface Got {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: answers of every kind are looked at.
  readonly body: any
}

/** A program with a key of its own. */
export interface Program {
  readonly id: string
  readonly text: string
  get(path: string): Promise<Got>
  delete(path: string): Promise<Got>
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Got>
  send(path: string, request: RequestInit): Promise<Got>
}

/** The API of a house, without a server, and programs that use it. */
export function anApi(test: Pick<TestHouse, 'house'>, requestsPerMinute = 100_000) {
  const { house } = test
  const api = apiApp(house, { version: '0.0.0', requestsPerMinute })
  const send = async (path: string, request: RequestInit): Promise<Got> => {
    const response = await api.request(path, request)
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  }
  return {
    api,
    send,
    async program(
      scopes: readonly KeyScope[] = keyScopes,
      { tenant = house.tenant, lastsMs }: { readonly tenant?: string; readonly lastsMs?: number } = {},
    ): Promise<Program> {
      const { text, id, hash } = drawKey()
      const lasting = lastsMs === undefined ? {} : { lastsMs }
      await house.store.makeKey({ id, tenant, name: 'a program', hash, scopes, by: 'test', ...lasting })
      const authorization = `Bearer ${text}`
      return {
        id,
        text,
        get: (path) => send(path, { headers: { authorization } }),
        delete: (path) => send(path, { method: 'DELETE', headers: { authorization } }),
        post: (path, body, headers = {}) =>
          send(path, {
            method: 'POST',
            headers: { authorization, 'content-type': 'application/json', ...headers },
            body: JSON.stringify(body),
          }),
        send: (path, request) => send(path, { ...request, headers: { authorization, ...request.headers } }),
      }
    },
  }
}

/** What asks for three boxes in Ana's chat. */
export const forAna = {
  action: 'registrar',
  args: { cajas: 3 },
  conversation: { account: 'demo', chat: 'ana' },
  requester: 'sim:ana',
} as const
