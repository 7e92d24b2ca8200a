// The files are read here as Compose and Docker read them. No engine ran them for these tests: what is held up is that every name used
// is declared, that the processes wait for what they need, and that what the files tell Dale is what Dale accepts.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { readEnvironment } from '../src/config/environment.ts'

const root = join(import.meta.dirname, '..')
const textOf = (name: string): string => readFileSync(join(root, name), 'utf8')

const healthcheckSchema = z.strictObject({
  test: z.tuple([z.enum(['CMD', 'CMD-SHELL'])], z.string()),
  interval: z.string().regex(/^\d+s$/),
  timeout: z.string().regex(/^\d+s$/),
  start_period: z
    .string()
    .regex(/^\d+s$/)
    .optional(),
  retries: z.int(),
})
const bindSchema = z.strictObject({
  type: z.literal('bind'),
  source: z.string(),
  target: z.string(),
  read_only: z.boolean(),
  bind: z.strictObject({ create_host_path: z.boolean() }),
})
const serviceSchema = z.strictObject({
  image: z.string(),
  build: z.string().optional(),
  command: z.array(z.string()).optional(),
  restart: z.enum(['unless-stopped', 'on-failure']),
  init: z.boolean().optional(),
  env_file: z.string().optional(),
  environment: z.record(z.string(), z.string()).optional(),
  volumes: z.array(z.union([z.string(), bindSchema])).optional(),
  ports: z.array(z.string()).optional(),
  healthcheck: healthcheckSchema.optional(),
  depends_on: z
    .record(z.string(), z.strictObject({ condition: z.enum(['service_healthy', 'service_completed_successfully']) }))
    .optional(),
  security_opt: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  stop_grace_period: z.string().optional(),
})
const composeSchema = z.strictObject({
  'x-dale': z.unknown(),
  services: z.record(z.string(), serviceSchema),
  volumes: z.record(z.string(), z.null()),
})

const { services, volumes } = composeSchema.parse(parse(textOf('docker-compose.yml'), { merge: true }))
const { migrate, gateway, worker, postgres, redis } = services
const ours = { migrate, gateway, worker }

/** The value as Compose writes it out, with `given` for every variable. */
const filledIn = (value: string, given: string): string => value.replaceAll(/\$\{\w+:\?[^}]*\}/g, given)

describe('docker-compose.yml', () => {
  test('has the gateway, the worker, their database and their queue, and a migration before them', () => {
    expect(Object.keys(services).toSorted()).toEqual(['gateway', 'migrate', 'postgres', 'redis', 'worker'])
  })

  test('runs every process of Dale from one image, each by a verb of the command', () => {
    const images = Object.values(ours).map((service) => ({ image: service?.image, build: service?.build }))
    expect(new Set(images.map((image) => JSON.stringify(image))).size).toBe(1)
    expect(Object.values(ours).map((service) => service?.command)).toEqual([['migrate'], ['start'], ['worker']])
  })

  test('lets nobody start before what they need is healthy, and nothing wait for a service that has no health', () => {
    const needs = {
      migrate: { condition: 'service_completed_successfully' },
      postgres: { condition: 'service_healthy' },
      redis: { condition: 'service_healthy' },
    }
    expect(gateway?.depends_on).toEqual(needs)
    expect(worker?.depends_on).toEqual(needs)
    expect(migrate?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
    for (const service of Object.values(services)) {
      for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect(services[name], name).toBeDefined()
        if (condition === 'service_healthy') expect(services[name]?.healthcheck, name).toBeDefined()
      }
    }
  })

  test('asks the gateway for /readyz on the port it listens on, PostgreSQL by pg_isready and Redis by a ping', () => {
    const port = gateway?.environment?.PORT
    expect(gateway?.healthcheck?.test.join(' ')).toContain(`http://127.0.0.1:${port}/readyz`)
    expect(gateway?.ports).toEqual([`127.0.0.1:3000:${port}`])
    expect(postgres?.healthcheck?.test).toContain('pg_isready')
    expect(redis?.healthcheck?.test.join(' ')).toContain('redis-cli ping')
  })

  test('keeps what PostgreSQL and Redis hold in volumes that it declares', () => {
    const used = Object.values(services)
      .flatMap((service) => service.volumes ?? [])
      .flatMap((volume) => (typeof volume === 'string' ? volume.split(':', 1) : []))
    expect(used.toSorted()).toEqual(Object.keys(volumes).toSorted())
  })

  test('runs Redis with its log on and without eviction', () => {
    expect(redis?.command).toEqual(['redis-server', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'])
  })

  test('tells Dale nothing that Dale does not accept, and reaches both servers by their names', () => {
    const variables = Object.fromEntries(
      Object.entries(gateway?.environment ?? {}).map(([name, value]) => [name, filledIn(value, 'a'.repeat(64))]),
    )
    const environment = readEnvironment(variables, '/app')
    expect(new URL(environment.databaseUrl ?? '').hostname).toBe('postgres')
    expect(new URL(environment.redisUrl ?? '').hostname).toBe('redis')
    expect(environment).toMatchObject({ host: '0.0.0.0', port: 3000 })
    expect(Object.keys(variables).toSorted()).toEqual(['DALE_SECRET_KEY', 'DATABASE_URL', 'HOST', 'PORT', 'REDIS_URL'])
    expect(worker?.environment).toEqual(gateway?.environment)
    expect(migrate?.environment).toEqual(gateway?.environment)
  })

  test('gives PostgreSQL the user, password and database that Dale connects with', () => {
    const url = new URL(filledIn(gateway?.environment?.DATABASE_URL ?? '', 'secret'))
    const told = Object.fromEntries(
      Object.entries(postgres?.environment ?? {}).map(([name, value]) => [name, filledIn(value, 'secret')]),
    )
    expect(told).toEqual({ POSTGRES_USER: url.username, POSTGRES_PASSWORD: url.password, POSTGRES_DB: url.pathname.slice(1) })
  })

  test('holds no secret: each is taken from .env, and its absence stops the start', () => {
    for (const name of ['POSTGRES_PASSWORD', 'DALE_SECRET_KEY']) expect(textOf('docker-compose.yml')).toContain(`\${${name}:?`)
    expect(Object.values(ours).map((service) => service?.env_file)).toEqual(['.env', '.env', '.env'])
  })
})

describe('Dockerfile', () => {
  const dockerfile = textOf('Dockerfile')
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))

  test('runs the command of the package, as a user that is not root, on the Node that the package asks for', () => {
    const { bin, engines } = z
      .object({ bin: z.object({ dale: z.string() }), engines: z.object({ node: z.string() }) })
      .parse(JSON.parse(textOf('package.json')))
    expect(lastStage).toContain(`ENTRYPOINT ["node", "${bin.dale}"]`)
    expect(lastStage).toMatch(/^USER node$/m)
    expect(lastStage).toMatch(new RegExp(`^FROM node:${engines.node.replace('>=', '')}-`, 'm'))
  })

  test('leaves the tools of development behind', () => {
    expect(dockerfile).toMatch(/npm run build && npm prune --omit=dev/)
    expect(lastStage).not.toMatch(/npm (ci|install)/)
  })

  test('is given everything that the build reads', () => {
    const { include } = JSON.parse(textOf('tsconfig.build.json')) as { readonly include: readonly string[] }
    const letIn = textOf('.dockerignore').split('\n')
    expect(include.filter((path) => !letIn.includes(`!${path.split('/')[0]}`))).toEqual([])
  })

  test('copies nothing that .dockerignore keeps away, and .env is kept away', () => {
    const letIn = textOf('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1))
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*)$/gm)]
      .flatMap(([, words = '']) => words.split(' ').slice(0, -1))
      .filter((word) => word !== '.')
    for (const file of copied) expect(letIn).toContain(file)
    expect(textOf('.dockerignore').split('\n')).toContain('*')
    expect(letIn.filter((name) => name.startsWith('.env'))).toEqual([])
  })
})
