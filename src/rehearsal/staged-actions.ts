import { z } from 'zod'
import { defineAction } from '../actions/define-action.ts'
import type { Field, FieldValue } from '../core/card.ts'
import type { Action, Prepared } from '../ports/action.ts'
import type { ActionSource } from '../ports/action-source.ts'
import type { Ledger } from './ledger.ts'
import type { ActionLine, AgentLine, FieldLine, World, WorldTurn } from './script.ts'

type Declared = Extract<ActionLine, { readonly kind: 'declared' }>
type Args = Readonly<Record<string, string | number | boolean | undefined>>

/** A configuration's action as a rehearsal runs it: schema, preview and preflight are its own, and its call is only counted. */
export function recorded(action: Action, ledger: Ledger): Action {
  const { verify: _verify, lookUp: _lookUp, ...own } = action
  return Object.freeze<Action>({
    ...own,
    preview: async (args, context) => {
      const turn = ledger.world(action.name)
      if (turn !== undefined && turn.kind !== 'reads') return endedBy(turn)
      const prepared = await action.preview(args, context)
      return prepared.kind !== 'ready' || turn === undefined
        ? prepared
        : { ...prepared, fields: prepared.fields.map((field) => turned(field, turn.values)) }
    },
    execute: async (args, { idempotencyKey }) => {
      ledger.record(action.name, args, action.idempotency === 'key' ? idempotencyKey : undefined)
      return {}
    },
  })
}

/** A source of actions as a rehearsal opens it: what it offers is its own, and no call of it is made. */
export const recordedSource = (source: ActionSource, ledger: Ledger): ActionSource => ({
  ...source,
  async open(around) {
    const open = await source.open(around)
    return {
      actions: () => open.actions().map((action) => recorded(action, ledger)),
      isUp: () => open.isUp(),
      [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
    }
  },
})

/** An action that a file declares, or that only its `agent` lines name. Its fields are what the file says, else what its proposals carry. */
export function declared(line: Declared, agent: readonly AgentLine[], ledger: Ledger): Action {
  const { name, reversibility, idempotency, summary, ttlMs, endings } = line
  const fields = line.fields ?? fieldsOf(name, agent)
  return defineAction({
    name,
    version: '1',
    description: `${name}, as a rehearsal declares it.`,
    input: z.object(Object.fromEntries(fields.map((field) => [field.name, schemaOf(field).optional()]))),
    ...(line.editable === undefined ? {} : { editable: line.editable }),
    ...(line.severity === undefined ? {} : { severity: line.severity }),
    ...(line.typeToConfirm === undefined ? {} : { typeToConfirm: line.typeToConfirm }),
    ...(line.rejectReason === undefined ? {} : { rejectReason: line.rejectReason }),
    reversibility,
    idempotency,
    ...(ttlMs === undefined ? {} : { ttlMs }),
    ...(line.replaces === undefined ? {} : { replacementKey: line.replaces }),
    ...(line.always === undefined ? {} : { always: line.always }),
    preview: (args: Args) => {
      const turn = ledger.world(name)
      if (turn !== undefined && turn.kind !== 'reads') return endedBy(turn)
      const read = { ...line.reads, ...turn?.values }
      return {
        summary:
          summary === undefined
            ? name.replaceAll('_', ' ')
            : summary.replace(/\{([\w-]+)\}/g, (whole, field: string) => String(args[field] ?? whole)),
        fields: [
          ...fields
            .filter(({ name: key }) => args[key] !== undefined)
            .map(({ name: key, takes }) => fieldOf(key, args[key], takes)),
          ...Object.entries(read).map(([field, value]) => fieldOf(field, value)),
        ],
      }
    },
    preflight: async () => {
      const next = ledger.ending(name, endings)
      return next.kind === 'denied' ? { kind: 'denied', message: next.why } : { kind: 'ready' }
    },
    execute: (args: Args, context) => ledger.call(line, args, context),
    ...(endings.some(({ kind }) => kind === 'unverified') ? { verify: async () => false } : {}),
  })
}

const fieldsOf = (action: string, agent: readonly AgentLine[]): readonly FieldLine[] =>
  [...new Set(agent.flatMap(({ proposes }) => (proposes?.action === action ? Object.keys(proposes.args) : [])))].map((name) => ({
    name,
  }))

function schemaOf({ takes }: FieldLine) {
  switch (takes?.kind) {
    case undefined:
      return z.union([z.string(), z.number(), z.boolean()])
    case 'whole':
      return z.int().min(takes.least).max(takes.most)
    case 'date':
      return z.iso.date()
    case 'money':
      return z.string().regex(/^\d+(\.\d{1,2})?$/)
    case 'choice':
      return z.enum(takes.of)
  }
}

const fieldOf = (key: string, value: Args[string], takes?: FieldLine['takes']): Field => ({
  key,
  label: labelOf(key),
  value: shown(value, takes),
})

/** The field as the world has it by now, where the file says so. Money keeps its currency. */
function turned(field: Field, values: World): Field {
  const value = values[field.key]
  if (value === undefined) return field
  return { ...field, value: field.value.kind === 'money' ? { ...field.value, amount: String(value) } : shown(value) }
}

function endedBy(turn: Exclude<WorldTurn, { kind: 'reads' }>): Exclude<Prepared, { kind: 'ready' }> {
  if (turn.kind === 'silent') throw new Error('the world does not answer')
  return turn
}

const labelOf = (field: string): string => field.charAt(0).toUpperCase() + field.slice(1).replaceAll('_', ' ')

function shown(value: Args[string], takes?: FieldLine['takes']): FieldValue {
  if (takes?.kind === 'date') return { kind: 'date', date: String(value) }
  if (takes?.kind === 'money') return { kind: 'money', amount: String(value), currency: takes.currency }
  return typeof value === 'number' ? { kind: 'number', number: value } : { kind: 'text', text: String(value) }
}
