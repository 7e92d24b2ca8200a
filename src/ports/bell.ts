/** Where a bell rings: a queue per kind of work. */
export type Room = 'turns' | 'executions' | 'deliveries'

/**
 * The queue, which carries no truth: a bell says "look again at this id", and the row in the database decides what is done.
 * A bell may ring twice, late, or never; a sweep rings again for every row that waits.
 */
export interface Bell {
  /**
   * Rings `id` in `room`, after `delayMs` if given (only a hint: what is due is a row). Never throws and never waits for a queue
   * that is down: a lost ring is logged, and the sweep makes up for it.
   */
  ring(room: Room, id: string, delayMs?: number): Promise<void>

  /** Works a room with ten bells at a time until disposed; disposing waits for those in hand. A throwing handler is logged, not rung again. */
  work(room: Room, onBell: (id: string) => Promise<void>): Promise<AsyncDisposable>

  /** Can the queue be used now? Feeds `/readyz`. */
  isUp(): boolean
}
