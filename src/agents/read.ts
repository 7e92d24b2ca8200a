import { z } from 'zod'
import { ConfigError } from '../core/errors.ts'
import type { Read, ReadContext } from '../ports/read.ts'

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
