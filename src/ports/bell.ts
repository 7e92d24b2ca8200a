/**
 * Where a bell rings: a queue per kind of work, and one of its own for each account whose connection lives in one process at a time, so
 * that its sendings are worked there. Such a room comes to be with its first ring or worker. Accounts are named as in the configuration:
 * letters, digits, `-` and `_`.
 */
export type Room = 'turns' | 'executions' | 'deliveries' | 'hooks' | `deliveries:${string}`

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

  /**
   * Works a room with ten bells at a time until disposed; disposing waits for those in hand, and the room may then be worked again. What
   * rings meanwhile waits. A throwing handler is logged, not rung again.
   */
  work(room: Room, onBell: (id: string) => Promise<void>): Promise<AsyncDisposable>

  /** Can the queue be used now? Feeds `/readyz`. An account's own room is worked or not as its line comes and goes, and does not count. */
  isUp(): boolean

  /** What an operator should mend in the queue although it can be used, since when; undefined when nothing is known. */
  doubt(): { readonly message: string; readonly sinceMs: number } | undefined
}
