import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openApiDocument } from '../../src/api/document.ts'
import { listen } from '../../src/console/server.ts'
import { anApi, forAna } from '../support/api.ts'
import { gatewayAppOf } from '../support/gateway-app.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { until } from '../support/until.ts'

/** A program that knows the API by nothing but what was generated from the document. */
const drive = `import createClient from 'openapi-fetch'
import type { paths } from './schema.d.ts'

const [, , baseUrl = '', key = '', asked = ''] = process.argv
const client = createClient<paths>({ baseUrl, headers: { authorization: 'Bearer ' + key } })
const body: NonNullable<paths['/v1/proposals']['post']['requestBody']>['content']['application/json'] = JSON.parse(asked)
const { data: receipt, error } = await client.POST('/v1/proposals', { body })
if (receipt === undefined) throw new Error(error.title)
const path = { id: receipt.proposalId }
const { data: outcome } = await client.GET('/v1/proposals/{id}/outcome', { params: { path, query: { wait: 30 } } })
console.log(JSON.stringify({ state: outcome?.state, executed: outcome?.executed }))
`

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
    const root = join(import.meta.dirname, '..', '..')
    await mkdir(join(root, '.cache'), { recursive: true })
    // In the checkout, where the client's own package is found.
    const folder = await mkdtemp(join(root, '.cache', 'client-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(openApiDocument('0.0.0')))
    await writeFile(join(folder, 'drive.mts'), drive)
    const run = promisify(execFile)
    const generator = join(root, 'test', 'openapi-client', 'node_modules', '.bin', 'openapi-typescript')
    await run(generator, ['openapi.json', '-o', 'schema.d.ts'], { cwd: folder })
    const strict = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--types',
      'node',
      '--module',
      'nodenext',
      '--allowImportingTsExtensions',
    ]
    await run(join(root, 'node_modules', '.bin', 'tsc'), [...strict, 'drive.mts'], { cwd: folder })

    await using test = await aPhonesHouse()
    const api = anApi(test)
    await using server = await listen(
      gatewayAppOf((request) => api.api.fetch(request)),
      { host: '127.0.0.1', port: 0 },
    )
    const { text } = await api.program(['propose', 'read'])
    const driving = run(process.execPath, ['drive.mts', server.url, text, JSON.stringify(forAna)], { cwd: folder })
    await Promise.race([driving, until(async () => (await test.proposals()).length > 0)])
    await test.quiet()
    await test.phone('ana').says('dale')
    expect(JSON.parse((await driving).stdout)).toEqual({ state: 'succeeded', executed: true })
  })
})
