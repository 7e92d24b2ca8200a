import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Proposal } from '../../src/core/proposal.ts'

/** What one side of a race does with each of its proposals. */
export interface Task {
  readonly todo: 'carla approves' | 'dario approves' | 'dario rejects' | 'expire' | 'edit' | 'supersede' | 'execute' | 'halt'
  readonly proposals: readonly Proposal[]
}

/** What came of it, proposal by proposal, and for which of them the action was called in this process. */
export interface Did {
  readonly answers: readonly string[]
  readonly calls: readonly string[]
}

/** A process that races, on a database. Disposing ends it. */
export class RacerProcess implements AsyncDisposable {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  static async started(databaseUrl: string): Promise<RacerProcess> {
    const child = spawn(process.execPath, ['--conditions=dale-source', join(import.meta.dirname, 'racer-child.ts')], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, DALE_TEST_RACE: databaseUrl },
    })
    const died = once(child, 'exit').then(() => Promise.reject(new Error('The process ended before it was ready')))
    await Promise.race([once(child, 'message'), died])
    died.catch(() => undefined)
    return new RacerProcess(child)
  }

  async does(task: Task): Promise<Did> {
    const done = once(this.#child, 'message')
    this.#child.send(task)
    const [did] = (await done) as [Did]
    return did
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = once(this.#child, 'exit')
    this.#child.kill()
    await gone
  }
}
