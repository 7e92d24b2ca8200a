import type { Command } from 'commander'
import { answer, type CommonOptions, newVerb, withJson } from './verb.ts'

/** `dale migrate`: brings the PostgreSQL of DATABASE_URL to this version, the queue's tables included where it stands there. Repeatable; several at once wait for each other. */
export const migrate = (): Command =>
  withJson(
    newVerb(
      'migrate',
      'Bring the database of DATABASE_URL to this version of Dale, and without REDIS_URL the tables of the queue there. Safe to repeat; the embedded database does it by itself.',
      [['DATABASE_URL=postgres://dale:…@db/dale dale migrate', 'before the first dale start, and after each update']],
    ),
  ).action(async (options: CommonOptions) => {
    const { readEnvironment } = await import('../config/environment.ts')
    const url = process.env.DATABASE_URL
    if (!url) {
      return answer(options, { migrated: [], queue: false }, [
        'Nothing to do: without DATABASE_URL, dale start brings its own database up to date.',
      ])
    }
    const { redisUrl } = readEnvironment(process.env, process.cwd())
    const { migrate: bring } = await import('../store/migrate.ts')
    const migrated = await bring({ kind: 'postgres', url })
    const queue = redisUrl === undefined && (await (await import('../queue/bullmq.ts')).migrateQueue(url))
    const brought = [...migrated, ...(queue ? ['the tables of the queue'] : [])]
    const done = brought.length === 0 ? 'The database is up to date.' : `Brought up to date: ${brought.join(', ')}.`
    answer(options, { migrated, queue }, [`${done} dale start can use it.`])
  })
