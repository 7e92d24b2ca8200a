import { z } from 'zod'

/** PostgreSQL stores neither NUL nor half a surrogate pair: a text with one would be refused, and redelivered, for ever. */
export const text = z.string().transform((value) => value.toWellFormed().replaceAll('\0', ''))

/** A field whose mere presence says something; what is in it is not read. */
export const present = z.unknown().optional()

/** An object by its own names: plain, or an instance of one of Baileys' classes, which no record of zod takes. */
export const object = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

/** Anything that protobuf leaves out is absent or null. */
export const maybe = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().transform((value) => value ?? undefined)

/** The id of a message, as its sender's phone made it. */
export const id = z.string().regex(/^[\x21-\x7e]{1,128}$/)

/** A 64-bit number: a number, digits in JSON, or protobuf's `Long`. Nothing that a double cannot hold. */
export const whole = z
  .union([
    z.int().nonnegative(),
    z
      .string()
      .regex(/^\d{1,16}$/)
      .transform(Number),
    z.object({ low: z.int(), high: z.int().nonnegative() }).transform(({ low, high }) => high * 2 ** 32 + (low >>> 0)),
  ])
  .refine(Number.isSafeInteger)

/** Unix time, from the year 2001 to the year 9999, read as milliseconds: zero is how protobuf says nothing. */
export const seconds = whole.refine((value) => value > 1e9 && value < 253_402_300_800).transform((value) => value * 1000)

/** Live events have bytes, JSON has base64, and Baileys' own JSON a wrapped form of either. */
export const bytes = z.union([
  z.instanceof(Uint8Array),
  z.base64().transform((value): Uint8Array => Buffer.from(value, 'base64')),
  z
    .object({ type: z.literal('Buffer'), data: z.union([z.base64(), z.array(z.int().min(0).max(255)).max(65_536)]) })
    .transform(({ data }): Uint8Array => (typeof data === 'string' ? Buffer.from(data, 'base64') : Uint8Array.from(data))),
])

/** An enum of protobuf: live objects have its number, JSON its name. A value that is not named here is `undefined`. */
export const oneOf = <const Name extends string>(numbers: Readonly<Record<Name, number>>) => {
  const names = new Map<unknown, Name>(
    Object.entries<number>(numbers).flatMap(([name, number]) => [
      [name, name as Name],
      [number, name as Name],
    ]),
  )
  return z.union([z.int(), z.string()]).transform((value) => names.get(value))
}

/** What a key or a context says by being there at all. */
export const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && value !== 0 && value !== '' && value !== 'UNKNOWN'
