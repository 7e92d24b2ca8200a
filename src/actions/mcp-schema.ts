/** A JSON Schema that a card can stand behind, or why this one cannot. */
export type ToolSchema = { readonly ok: true; readonly schema: Json } | { readonly ok: false; readonly problem: string }

type Json = Readonly<Record<string, unknown>>

const most = { nodes: 500, depth: 12, values: 500, name: 64, title: 80, description: 1_000 } as const

/** Constraints that are checked here. What is left out (a pattern, a condition) the far side checks, and the card shows every value. */
const constraints = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
] as const

class SchemaProblem extends Error {}

/**
 * A tool's input schema as Dale works with it: references put in, fields that it does not name refused at every depth, and none of what a
 * hostile server could do with one. A regular expression of somebody else's is never run: it is told in the description instead.
 */
export function toolSchemaOf(input: unknown): ToolSchema {
  let nodes = 0
  const root = input

  const read = (node: unknown, at: string, depth: number, open: readonly string[]): Json => {
    nodes += 1
    if (nodes > most.nodes || depth > most.depth) throw new SchemaProblem('is too large to be shown on a card')
    if (node === true) return {}
    if (!isJson(node)) throw new SchemaProblem(`${at} is no schema`)
    const { $ref: ref } = node
    if (ref !== undefined) return read(referred(ref, node, at, open), at, depth + 1, [...open, ref as string])
    const { allOf } = node
    if (Array.isArray(allOf) && allOf.length === 1 && isJson(allOf[0])) {
      const { allOf: _allOf, ...rest } = node
      return read({ ...allOf[0], ...rest }, at, depth + 1, open)
    }
    if (allOf !== undefined) throw new SchemaProblem(`${at} is put together by allOf, which a card cannot show field by field`)
    return { ...shape(node, at, depth, open), ...told(node, at) }
  }

  const shape = (node: Json, at: string, depth: number, open: readonly string[]): Json => {
    const inside = (child: unknown, name: string) => read(child, `${at}.${name}`, depth + 1, open)
    const { type, nullable } = node
    if (nullable === true && type !== undefined)
      return shape({ ...node, nullable: undefined, type: [type, 'null'].flat() }, at, depth, open)
    if (Array.isArray(type)) {
      const types = [...new Set(type)]
      if (types.length === 1) return shape({ ...node, type: types[0] }, at, depth, open)
      return { anyOf: types.map((one) => read({ ...node, ...unnamed, type: one }, at, depth + 1, open)) }
    }
    if (type === 'object' || isJson(node.properties)) return objectOf(node, at, depth, inside)
    if (type === 'array') return { type, ...itemsOf(node, inside), ...constraintsOf(node) }
    if (node.enum !== undefined) return { enum: valuesOf(node.enum, at) }
    if (node.const !== undefined) return { const: valuesOf([node.const], at)[0] }
    const members = node.anyOf ?? node.oneOf
    if (Array.isArray(members) && members.length > 0)
      return { anyOf: members.map((member, index) => inside(member, String(index))) }
    if (type === undefined) return {}
    if (!['string', 'number', 'integer', 'boolean', 'null'].some((one) => one === type))
      throw new SchemaProblem(`${at} has a type that is none`)
    const { format } = node
    return { type, ...constraintsOf(node), ...(format === 'date' || format === 'date-time' ? { format } : {}) }
  }

  const objectOf = (node: Json, at: string, depth: number, inside: (child: unknown, name: string) => Json): Json => {
    if (node.patternProperties !== undefined) throw new SchemaProblem(`${at} names its fields by a pattern`)
    const entries = Object.entries(isJson(node.properties) ? node.properties : {})
    const { additionalProperties: more } = node
    if (entries.length === 0 && depth > 0 && more !== false)
      return { type: 'object', propertyNames: { type: 'string' }, additionalProperties: isJson(more) ? inside(more, '*') : {} }
    const properties = entries.map(([name, child]) => {
      if (name === '__proto__' || name.length > most.name || !isPlain(name))
        throw new SchemaProblem(`${at} has a field whose name cannot be shown`)
      return [name, inside(child, name)] as const
    })
    const required = (Array.isArray(node.required) ? node.required : []).filter((name) =>
      properties.some(([one]) => one === name),
    )
    return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false }
  }

  const referred = (ref: unknown, node: Json, at: string, open: readonly string[]): unknown => {
    if (typeof ref !== 'string' || !ref.startsWith('#/')) throw new SchemaProblem(`${at} refers to a schema elsewhere`)
    if (open.includes(ref)) throw new SchemaProblem(`${at} refers to itself (${ref.slice(0, 80)})`)
    let found: unknown = root
    for (const part of ref.slice(2).split('/')) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      found = isJson(found) && Object.hasOwn(found, key) ? found[key] : undefined
    }
    if (!isJson(found)) throw new SchemaProblem(`${at} refers to what is not there`)
    const { $ref: _ref, ...rest } = node
    return { ...found, ...rest }
  }

  try {
    const schema = read(root, 'args', 0, [])
    if (schema.type !== 'object') throw new SchemaProblem('is not an object: the fields of a card have names')
    return { ok: true, schema }
  } catch (error) {
    if (error instanceof SchemaProblem) return { ok: false, problem: error.message }
    throw error
  }
}

/** No text of somebody else's is taken that holds what cannot be seen. Line breaks are for descriptions. */
export const isPlain = (text: string, breaks = false): boolean =>
  !/[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/v.test(
    (breaks ? text.replace(/[\n\r\t]/g, ' ') : text).replace(/\p{RGI_Emoji}/gv, ''),
  )

const unnamed = { title: undefined, description: undefined, default: undefined }

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is said about a value, and what it is when nothing is given. */
function told(node: Json, at: string): Json {
  const { title, description, pattern, format, default: usual } = node
  const rules = [
    ...(typeof pattern === 'string' ? [`Must match ${pattern}`] : []),
    ...(typeof format === 'string' ? [`Format: ${format}`] : []),
  ]
  const text = [typeof description === 'string' ? description : '', ...rules].filter((part) => part !== '').join(' ')
  if (typeof title === 'string' && (title.length > most.title || !isPlain(title)))
    throw new SchemaProblem(`${at} has a title that cannot be shown`)
  if (text.length > most.description || !isPlain(text, true))
    throw new SchemaProblem(`${at} has a description that is too long, or holds what cannot be seen`)
  return {
    ...(typeof title === 'string' && title.trim() !== '' ? { title } : {}),
    ...(text === '' ? {} : { description: text }),
    ...(usual === undefined ? {} : { default: usual }),
  }
}

const constraintsOf = (node: Json): Json =>
  Object.fromEntries(constraints.flatMap((name) => (typeof node[name] === 'number' ? [[name, node[name]]] : [])))

function itemsOf(node: Json, inside: (child: unknown, name: string) => Json): Json {
  // Before draft 2020-12 a tuple was a list of items.
  const tuple = Array.isArray(node.prefixItems) ? node.prefixItems : Array.isArray(node.items) ? node.items : undefined
  if (tuple !== undefined) return { prefixItems: tuple.map((item, index) => inside(item, String(index))), items: false }
  return { items: node.items === undefined ? {} : inside(node.items, '*') }
}

function valuesOf(values: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(values) || values.length === 0 || values.length > most.values)
    throw new SchemaProblem(`${at} has a choice of nothing, or of too much`)
  for (const value of values)
    if (typeof value === 'string' ? value.length > 200 || !isPlain(value) : typeof value === 'object' && value !== null)
      throw new SchemaProblem(`${at} has a choice that cannot be shown`)
  return values
}
