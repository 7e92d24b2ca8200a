import { z } from 'zod'
import { en, es, pt } from 'zod/locales'
import { canonicalOf } from '../core/fingerprint.ts'
import type { Action } from '../ports/action.ts'

/** A schema that refuses fields it does not name, and the same as JSON Schema (draft 2020-12) for agents. */
export interface StrictSchema {
  readonly schema: z.ZodObject
  readonly jsonSchema: unknown
}

/** Why this schema cannot stand behind a card: it is not an object, accepts fields without a name, or does not yield JSON. */
export function schemaProblems(input: unknown): readonly string[] {
  if (!(input instanceof z.ZodObject)) return ['is a z.object({ … }): the fields of a card have names']
  const problems: string[] = []
  try {
    z.toJSONSchema(input, {
      io: 'output',
      override: ({ jsonSchema, path }) => {
        if (jsonSchema.properties !== undefined && jsonSchema.additionalProperties !== false)
          problems.push(`${placeOf(path)}accepts fields it does not name (looseObject, catchall): name them, or use z.record`)
      },
    })
    z.toJSONSchema(input, { io: 'input' })
  } catch (cause) {
    problems.push(
      `does not yield plain JSON (${(cause as Error).message}): use strings, numbers, booleans, lists and objects; after a transform say what comes out with .pipe(…)`,
    )
  }
  return problems
}

const placeOf = (path: readonly (string | number)[]): string =>
  path.length === 0 ? '' : `${path.filter((part) => part !== 'properties').join('.')} `

/** Makes the outermost object strict and says so, at every depth, in the JSON Schema; `readArguments` does the same for arguments. */
export function strictSchemaOf(input: z.ZodObject): StrictSchema {
  const schema = input.strict()
  const jsonSchema = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties = false
    },
  })
  return { schema, jsonSchema }
}

/**
 * Checks and normalises arguments: plain JSON in, plain JSON out, and the same again when what came out is read once more.
 * A field that the schema would drop in silence is refused: what the agent wrote and the card does not show is never run.
 */
export function readArguments(schema: z.ZodObject, args: unknown, locale?: string): ReturnType<Action['parse']> {
  const written = canonicalOf(args)
  if (!written.ok) return { ok: false, problems: [written.problem] }
  const read = schema.safeParse(JSON.parse(written.canonical), messagesIn(locale))
  if (!read.success) return { ok: false, problems: read.error.issues.map(problemOf) }
  const normal = canonicalOf(read.data)
  if (!normal.ok) return { ok: false, problems: [normal.problem] }
  // Frozen: a policy or preview that changed them would show something else than what is kept.
  const plain: unknown = JSON.parse(normal.canonical, (_key, value) => Object.freeze(value))
  const dropped = droppedFields(JSON.parse(written.canonical), plain, 'args')
  if (dropped.length > 0) return { ok: false, problems: dropped.map((path) => `${path}: unknown field`) }
  const again = schema.safeParse(plain)
  const second = again.success ? canonicalOf(again.data) : undefined
  if (!second?.ok || second.canonical !== normal.canonical)
    return {
      ok: false,
      problems: [
        'args: the schema of this action reads its own result as something else, so what is shown would not be what is run',
      ],
    }
  return { ok: true, args: plain }
}

const languages: Readonly<Record<string, () => { readonly localeError: z.core.$ZodErrorMap }>> = { en, es, pt }

/** Zod's own words of a language, for one reading: what is set for all of zod would be another conversation's too. */
function messagesIn(locale: string | undefined): { readonly error?: z.core.$ZodErrorMap } {
  const words = languages[new Intl.Locale(locale ?? 'en').language]
  return words === undefined ? {} : { error: words().localeError }
}

function problemOf({ path, message }: z.core.$ZodIssue): string {
  return `${['args', ...path].map(String).join('.')}: ${message}`
}

function droppedFields(written: unknown, read: unknown, path: string): readonly string[] {
  if (Array.isArray(written)) {
    return Array.isArray(read) ? written.flatMap((member, index) => droppedFields(member, read[index], `${path}.${index}`)) : []
  }
  if (!isRecord(written) || !isRecord(read)) return []
  return Object.entries(written).flatMap(([key, value]) =>
    Object.hasOwn(read, key) ? droppedFields(value, read[key], `${path}.${key}`) : [`${path}.${key}`],
  )
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
