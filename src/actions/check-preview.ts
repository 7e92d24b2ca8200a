import { z } from 'zod'
import type { Preview } from '../core/card.ts'
import { ActionError } from '../core/errors.ts'
import { isTimeZone } from '../core/show-value.ts'

const line = z.string().min(1).max(1_000)

const fieldValue = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), text: z.string().max(4_000) }),
  z.strictObject({ kind: z.literal('number'), number: z.number() }),
  z.strictObject({
    kind: z.literal('money'),
    amount: z.string().regex(/^-?\d{1,15}(\.\d{1,4})?$/, 'is a decimal string in major units, like "184000.50"'),
    currency: z.string().regex(/^[A-Z]{3}$/, 'is an ISO 4217 code'),
  }),
  z.strictObject({
    kind: z.literal('instant'),
    instant: z.iso.datetime({ offset: true }),
    timeZone: z.string().refine(isTimeZone, 'is an IANA time zone'),
  }),
  z.strictObject({ kind: z.literal('date'), date: z.iso.date() }),
])

const preview = z.object({
  summary: line,
  fields: z
    .array(z.strictObject({ key: line, label: line, value: fieldValue, unusual: line.optional() }))
    .refine((fields) => new Set(fields.map(({ key }) => key)).size === fields.length, 'has a key twice'),
  artefact: z
    .strictObject({ label: line, url: z.url({ protocol: /^https?$/ }).optional(), text: z.string().optional() })
    .optional(),
  alsoWill: z.array(line).optional(),
  details: z.string().optional(),
})

/**
 * The preview as the card needs it. Throws a permanent `ActionError` that names every wrong place: a card that cannot be written
 * truthfully is not shown, and nothing has happened.
 */
export function checkPreview(action: string, previewed: Preview): Preview {
  const read = preview.safeParse(previewed)
  if (read.success) return read.data as Preview
  const problems = read.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`)
  throw new ActionError(`${action} made a preview that no card can show: ${problems.join('; ')}`, {
    action,
    permanent: true,
    mayHaveHappened: false,
  })
}
