import { readFile } from 'node:fs/promises'
import type { z } from 'zod'
import type { Problem } from '../core/errors.ts'

/** A file as its schema reads it, that it is not there, or everything that is wrong with it. */
export type Read<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'absent' }
  | { readonly kind: 'wrong'; readonly problems: readonly Problem[] }

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Reads one JSON file. Never throws: whatever is wrong is a problem under the file's path. */
export async function readJson<T>(file: string, schema: z.ZodType<T>): Promise<Read<T>> {
  let content: unknown
  try {
    content = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return { kind: 'absent' }
    const message =
      error instanceof SyntaxError ? `is not JSON: ${error.message}` : `cannot be read: ${String(codeOf(error) ?? error)}`
    return { kind: 'wrong', problems: [{ path: file, message }] }
  }
  const parsed = schema.safeParse(content)
  if (parsed.success) return { kind: 'read', value: parsed.data }
  const problems = parsed.error.issues.map(({ path, message }) => ({ path: `${file} ${placeOf(path)}`.trimEnd(), message }))
  return { kind: 'wrong', problems }
}

const placeOf = (path: readonly PropertyKey[]): string =>
  path.map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`)).join('')
