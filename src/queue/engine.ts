import type { Room } from '../ports/bell.ts'

/** The rooms that always have a queue. An account's own room gets one when it is first used. */
export const rooms: readonly Room[] = ['turns', 'executions', 'deliveries']

/** The queue of a room. BullMQ refuses ':' in a name; no account has a '.' in its own. */
export const queueNameOf = (room: Room): string => room.replace(':', '.')

/** All that a job carries: which row to look at. */
export interface Ring {
  readonly id: string
}

/** What is used of a BullMQ queue. `waitUntilReady` is decided once: after a rejection close it and open another. */
export interface RingQueue {
  waitUntilReady(): Promise<unknown>
  add(name: string, ring: Ring, options: { readonly jobId: string; readonly delay?: number }): Promise<unknown>
  getWaitingCount(): Promise<number>
  close(): Promise<void>
}

/** What is used of a BullMQ worker. `waitUntilReady` is decided once; `close` without force waits for the jobs in hand. */
export interface RingWorker {
  waitUntilReady(): Promise<unknown>
  run(): Promise<void>
  isRunning(): boolean
  close(force?: boolean): Promise<void>
}

/** BullMQ on one footing: the only thing that differs between the three sizes of Dale. */
export interface Engine {
  /** Prepares what must be there before queues and workers work, tables for one. Rejects while the server cannot be used; repeatable. */
  prepare(): Promise<void>
  /** Opens a queue; its errors go to the engine's listener. */
  queue(room: Room): RingQueue
  /** Opens a worker that does not run yet; its errors go to the engine's listener. */
  worker(room: Room, onRing: (id: string) => Promise<void>): RingWorker
  /** Could a command be sent right now, as far as is known without asking? */
  isConnected(): boolean
  /** Rejects unless every connection answers; one that does not is dropped, so that it is made anew. Settles by itself. */
  probe(): Promise<void>
  /** What is wrong with the server although it answers, in words for an operator. Rejects when it cannot be asked. */
  trouble(): Promise<string | undefined>
  /** Closes the connections, after all queues and workers. */
  close(): Promise<void>
}

/** Hears an error of a connection, or of a room's queue or worker. */
export type OnError = (error: Error, room?: Room) => void
