import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Preview } from './card.ts'

/** Containers inside containers; nothing that a person can read on a card is deeper. */
const maxDepth = 32
/** Of canonical JSON, in UTF-8 bytes. */
const maxBytes = 64 * 1024

/** The canonical text, or the first thing found that has none: where it is and what is wrong, never the value itself. */
export type Canonical = { readonly ok: true; readonly canonical: string } | { readonly ok: false; readonly problem: string }

/**
 * The one spelling of a value as canonical JSON (RFC 8785). Keys whose value is `undefined` are dropped; everything else that JSON
 * cannot hold exactly is refused, never coerced, so two values share a spelling only when they are the same value. Never throws.
 */
export function canonicalOf(value: unknown): Canonical {
  const walk: Walk = { ancestors: new Set(), left: maxBytes }
  const plain = plainOf(value, 'args', walk)
  if (plain instanceof Refusal) return { ok: false, problem: plain.problem }
  const canonical = canonicalize(plain) as string
  if (Buffer.byteLength(canonical) > maxBytes) return { ok: false, problem: tooLarge }
  return { ok: true, canonical }
}

/** What a fingerprint covers: a change in any of these is another proposal (RULES 4). */
export interface Fingerprinted {
  readonly tenant: string
  readonly action: string
  readonly actionVersion: string
  readonly canonicalArgs: string
}

/** SHA-256 in hex. The parts stand quoted in a JSON list, so no two lists of parts run together to the same bytes. */
export const fingerprintOf = ({ tenant, action, actionVersion, canonicalArgs }: Fingerprinted): string =>
  hash('sha256', JSON.stringify(['dale/fingerprint/1', tenant, action, actionVersion, canonicalArgs]))

/**
 * SHA-256 in hex over what a person relies on in a preview: the key fields' keys and values in their order, and what else will
 * happen. Labels, summary and marks are words about these and may be reworded without a new consent.
 */
export const previewDigestOf = ({ fields, alsoWill = [] }: Pick<Preview, 'fields' | 'alsoWill'>): string =>
  hash('sha256', JSON.stringify(['dale/preview/1', fields.map(({ key, value }) => [key, ...partsOf(value)]), alsoWill]))

function partsOf(value: Preview['fields'][number]['value']): readonly string[] {
  switch (value.kind) {
    case 'text':
      return ['text', value.text]
    case 'number':
      // Spelt, because JSON would make one null of every NaN and infinity.
      return ['number', Object.is(value.number, -0) ? '-0' : String(value.number)]
    case 'money':
      return ['money', value.amount, value.currency]
    case 'instant':
      return ['instant', value.instant, value.timeZone]
    case 'date':
      return ['date', value.date]
  }
}

class Refusal {
  readonly problem: string
  constructor(problem: string) {
    this.problem = problem
  }
}

interface Walk {
  readonly ancestors: Set<object>
  /** UTF-16 units that may still follow: a lower bound of the bytes, so that no value costs more than the limit to refuse. */
  left: number
}

const tooLarge = `args: more than ${maxBytes} bytes of canonical JSON`

/** A copy of plain data alone, read once: what is hashed cannot answer differently a second time (getters, proxies, `toJSON`). */
function plainOf(value: unknown, path: string, walk: Walk): unknown {
  walk.left -= typeof value === 'string' ? value.length + 2 : 1
  if (walk.left < 0) return new Refusal(tooLarge)
  switch (typeof value) {
    case 'boolean':
      return value
    case 'string':
      return value.isWellFormed() ? value : new Refusal(`${path}: half of a surrogate pair`)
    case 'number':
      return problemOf(value) === undefined ? value : new Refusal(`${path}: ${problemOf(value)}`)
    case 'object':
      return value === null ? value : containerOf(value, path, walk)
    default:
      return new Refusal(`${path}: ${typeof value} is not JSON`)
  }
}

function problemOf(number: number): string | undefined {
  if (Number.isNaN(number)) return 'not a number'
  if (!Number.isFinite(number)) return 'an infinite number'
  if (Object.is(number, -0)) return 'minus zero'
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    return 'an integer beyond 2^53, which JSON may round: send it as a string'
  return undefined
}

function containerOf(container: object, path: string, walk: Walk): unknown {
  if (walk.ancestors.has(container)) return new Refusal(`${path}: contains itself`)
  if (walk.ancestors.size === maxDepth) return new Refusal(`${path}: deeper than ${maxDepth} levels`)
  walk.ancestors.add(container)
  const plain = Array.isArray(container) ? listOf(container, path, walk) : recordOf(container, path, walk)
  walk.ancestors.delete(container)
  return plain
}

function listOf(list: readonly unknown[], path: string, walk: Walk): unknown {
  if (list.length > walk.left) return new Refusal(tooLarge)
  if (Object.getPrototypeOf(list) !== Array.prototype) return new Refusal(`${path}: not a plain list`)
  if (Reflect.ownKeys(list).length !== list.length + 1) return new Refusal(`${path}: a list with holes or named members`)
  const plain: unknown[] = []
  for (const [index, member] of list.entries()) {
    const copy = plainOf(member, `${path}[${index}]`, walk)
    if (copy instanceof Refusal) return copy
    plain.push(copy)
  }
  return plain
}

function recordOf(record: object, path: string, walk: Walk): unknown {
  const prototype: unknown = Object.getPrototypeOf(record)
  if (prototype !== Object.prototype && prototype !== null) return new Refusal(`${path}: an instance of a class`)
  const plain: Record<string, unknown> = Object.create(null)
  for (const key of Reflect.ownKeys(record)) {
    if (typeof key === 'symbol') return new Refusal(`${path}: a key that is a symbol`)
    if (key === '__proto__') return new Refusal(`${path}: the key __proto__`)
    if (!key.isWellFormed()) return new Refusal(`${path}: a key with half of a surrogate pair`)
    const descriptor = Object.getOwnPropertyDescriptor(record, key)
    if (descriptor === undefined || !('value' in descriptor) || descriptor.enumerable !== true)
      return new Refusal(`${path}: a computed or hidden key`)
    if (descriptor.value === undefined) continue
    walk.left -= key.length + 3
    const copy = plainOf(descriptor.value, `${path}.${key.slice(0, 40)}`, walk)
    if (copy instanceof Refusal) return copy
    plain[key] = copy
  }
  return plain
}
