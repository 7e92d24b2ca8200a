import { resolve } from 'node:path'
import { z } from 'zod'
import { ConfigError, type Problem } from '../core/errors.ts'
import type { LogLevel } from '../ports/log.ts'
import { keptSecretKey } from './secret-key.ts'

/** What the process takes from its environment, checked and typed. `readEnvironment` makes one. */
export interface Environment {
  /** `DATABASE_URL`: PostgreSQL. Without it Dale runs on its own database in `dataDir`. */
  readonly databaseUrl?: string
  /** `REDIS_URL`, for the queue; only with `databaseUrl`. */
  readonly redisUrl?: string
  /** `PORT`, default 3000. 0 takes any free one. */
  readonly port: number
  /** `HOST`, default 127.0.0.1: what is in front of Dale speaks TLS. */
  readonly host: string
  /** `PUBLIC_URL`: where the world reaches this gateway, without a slash at the end; webhooks need it. */
  readonly publicUrl?: string
  /** `LOG_LEVEL`, default `info`. */
  readonly logLevel: LogLevel
  /** `DALE_DATA_DIR`, absolute; default `.dale` in the working directory. */
  readonly dataDir: string
  /** `DALE_SECRET_KEY`, 32 bytes, for encryption and for the authentication of buttons. Without a `databaseUrl` it is made and kept in `dataDir`. */
  readonly secretKey: Uint8Array
  /** `DALE_SECRET_KEY_PREVIOUS`, while the key is being changed: still opens what was encrypted under it, and buttons that it made still work. */
  readonly previousSecretKey?: Uint8Array
  /** The value of a variable that an account, action or agent names. Never logged; an empty value is none. */
  variable(name: string): string | undefined
}

/** Environment variables as the process has them. */
export type Variables = Readonly<Record<string, string | undefined>>

const url = (protocol: RegExp, like: string) => z.url({ protocol, error: `is an address like ${like}` }).optional()

const secretKey = z
  .string()
  .regex(/^([0-9a-f]{64}|[A-Za-z0-9+/]{43}=)$/, 'is 32 bytes in hex or base64; make one with: openssl rand -hex 32')
  .transform((key) => new Uint8Array(Buffer.from(key, key.length === 64 ? 'hex' : 'base64')))
  .optional()

const schema = z.object({
  DATABASE_URL: url(/^postgres(ql)?$/, 'postgres://user:password@host:5432/dale'),
  REDIS_URL: url(/^rediss?$/, 'redis://host:6379'),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'is a number from 0 to 65535')
    .transform(Number)
    .pipe(z.int().max(65_535, 'is a number from 0 to 65535'))
    .default(3000),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_URL: url(/^https?$/, 'https://dale.example.com'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'is one of trace, debug, info, warn, error, fatal, silent',
    })
    .default('info'),
  DALE_DATA_DIR: z.string().default('.dale'),
  DALE_SECRET_KEY: secretKey,
  DALE_SECRET_KEY_PREVIOUS: secretKey,
})

/** What is wrong in the environment, or a function that gives it; only that function makes and keeps a secret key. */
export type ReadEnvironment =
  | { readonly ok: true; readonly environment: () => Environment }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Reads the environment without touching anything. An empty variable is not there. */
export function inspectEnvironment(variables: Variables, cwd: string): ReadEnvironment {
  const variable = (name: string) => (variables[name] === '' ? undefined : variables[name])
  const read = schema.safeParse(Object.fromEntries(Object.keys(schema.shape).map((name) => [name, variable(name)])))
  const problems: Problem[] = read.success
    ? []
    : read.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  // Several processes share a database: a key that each made for itself would make each refuse the other's buttons.
  if (variable('DATABASE_URL') !== undefined && variable('DALE_SECRET_KEY') === undefined)
    problems.push({
      path: 'DALE_SECRET_KEY',
      message: 'is needed with DATABASE_URL, the same for every process; make one with: openssl rand -hex 32',
    })
  if (variable('REDIS_URL') !== undefined && variable('DATABASE_URL') === undefined)
    problems.push({
      path: 'REDIS_URL',
      message: 'is for use with DATABASE_URL: Redis carries no truth, so it needs a PostgreSQL beside it',
    })
  if (!read.success || problems.length > 0) return { ok: false, problems }

  const { DATABASE_URL, REDIS_URL, PORT, HOST, PUBLIC_URL, LOG_LEVEL, DALE_DATA_DIR, DALE_SECRET_KEY, DALE_SECRET_KEY_PREVIOUS } =
    read.data
  const dataDir = resolve(cwd, DALE_DATA_DIR)
  const environment = (): Environment => ({
    ...(DATABASE_URL !== undefined && { databaseUrl: DATABASE_URL }),
    ...(REDIS_URL !== undefined && { redisUrl: REDIS_URL }),
    ...(PUBLIC_URL !== undefined && { publicUrl: PUBLIC_URL.replace(/\/$/, '') }),
    port: PORT,
    host: HOST,
    logLevel: LOG_LEVEL,
    dataDir,
    secretKey: DALE_SECRET_KEY ?? keptSecretKey(dataDir),
    ...(DALE_SECRET_KEY_PREVIOUS !== undefined && { previousSecretKey: DALE_SECRET_KEY_PREVIOUS }),
    variable,
  })
  return { ok: true, environment }
}

/** Reads the environment, or throws `ConfigError` with every problem in it. */
export function readEnvironment(variables: Variables, cwd: string): Environment {
  const read = inspectEnvironment(variables, cwd)
  if (!read.ok) throw new ConfigError(read.problems)
  return read.environment()
}
