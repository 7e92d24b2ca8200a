import type { z } from 'zod'
import type { Preview } from '../core/card.ts'
import { isWritable, schemaAt } from '../core/editable.ts'
import { ConfigError, type Problem } from '../core/errors.ts'
import { canonicalOf } from '../core/fingerprint.ts'
import type { AlwaysTerms } from '../core/grant.ts'
import type { Reversibility } from '../core/proposal.ts'
import type { Escalation, Whom } from '../core/whom.ts'
import type { Action, CallContext, CallResult, LookUp, Prepared, PreviewContext } from '../ports/action.ts'
import { checkPreview } from './check-preview.ts'
import { readArguments, schemaProblems, strictSchemaOf } from './input-schema.ts'

const minute = 60_000
const day = 24 * 60 * minute

/** How long one call may take when its definition does not say. */
export const defaultTimeoutMs = 30_000

/** What `preview` may answer: a preview as it is, or one of the three answers of prepare by name. */
export type Previewed = (Preview & { readonly kind?: 'ready' }) | Exclude<Prepared, { readonly kind: 'ready' }>

/** An action as its author writes it. In every function `args` is what the schema makes of the arguments. */
export interface ActionDefinition<Input extends z.ZodObject> {
  /** Small letters, digits and `_`; agents and policies call it by this. */
  readonly name: string
  /** Change it with every change of meaning: open proposals of another version are shown again. */
  readonly version: string
  /** For the agent: what it does, and when it is the right one. */
  readonly description: string
  /** The arguments. Fields it does not name are refused, at every depth. It yields plain JSON: no dates, no class instances. */
  readonly input: Input
  readonly reversibility: Reversibility
  /** Of one call, where some weigh more than others: it raises `reversibility` and never lowers it. Pure, and at once. */
  reversibilityOf?(args: z.output<Input>): Reversibility
  /** Its cards look different and are read longer. What cannot be undone always does. */
  readonly severity?: 'high'
  /** Of one call, where some are graver than others: it raises `severity` and never lowers it. Pure, and at once. */
  severityOf?(args: z.output<Input>): 'normal' | 'high'
  /**
   * The key of a field of the card, which is the name of an argument too: a yes to what cannot be undone or is of high severity is asked for
   * its value, typed as the card prints it, unless two persons are asked. Default none: then what cannot be undone takes two persons.
   */
  readonly typeToConfirm?: string
  /**
   * Its cards offer to refuse with a reason. It is kept with the decision and told to whoever proposed; with `told`, to the person who asked
   * as well. Default neither offered nor told; a person may say one all the same.
   */
  readonly rejectReason?: 'kept' | 'told'
  /** Default `none`. `key`: the far side keeps `context.idempotencyKey`, so the very same call may be made again. */
  readonly idempotency?: 'key' | 'none'
  /** How long the far side keeps a key, in milliseconds. Default one day. */
  readonly keyValidForMs?: number
  /** How long a shown card waits, 1 second to 7 days, in milliseconds. Default 30 minutes. */
  readonly ttlMs?: number
  /** How long one call may take, 100 ms to 10 minutes, in milliseconds. Default 30 seconds. */
  readonly timeoutMs?: number
  /** Whom to ask. Default the requester. */
  readonly approvers?: Whom
  /** `resume`: the agent goes on once it is known what became of it, without a word of the person's. Default as `limits.onOutcome` says. */
  readonly onOutcome?: 'tell' | 'resume'
  /** Whom to ask too when nobody has decided after so long. */
  readonly escalate?: Escalation
  /**
   * Arguments that whoever asked may change on the card, in the chat; each is the key of one of its fields. Default none. People with the
   * role that is asked may change every key field that is an argument.
   */
  readonly editable?: readonly string[]
  /** Names of environment variables without which it cannot work. */
  readonly needs?: readonly string[]
  /**
   * Whoever asked may say "always" with their yes: once that call has succeeded, so many further ones in the same conversation, for so many
   * days, are done without asking again. Default never; not for what cannot be undone, nor for what a role decides.
   */
  readonly always?: AlwaysTerms
  /** Proposals with the same key replace each other: the name of an argument whose value is the key, or a function of the arguments. */
  readonly replacementKey?: (keyof z.output<Input> & string) | { key(args: z.output<Input>): string | undefined }['key']
  /** What the card says, from the arguments and the present state of the world. Reads only. */
  preview(args: z.output<Input>, context: PreviewContext): Previewed | Promise<Previewed>
  /** Last look before the call. Reads only. */
  preflight?(
    args: z.output<Input>,
    context: CallContext,
  ): Promise<{ readonly kind: 'ready' } | { readonly kind: 'denied'; readonly message: string }>
  /** Does it. Throws `ActionError` with `mayHaveHappened: false` only with a proof; anything else thrown counts as "may have happened". */
  // biome-ignore lint/suspicious/noConfusingVoidType: an action that has nothing to tell returns nothing
  execute(args: z.output<Input>, context: CallContext): Promise<CallResult | void>
  /** Did it really take effect? A `false` is told together with the success. */
  verify?(args: z.output<Input>, result: CallResult, context: CallContext): Promise<boolean>
  /** Looks for the effect by key after an unknown end. */
  lookUp?(args: z.output<Input>, context: CallContext): Promise<LookUp>
}

/**
 * Makes an action out of its definition. Throws `ConfigError` with every problem when the definition cannot keep the rules of
 * consent: above all when its schema does not yield the same plain JSON each time, because what is shown is what is run.
 */
export function defineAction<Input extends z.ZodObject>(definition: ActionDefinition<Input>): Action {
  const problems = problemsOf(definition)
  if (problems.length > 0) throw new ConfigError(problems)
  const {
    name,
    version,
    description,
    reversibility,
    idempotency = 'none',
    approvers,
    onOutcome,
    escalate,
    editable,
    needs,
    severity,
    typeToConfirm,
    rejectReason,
  } = definition
  const input = strictSchemaOf(definition.input)
  type Args = z.output<Input>

  return Object.freeze<Action>({
    name,
    version,
    description,
    input: input.jsonSchema,
    reversibility,
    idempotency,
    keyValidForMs: idempotency === 'key' ? (definition.keyValidForMs ?? day) : 0,
    ttlMs: definition.ttlMs ?? 30 * minute,
    timeoutMs: definition.timeoutMs ?? defaultTimeoutMs,
    ...(approvers && { approvers }),
    ...(onOutcome && { onOutcome }),
    ...(escalate && { escalate }),
    ...(editable && { editable: [...editable] }),
    ...(needs && { needs }),
    ...(severity && { severity }),
    ...(typeToConfirm && { typeToConfirm }),
    ...(rejectReason && { rejectReason }),
    parse: (args, locale) => readArguments(input.schema, args, locale),
    preview: async (args, context) => {
      const previewed = await definition.preview(args as Args, context)
      if (previewed.kind === 'denied' || previewed.kind === 'completed') return previewed
      return { ...checkPreview(name, previewed), kind: 'ready' }
    },
    execute: async (args, context) => (await definition.execute(args as Args, context)) ?? {},
    ...(definition.reversibilityOf && {
      reversibilityOf: (args: unknown) => definition.reversibilityOf?.(args as Args) ?? reversibility,
    }),
    ...(definition.severityOf && { severityOf: (args: unknown) => definition.severityOf?.(args as Args) ?? 'normal' }),
    ...(definition.always && { always: Object.freeze({ ...definition.always }) }),
    ...(definition.replacementKey && { replacementKey: keyBy(definition.replacementKey) }),
    ...(definition.preflight && { preflight: definition.preflight.bind(definition) as NonNullable<Action['preflight']> }),
    ...(definition.verify && { verify: definition.verify.bind(definition) as NonNullable<Action['verify']> }),
    ...(definition.lookUp && { lookUp: definition.lookUp.bind(definition) as NonNullable<Action['lookUp']> }),
  })
}

/** The key of one call. An argument's value is spelt as canonical JSON, so that 1 and "1" are not the same; without the argument there is none. */
function keyBy<Args>(by: string | ((args: Args) => string | undefined)): (args: unknown) => string | undefined {
  if (typeof by === 'function') return (args) => by(args as Args)
  return (args) => {
    const value = (args as Readonly<Record<string, unknown>>)[by]
    const canonical = value === undefined || value === null ? undefined : canonicalOf(value)
    return canonical?.ok === true ? canonical.canonical : undefined
  }
}

const durations = { ttlMs: [1_000, 7 * day], timeoutMs: [100, 10 * minute], keyValidForMs: [minute, 365 * day] } as const

function problemsOf(definition: ActionDefinition<z.ZodObject>): readonly Problem[] {
  const problems: Problem[] = []
  const at = (field: string, message: string) => problems.push({ path: `${definition.name}.${field}`, message })
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(definition.name)) at('name', 'use small letters, digits and _, a letter first, 64 at most')
  if (typeof definition.version !== 'string' || definition.version === '') at('version', 'write a version, like "1"')
  if (typeof definition.description !== 'string' || definition.description.trim() === '')
    at('description', 'say what it does: the agent chooses by it')
  if (!['reversible', 'observed', 'irreversible'].includes(definition.reversibility))
    at('reversibility', 'is reversible, observed or irreversible')
  if (!['function', 'undefined'].includes(typeof definition.reversibilityOf))
    at('reversibilityOf', 'is a function of the arguments')
  if (!['high', undefined].includes(definition.severity)) at('severity', 'is high, or left out')
  if (!['function', 'undefined'].includes(typeof definition.severityOf)) at('severityOf', 'is a function of the arguments')
  if (!['kept', 'told', undefined].includes(definition.rejectReason)) at('rejectReason', 'is kept or told')
  if (!['key', 'none', undefined].includes(definition.idempotency)) at('idempotency', 'is key or none')
  if (!['tell', 'resume', undefined].includes(definition.onOutcome)) at('onOutcome', 'is tell or resume')
  if (definition.keyValidForMs !== undefined && definition.idempotency !== 'key')
    at('keyValidForMs', "means nothing without idempotency: 'key'")
  for (const [field, [least, most]] of Object.entries(durations)) {
    const ms = definition[field as keyof typeof durations]
    if (ms !== undefined && !(Number.isSafeInteger(ms) && ms >= least && ms <= most))
      at(field, `is a whole number of milliseconds from ${least} to ${most}`)
  }
  const { always, replacementKey } = definition
  if (always !== undefined) {
    const inRange = (value: unknown, most: number) =>
      Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= most
    if (!inRange(always.times, 100)) at('always.times', 'is a whole number from 1 to 100')
    if (!inRange(always.days, 365)) at('always.days', 'is a whole number from 1 to 365')
    if (definition.reversibility === 'irreversible') at('always', 'is not for what cannot be undone')
    if (definition.approvers !== undefined && definition.approvers.kind !== 'requester')
      at('always', 'is for what whoever asked decides alone')
  }
  if (!['string', 'function', 'undefined'].includes(typeof replacementKey))
    at('replacementKey', 'is the name of an argument, or a function of the arguments')
  else if (typeof replacementKey === 'string' && !(replacementKey in (definition.input?.shape ?? {})))
    at('replacementKey', `is the name of an argument, and there is none ${replacementKey}`)
  for (const field of ['preview', 'execute'] as const) if (typeof definition[field] !== 'function') at(field, 'is a function')
  const ofSchema = schemaProblems(definition.input)
  for (const message of ofSchema) at('input', message)
  if (ofSchema.length === 0) {
    for (const message of editableProblems(definition)) at('editable', message)
    for (const message of typedProblems(definition)) at('typeToConfirm', message)
  }
  return problems
}

function typedProblems({
  input,
  typeToConfirm,
  reversibility,
  reversibilityOf,
  severity,
  severityOf,
}: ActionDefinition<z.ZodObject>): readonly string[] {
  if (typeToConfirm === undefined) return []
  if (typeof typeToConfirm !== 'string' || typeToConfirm === '') return ['is the name of an argument']
  const schema = schemaAt(strictSchemaOf(input).jsonSchema, typeToConfirm)
  const isAsked =
    reversibility === 'irreversible' || severity === 'high' || reversibilityOf !== undefined || severityOf !== undefined
  return [
    ...(schema === undefined ? [`there is no argument ${typeToConfirm}`] : []),
    ...(isAsked ? [] : ['is for what cannot be undone, or is of high severity, and this is neither']),
  ]
}

function editableProblems({ input, editable }: ActionDefinition<z.ZodObject>): readonly string[] {
  if (editable === undefined) return []
  if (!Array.isArray(editable) || editable.some((name) => typeof name !== 'string'))
    return ["is a list of arguments, like ['cuotas']"]
  const { jsonSchema } = strictSchemaOf(input)
  const twice = editable.filter((name, at) => editable.indexOf(name) !== at).map((name) => `${name} is there twice`)
  return [
    ...twice,
    ...editable.flatMap((name) => {
      const schema = schemaAt(jsonSchema, name)
      if (schema === undefined) return [`there is no argument ${name}`]
      return isWritable(schema) ? [] : [`${name} cannot be written in a chat: numbers, texts, dates, choices and yes or no can`]
    }),
  ]
}
