import type { Normalized } from '../../core/inbound.ts'
import type { InboundQueue } from './inbound.ts'
import type { Hearing, Line } from './keeper.ts'
import { idsOf } from './message-facts.ts'
import type { Reader } from './reader.ts'
import { Acknowledgements } from './send.ts'

/** A connection that is logged in: messages can be sent through it. */
export interface OpenLine extends Line {
  readonly acknowledgements: Acknowledgements
}

/** Hears what comes through an account's connections, one after the other, and hands it in, in the order in which it was written. */
export function receivingOf(about: {
  readonly queue: InboundQueue
  readonly reader: Reader
  /** What of an event the gateway is told. */
  readonly told: (event: Normalized) => readonly Normalized[]
  readonly opened: (line: OpenLine | undefined) => void
}): Pick<Hearing, 'made' | 'events' | 'open'> {
  const { queue, reader, told, opened } = about
  const known = new WeakMap<Line, Acknowledgements>()
  const arrive = ({ session, journal }: Line, event: string, data: unknown, messageIds: readonly string[]): void =>
    queue.push({
      read: async () => (await reader.read({ event, data }, session)).flatMap(told),
      stored: () => journal.finished(messageIds),
    })
  return {
    made: (line) => {
      known.set(line, new Acknowledgements(line.connection.sock))
      // What was decrypted before and is not known to be stored comes before anything new.
      queue.push({
        read: async () => {
          for (const message of await line.journal.unfinished())
            arrive(line, 'messages.upsert', { type: 'append', messages: [message] }, [message.key.id ?? ''])
          return []
        },
      })
    },

    events: (line, events) => {
      for (const [event, data] of Object.entries(events)) {
        if (event === 'connection.update' || event === 'creds.update') continue
        const news = event === 'messages.update' ? withoutAnswered(data, known.get(line)) : data
        arrive(line, event, news, event === 'messages.upsert' ? idsOf(data) : [])
      }
    },

    open: (line) => {
      const acknowledgements = line === undefined ? undefined : known.get(line)
      opened(line === undefined || acknowledgements === undefined ? undefined : { ...line, acknowledgements })
    },
  }
}

/** Refusals that were the answer to a sending, which has been told of them. */
const withoutAnswered = (data: unknown, acknowledgements: Acknowledgements | undefined): unknown =>
  Array.isArray(data)
    ? data.filter(
        ({ key, update }: { key?: { id?: string | null }; update?: { status?: unknown } }) =>
          update?.status !== 0 || acknowledgements?.answers(key?.id ?? '') !== true,
      )
    : data
