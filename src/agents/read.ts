import { z } from 'zod'
import type { Conversation } from '../core/conversation.ts'
import { ConfigError } from '../core/errors.ts'

/** Who a read is for. */
export interface ReadContext {
  readonly conversation: Conversation
  readonly person: string
  readonly locale: string
  readonly signal: AbortSignal
}

/** Something the model may look up at once, without asking anybody: it changes nothing. `defineRead` makes one. */
export interface Read {
  readonly name: string
  readonly description: string
  /** JSON Schema (draft 2020-12) of the arguments. */
  readonly input: unknown
  /** Runs it. Throws when the arguments are wrong or the far side fails; the model is told the message. */
  run(args: unknown, context: ReadContext): Promise<unknown>
}

/** A read as its author writes it; `args` is what the schema makes of the model's arguments. */
export interface ReadDefinition<Input extends z.ZodObject> {
  /** Small letters, digits and `_`. */
  readonly name: string
  readonly description: string
  readonly input: Input
  /** Answers text, or anything that JSON can say. The model sees at most 8,000 characters of it, marked as data from outside. */
  readonly run: (args: z.output<Input>, context: ReadContext) => Promise<unknown>
}

/** Makes a read that a model may call freely. Whatever changes something is an action (`defineAction`) and waits for a yes. */
export function defineRead<Input extends z.ZodObject>({ name, description, input, run }: ReadDefinition<Input>): Read {
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(name))
    throw new ConfigError([
      { path: 'agent.reads', message: `${JSON.stringify(name)} is not a name of small letters, digits and _` },
    ])
  const schema = input.strict()
  return {
    name,
    description,
    input: z.toJSONSchema(schema, { io: 'input' }),
    run: async (args, context) => run(schema.parse(args) as z.output<Input>, context),
  }
}
