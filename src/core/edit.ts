import { choose, chooseSeveral } from './choose.ts'
import type { Editable } from './editable.ts'
import { type ReadBy, readValue } from './read-value.ts'

/** An edit under way, as it is kept with the question that it waits for. */
export interface Edit {
  /** Fields that are to get a value, the one that is asked for now first; none yet: which ones is what is asked. */
  readonly fields: readonly string[]
  readonly values: Readonly<Record<string, string | number | boolean>>
}

/** An edit may follow on an edit so often; then somebody should say no and begin anew. */
export const editsAllowed = 5

/** Where there is one field, nobody is asked which. */
export const beginEdit = (offered: readonly Editable[]): Edit => ({
  fields: offered.length === 1 ? offered.map(({ path }) => path) : [],
  values: {},
})

/** Has every chosen field its value? */
export const isWhole = ({ fields, values }: Edit): boolean => fields.length === 0 && Object.keys(values).length > 0

/** The field that is asked for; undefined while it is asked which, and when there is nothing left to ask. */
export const askedField = ({ fields }: Edit, offered: readonly Editable[]): Editable | undefined =>
  offered.find(({ path }) => path === fields[0])

/** The edit after an answer to what it asks; undefined where the answer says nothing, or might say two things. */
export function answerEdit(edit: Edit, offered: readonly Editable[], text: string, by: ReadBy): Edit | undefined {
  const field = askedField(edit, offered)
  if (field === undefined) {
    const places = chooseSeveral(
      text,
      offered.map(({ label }) => label),
    )
    const fields = places?.flatMap((place) => offered[place]?.path ?? []) ?? byName(text, offered)
    return fields.length === 0 ? undefined : { ...edit, fields }
  }
  const value = readValue(text, field.is, by)
  return value === undefined ? undefined : { fields: edit.fields.slice(1), values: { ...edit.values, [field.path]: value } }
}

/** By the name that the argument has: who knows the action may say that instead of the label. */
function byName(text: string, offered: readonly Editable[]): readonly string[] {
  const paths = offered.map(({ path }) => path)
  const place = /^\s*\d/.test(text) ? undefined : choose(text, paths)
  return place === undefined ? [] : paths.slice(place, place + 1)
}
