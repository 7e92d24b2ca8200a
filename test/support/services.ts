import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Redis } from 'ioredis'
import pg from 'pg'
import { redisBinary } from './redis.ts'

/** What a suite may need beside the embedded engine. `redis-server` is the program itself, for tests that kill it. */
export type Service = 'postgres' | 'redis' | 'redis-server'

/**
 * The addresses that `npm test` found or started, an empty one meaning that there is none. Under a bare `vitest` nothing is said, and
 * whatever answers on the usual ports of this machine is used.
 */
const addresses = {
  postgres: process.env.TEST_DATABASE_URL ?? (await ifAnswering(5432, 'postgres://postgres@127.0.0.1:5432/postgres')),
  redis: process.env.TEST_REDIS_URL ?? (await ifAnswering(6379, 'redis://127.0.0.1:6379')),
  'redis-server': redisBinary() ?? '',
} as const satisfies Record<Service, string>

/** Is the service there? */
export const isHere = (service: Service): boolean => addresses[service] !== ''

/** The address of a service; throws outside of the suites that `describeOn` runs. */
export function addressOf(service: Service): string {
  if (!isHere(service)) throw new Error(`there is no ${service} here: use describeOn('${service}', …)`)
  return addresses[service]
}

/** A new, empty PostgreSQL database, dropped with all its connections when disposed. */
export async function freshDatabase(): Promise<AsyncDisposable & { readonly name: string; readonly url: string }> {
  const name = `dale_test_${randomBytes(6).toString('hex')}`
  const url = new URL(addressOf('postgres'))
  await asAdmin(`create database ${name}`)
  url.pathname = `/${name}`
  return { name, url: url.href, [Symbol.asyncDispose]: () => asAdmin(`drop database if exists ${name} with (force)`) }
}

/** Runs SQL beside the database under test, on the server's own one. */
export async function asAdmin(sql: string, params: readonly unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: addressOf('postgres') })
  await client.connect()
  try {
    await client.query(sql, [...params])
  } finally {
    await client.end()
  }
}

/** A prefix that nobody else uses on the shared Redis; its keys are deleted when disposed. */
export function freshPrefix(): AsyncDisposable & { readonly prefix: string } {
  const prefix = `dale-test-${randomBytes(6).toString('hex')}`
  return {
    prefix,
    [Symbol.asyncDispose]: async () => {
      const client = new Redis(addressOf('redis'))
      try {
        const keys = await client.keys(`${prefix}:*`)
        if (keys.length > 0) await client.del(...keys)
      } finally {
        client.disconnect()
      }
    },
  }
}

async function ifAnswering(port: number, url: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect')
    return url
  } catch {
    return '' // Nobody there is an answer too.
  } finally {
    socket.destroy()
  }
}
