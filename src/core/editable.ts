import { isColleague, isSamePerson, type Person } from './authority.ts'
import type { FieldValue, Preview } from './card.ts'
import { amountOf, valueAt } from './past.ts'
import type { Proposal } from './proposal.ts'

/** How a value is to be written and what comes of it in the arguments. */
export type Kind =
  /** `as`: a number, or a decimal as text. `whole`: without decimals. `currency`: it may be written beside the amount. */
  | { readonly kind: 'number'; readonly as: 'number' | 'text'; readonly whole?: true; readonly currency?: string }
  | { readonly kind: 'date' }
  | { readonly kind: 'choice'; readonly options: readonly { readonly value: string | number; readonly label: string }[] }
  | { readonly kind: 'truth' }
  | { readonly kind: 'text' }

/** A key field of a card that is an argument too and can be given another value in a chat. */
export interface Editable {
  /** Where it stands in the arguments, and the field's key on the card. */
  readonly path: string
  readonly label: string
  /** As the card shows it. */
  readonly shown: FieldValue
  readonly is: Kind
}

/** What is to be known of an action. */
export interface EditableIn {
  /** JSON Schema (draft 2020-12) of the arguments. */
  readonly input: unknown
  /** What whoever asked may change. */
  readonly editable?: readonly string[]
}

/**
 * The fields of a card that this person may change (RULES 7), in the card's order: whom it is asked of by a role, every key field that is
 * an argument; who asked, those that the action names. Lists, objects, and amounts that the card shows on another scale than the arguments
 * have them are not for a chat.
 */
export function editableFor({ input, editable = [] }: EditableIn, proposal: Proposal, person: Person): readonly Editable[] {
  const isOperator = isColleague(proposal, person)
  if (!isOperator && !isSamePerson(person, proposal.requester)) return []
  const args: unknown = JSON.parse(proposal.canonicalArgs)
  const { fields }: Preview = proposal.preview
  return fields.flatMap(({ key, label, value }) => {
    if (!isOperator && !editable.includes(key)) return []
    const schema = schemaAt(input, key)
    const is = schema === undefined ? undefined : kindOf(schema, valueAt(args, key), value)
    return is === undefined ? [] : [{ path: key, label, shown: value, is }]
  })
}

interface Schema {
  readonly type?: unknown
  readonly format?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly title?: unknown
  readonly anyOf?: readonly unknown[]
  readonly oneOf?: readonly unknown[]
  readonly properties?: Readonly<Record<string, unknown>>
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

/** The schema of an argument; undefined where there is none. `pago.monto` is one inside another. */
export function schemaAt(input: unknown, path: string): Schema | undefined {
  let at: unknown = input
  for (const key of path.split('.')) {
    const properties: Readonly<Record<string, unknown>> | undefined = isSchema(at) ? at.properties : undefined
    if (properties === undefined || !Object.hasOwn(properties, key)) return undefined
    at = properties[key]
  }
  return isSchema(at) ? at : undefined
}

/** Can a value of this schema be written in a chat at all? */
export const isWritable = (schema: Schema): boolean =>
  [undefined, '', 0, true].some((value) => kindOf(schema, value, undefined) !== undefined)

function kindOf(schema: Schema, argument: unknown, shown: FieldValue | undefined): Kind | undefined {
  const members = schema.anyOf ?? schema.oneOf
  if (members !== undefined) return kindOfAny(members.filter(isSchema), argument, shown)
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (values !== undefined) return choiceOf(values.map((value) => ({ value, title: schema.title })))
  const types = [schema.type].flat().filter((type) => type !== 'null')
  if (types.length !== 1) return types.length === 0 ? undefined : kindOfValue(types, argument, shown)
  return kindOfType(types[0], schema, argument, shown)
}

/** Either of several: choices of a word each; what may also be left empty; or, in the end, what it is now. */
function kindOfAny(members: readonly Schema[], argument: unknown, shown: FieldValue | undefined): Kind | undefined {
  const filled = members.filter(({ type }) => type !== 'null')
  if (filled.length > 0 && filled.every((member) => member.const !== undefined || member.enum !== undefined))
    return choiceOf(
      filled.flatMap(({ const: only, enum: values = [only], title }) =>
        values.map((value) => ({ value, title: values.length === 1 ? title : undefined })),
      ),
    )
  const [only, ...more] = filled
  if (only !== undefined && more.length === 0) return kindOf(only, argument, shown)
  return kindOfValue(
    filled.map(({ type }) => type),
    argument,
    shown,
  )
}

const typeOf = (value: unknown): string => (value === null ? 'null' : typeof value)

/** Of several types it stays the one that it has. */
function kindOfValue(types: readonly unknown[], argument: unknown, shown: FieldValue | undefined): Kind | undefined {
  const has = typeOf(argument)
  const fits = types.find((type) => type === has || (type === 'integer' && has === 'number'))
  return fits === undefined ? undefined : kindOfType(fits, {}, argument, shown)
}

function kindOfType(type: unknown, schema: Schema, argument: unknown, shown: FieldValue | undefined): Kind | undefined {
  switch (type) {
    case 'boolean':
      return { kind: 'truth' }
    case 'number':
      return amount('number', argument, shown)
    case 'integer':
      return amount('number', argument, shown, { whole: true })
    case 'string':
      if (schema.format === 'date' || shown?.kind === 'date') return { kind: 'date' }
      return shown?.kind === 'number' || shown?.kind === 'money' ? amount('text', argument, shown) : { kind: 'text' }
    default:
      return undefined
  }
}

/** A card may show cents as pesos: then what is written for the one would be run as the other. */
function amount(
  as: 'number' | 'text',
  argument: unknown,
  shown: FieldValue | undefined,
  whole: { readonly whole?: true } = {},
): Kind | undefined {
  if (shown?.kind !== 'number' && shown?.kind !== 'money') return { kind: 'number', as, ...whole }
  const [has, says] = [amountOf(argument), amountOf(shown.kind === 'money' ? shown.amount : shown.number)]
  if (has === undefined || says === undefined || !has.eq(says)) return undefined
  return { kind: 'number', as, ...whole, ...(shown.kind === 'money' ? { currency: shown.currency } : {}) }
}

function choiceOf(members: readonly { readonly value: unknown; readonly title: unknown }[]): Kind | undefined {
  const filled = members.filter(({ value }) => value !== null)
  if (filled.length > 0 && filled.every(({ value }) => typeof value === 'boolean')) return { kind: 'truth' }
  const options = filled.flatMap(({ value, title }) =>
    typeof value === 'string' || typeof value === 'number'
      ? [{ value, label: typeof title === 'string' && title !== '' ? title : String(value) }]
      : [],
  )
  return options.length === filled.length && options.length > 0 ? { kind: 'choice', options } : undefined
}
