import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpAgent } from '../../src/agents/http.ts'
import { env } from '../../src/core/secret.ts'
import { answerOf, aTurn } from '../support/turns.ts'

const docs = readFileSync(new URL('../../docs/agents-http.md', import.meta.url), 'utf8')
const blockOf = (language: string): string => {
  const start = docs.indexOf(`\`\`\`${language}\n`)
  return docs.slice(start + language.length + 4, docs.indexOf('\n```', start))
}

const events = [
  { kind: 'text', text: 'Let me prepare that plan.' },
  { kind: 'propose', action: 'crear_acuerdo', args: { cliente: '42', cuotas: 3 } },
]

describe('docs/agents-http.md', () => {
  const secret = 'a-secret-of-twenty-four-bytes-or-more'
  const server = spawn(process.execPath, ['--input-type=module', '--eval', blockOf('js')], {
    cwd: new URL('../..', import.meta.url),
    env: { ...process.env, AGENT_SECRET: secret, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let port = ''
  beforeAll(async () => {
    for await (const line of createInterface({ input: server.stdout })) {
      port = line.replace('listening on ', '')
      return
    }
  })
  afterAll(() => server.kill())

  const ask = (variable: string, value: string, text: string) => {
    process.env[variable] = value
    return answerOf(httpAgent({ url: `http://127.0.0.1:${port}/turns`, secret: env(variable) }), aTurn(text))
  }

  it('has a server that answers Dale', async () => {
    expect(await ask('TEST_DOCS_SECRET', secret, 'abrí un plan')).toEqual(events)
    expect(await ask('TEST_DOCS_SECRET', secret, 'hola')).toEqual([{ kind: 'text', text: 'I can open a payment plan.' }])
  })

  it('has a server that refuses who does not hold the secret', async () => {
    await expect(ask('TEST_DOCS_OTHER', 'another-secret-of-24-bytes-or-more', 'abrí un plan')).rejects.toThrow('answered 401')
  })

  it('has a command that signs by hand', async () => {
    const { stdout } = await promisify(execFile)('sh', ['-c', blockOf('sh')], {
      env: { ...process.env, AGENT_SECRET: secret, PORT: port },
    })
    expect(JSON.parse(stdout)).toEqual({ events })
  })
})
