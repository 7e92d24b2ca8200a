import { z } from 'zod'
import { type ActionDefinition, defineAction } from '../../src/actions/define-action.ts'
import { ActionError } from '../../src/core/errors.ts'
import type { Action, CallContext } from '../../src/ports/action.ts'

/** How the far side treats a call that it may have seen: by its key, not at all, or not at all but it can be asked. */
export type LedgerMode = 'idempotent' | 'naive' | 'lookup'

/**
 * What goes wrong with one call. `lost`: done, and the answer is lost. `dropped`: not done, and nobody knows. `refused`: not done, for
 * good. `busy`: not done, may be tried again. `held`: done, and answered only once the promise resolves.
 */
export type LedgerFault = 'lost' | 'dropped' | 'refused' | 'busy' | { readonly held: Promise<unknown> }

/** One call as it came. */
export interface LedgerCall {
  readonly key: string
  readonly proposal: string
  readonly attempt: number
  readonly fence: number
  readonly args: unknown
}

/** What an action needs of a ledger: one in this process, or one that is asked over HTTP. */
export interface Booking {
  call(mode: LedgerMode, args: unknown, context: CallContext): Promise<void>
  has(key: string): boolean
}

/** The world in which actions have their effects: it counts what was asked, and what was really done. */
export class Ledger implements Booking {
  readonly calls: LedgerCall[] = []
  /** What was done, by proposal and arguments; the same thing twice stands here twice. */
  readonly effects: { readonly proposal: string; readonly key: string; readonly args: unknown }[] = []
  /** Calls that are held now. */
  holding = 0
  readonly #faults: LedgerFault[] = []

  /** The next calls meet these, one each; after them everything goes well again. */
  next(...faults: readonly LedgerFault[]): void {
    this.#faults.push(...faults)
  }

  effectsOf(proposal: string): number {
    return this.effects.filter((effect) => effect.proposal === proposal).length
  }

  async call(mode: LedgerMode, args: unknown, { proposalId, idempotencyKey: key, attempt, fence }: CallContext): Promise<void> {
    this.calls.push({ key, proposal: proposalId, attempt, fence, args })
    const fault = this.#faults.shift()
    const refusal = (permanent: boolean) =>
      new ActionError('The ledger refuses.', { action: 'ledger', permanent, mayHaveHappened: false })
    if (fault === 'refused' || fault === 'busy') throw refusal(fault === 'refused')
    if (fault === 'dropped') throw new Error('The line broke before anything was done.')
    const seen = this.effects.find((effect) => effect.key === key)
    if (mode !== 'idempotent' || seen === undefined) this.effects.push({ proposal: proposalId, key, args })
    else if (JSON.stringify(seen.args) !== JSON.stringify(args)) throw refusal(true)
    if (fault === 'lost') throw new Error('The line broke after it was done.')
    if (typeof fault !== 'object') return
    this.holding += 1
    await fault.held
    this.holding -= 1
  }

  has(key: string): boolean {
    return this.effects.some((effect) => effect.key === key)
  }
}

const input = z.object({ cajas: z.int().min(1) })

/** `registrar`: books boxes into the ledger. Reversible, its requester decides, and the far side keeps the key, unless told otherwise. */
export function bookingAction(
  ledger: Booking,
  { mode = 'idempotent', ...differs }: { readonly mode?: LedgerMode } & Partial<ActionDefinition<typeof input>> = {},
): Action {
  return defineAction({
    name: 'registrar',
    version: '1',
    description: 'Books boxes into the depot.',
    input,
    reversibility: 'reversible',
    idempotency: mode === 'idempotent' ? 'key' : 'none',
    preview: ({ cajas }) => ({
      summary: `Registrar ${cajas} cajas en el depósito`,
      fields: [{ key: 'cajas', label: 'Cajas', value: { kind: 'number', number: cajas } }],
    }),
    execute: async (args, context) => {
      await ledger.call(mode, args, context)
      return { message: 'Quedó registrado.' }
    },
    ...(mode === 'lookup'
      ? {
          lookUp: async (_args: unknown, { idempotencyKey }: CallContext) => ({
            kind: ledger.has(idempotencyKey) ? ('found' as const) : ('absent' as const),
          }),
        }
      : {}),
    ...differs,
  })
}
