/** What the process takes from its environment, checked and typed. `readEnvironment` makes one. */
export interface Environment {
  /** PostgreSQL; without it Dale runs on its own database in `dataDir`. */
  readonly databaseUrl?: string
  /** Redis for the queue; only with `databaseUrl`. */
  readonly redisUrl?: string
  /** `PORT`, default 3000. 0 takes any free one. */
  readonly port: number
  /** `HOST`, default 127.0.0.1: what is in front of Dale speaks TLS. */
  readonly host: string
  /** Where the world reaches this gateway, without a slash at the end; webhooks need it. */
  readonly publicUrl?: string
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
  /** `DALE_DATA_DIR`, absolute; default `.dale` in the working directory. */
  readonly dataDir: string
  /** 32 bytes, for encryption and for the authentication of buttons. */
  readonly secretKey: Uint8Array
  /** The value of a variable that an account, action or agent names. Never logged; an empty value is none. */
  variable(name: string): string | undefined
}
