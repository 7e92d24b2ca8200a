import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Validator } from '@seriousme/openapi-schema-validator'
import { generateApi } from 'swagger-typescript-api'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openApiDocument } from '../../src/api/document.ts'
import { listen } from '../../src/console/server.ts'
import { anApi, forAna } from '../support/api.ts'
import { gatewayAppOf } from '../support/gateway-app.ts'
import { aPhonesHouse } from '../support/house-phones.ts'

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string; readonly responses: object }>>>>
}

describe('the document of the API', () => {
  it('is a valid OpenAPI 3.1 document, the same that is served', async () => {
    const document = openApiDocument('0.0.0')
    const { valid, errors } = await new Validator().validate(structuredClone(document) as Record<string, unknown>)
    expect([valid, errors]).toEqual([true, undefined])
    await using test = await aPhonesHouse()
    const { api } = anApi(test)
    expect(await (await api.request('/v1/openapi.json')).json()).toEqual(JSON.parse(JSON.stringify(document)))
  })

  it('names every operation, and has a way to refuse for each', () => {
    const { paths } = openApiDocument('0.0.0') as Document
    const operations = Object.values(paths).flatMap((path) => Object.values(path))
    const names = operations.map(({ operationId }) => operationId)
    expect(new Set(names).size).toBe(names.length)
    for (const { responses } of operations)
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '401', '403', '429']))
    expect(names.filter((name) => /approve|decide|confirm|reject/i.test(name))).toEqual([])
  })

  it('is what docs/api.md tells: every address with its methods, every code of a refusal', () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'api.md'), 'utf8')
    const { paths } = openApiDocument('0.0.0') as Document
    const addresses = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
    )
    const rows = [...page.matchAll(/`((?:GET|POST|DELETE)[^`]*) (\/v1\/[^`]*)`/g)].map(([, method, path]) => `${method} ${path}`)
    const told = [...rows, 'GET /v1/people/{id}']
    expect(addresses.map(([method, path]) => `${method} ${path}`).filter((one) => !told.includes(one))).toEqual([])
    const source = globSync('src/api/*.ts')
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n')
    const codes = [...source.matchAll(/problem\(\s*\d{3},\s*'(\w+)'|^ {2}(\w+): (?:400|409|422|503),$/gm)].flatMap(
      ([, given, refused]) => given ?? refused ?? [],
    )
    expect(codes.length).toBeGreaterThan(20)
    expect(codes.filter((code) => code !== 'failed' && !page.includes(`\`${code}\``))).toEqual([])
  })

  it('makes a client that drives a proposal to its outcome', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dale-client-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await generateApi({
      spec: openApiDocument('0.0.0') as never,
      output: folder,
      fileName: 'client.ts',
      httpClientType: 'fetch',
      toJS: true,
      silent: true,
    })
    const { Api } = await import(pathToFileURL(join(folder, 'client.js')).href)
    await using test = await aPhonesHouse()
    const api = anApi(test)
    await using server = await listen(
      gatewayAppOf((request) => api.api.fetch(request)),
      { host: '127.0.0.1', port: 0 },
    )
    const { text } = await api.program(['propose', 'read'])
    const client = new Api({ baseUrl: server.url, baseApiParams: { headers: { authorization: `Bearer ${text}` } } })
    const { data: receipt } = await client.v1.propose(forAna)
    await test.quiet()
    await test.read()
    const waiting = client.v1.waitForOutcome(receipt.proposalId, { wait: 20 })
    await test.phone('ana').says('dale')
    expect((await waiting).data).toMatchObject({ state: 'succeeded', executed: true })
  })
})
