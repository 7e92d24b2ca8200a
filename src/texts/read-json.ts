import { isUtf8 } from 'node:buffer'
import { open } from 'node:fs/promises'
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { z } from 'zod'
import type { Problem } from '../core/errors.ts'

/** More than any file of words or texts needs; a larger one is not read. */
export const largestFileBytes = 512 * 1024
const deepest = 16

/** A file as its schema reads it, with where its parts stand; that it is not there; or everything that is wrong with it. */
export type Read<T> =
  | { readonly kind: 'read'; readonly value: T; readonly places: ReadonlyMap<string, string> }
  | { readonly kind: 'absent' }
  | { readonly kind: 'wrong'; readonly problems: readonly Problem[] }

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/**
 * Reads one JSON file, strictly: UTF-8 without a byte order mark, no comment, no key twice, no character that nobody sees. Never throws:
 * whatever is wrong is a problem under `file:line:column`, counted from 1.
 */
export async function readJson<T>(file: string, schema: z.ZodType<T>): Promise<Read<T>> {
  const wrong = (message: string, at = '1:1'): Read<T> => ({ kind: 'wrong', problems: [{ path: `${file}:${at}`, message }] })
  let bytes: Buffer
  try {
    const read = await bytesOf(file)
    if (typeof read === 'string') return wrong(read)
    bytes = read
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return { kind: 'absent' }
    return wrong(`cannot be read: ${String(codeOf(error) ?? error)}`)
  }
  const encoding = encodingFaultOf(bytes)
  if (encoding !== undefined) return wrong(encoding.message, encoding.at)
  const text = bytes.toString('utf8')
  const placeOf = placesIn(text)
  const parsed = parsedOf(text)
  const problems = parsed.faults.map(({ offset, message }) => ({ path: `${file}:${placeOf(offset)}`, message }))
  if (parsed.root === undefined || problems.length > 0)
    return {
      kind: 'wrong',
      problems: problems.length > 0 ? problems : [{ path: `${file}:1:1`, message: 'is empty: write a JSON object' }],
    }
  const { root } = parsed
  const checked = schema.safeParse(JSON.parse(text))
  if (checked.success) return { kind: 'read', value: checked.data, places: placesOf(root, placeOf) }
  return {
    kind: 'wrong',
    problems: checked.error.issues.flatMap((issue) => {
      // An unknown key is told where it stands, one by one.
      const paths = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path]
      return paths.map((path) => ({
        path: `${file}:${placeOf(nodeAt(root, path).offset)} ${nameOf(path)}`.trimEnd(),
        message: issue.code === 'unrecognized_keys' ? 'is not known here: mend the name, or take it out' : issue.message,
      }))
    }),
  }
}

/** The bytes of a file, or why they are not read. */
async function bytesOf(file: string): Promise<Buffer | string> {
  const opened = await open(file)
  try {
    const { size, isFile } = await opened.stat().then((stat) => ({ size: stat.size, isFile: stat.isFile() }))
    if (!isFile) return 'is no file'
    if (size > largestFileBytes) return `has ${size} bytes, and at most ${largestFileBytes} are read: is it the right file?`
    const { buffer, bytesRead } = await opened.read({ buffer: Buffer.alloc(largestFileBytes + 1), position: 0 })
    if (bytesRead > largestFileBytes) return `has more than ${largestFileBytes} bytes: is it the right file?`
    return buffer.subarray(0, bytesRead)
  } finally {
    await opened.close()
  }
}

function encodingFaultOf(bytes: Buffer): { readonly message: string; readonly at: string } | undefined {
  const begins = (...mark: readonly number[]): boolean => mark.every((byte, place) => bytes[place] === byte)
  if (begins(0xef, 0xbb, 0xbf)) return { at: '1:1', message: 'begins with a byte order mark: save it as UTF-8 without one' }
  if (begins(0xff, 0xfe) || begins(0xfe, 0xff)) return { at: '1:1', message: 'is UTF-16: save it as UTF-8' }
  if (isUtf8(bytes)) return undefined
  let line = 1
  for (let from = 0; from < bytes.length; line += 1) {
    const end = bytes.indexOf(0x0a, from)
    const until = end === -1 ? bytes.length : end
    const part = bytes.subarray(from, until)
    if (!isUtf8(part))
      return { at: `${line}:${part.toString('utf8').indexOf('\uFFFD') + 1}`, message: 'is not UTF-8 here: save it as UTF-8' }
    from = until + 1
  }
  return { at: '1:1', message: 'is not UTF-8: save it as UTF-8' }
}

/** Where an offset is: `line:column` from 1, columns in UTF-16 units as editors count them. */
function placesIn(text: string): (offset: number) => string {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset)
    return `${line + 1}:${offset - (starts[line] ?? 0) + 1}`
  }
}

interface Fault {
  readonly offset: number
  readonly message: string
}

function parsedOf(text: string): { readonly root?: Node; readonly faults: readonly Fault[] } {
  if (isTooDeep(text))
    return { faults: [{ offset: 0, message: `is nested more than ${deepest} levels deep: it is no file of this kind` }] }
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false })
  const [first] = errors
  // What follows the first mistake is mostly its echo.
  if (first !== undefined)
    return { faults: [{ offset: first.offset, message: `is not JSON: ${spoken(printParseErrorCode(first.error))}` }] }
  if (root === undefined) return { faults: [{ offset: 0, message: 'is empty: write a JSON object' }] }
  const faults = faultsIn(root)
  if (faults.length > 0) return { root, faults }
  try {
    JSON.parse(text)
  } catch (error) {
    return { faults: [{ offset: 0, message: `is not JSON: ${error instanceof Error ? error.message : String(error)}` }] }
  }
  return { root, faults }
}

/** `PropertyNameExpected` as people say it. */
const spoken = (code: string): string => code.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()

/** Counted before anything is built: a reader that calls itself would run out of stack. Brackets in strings count too; no file has that many. */
function isTooDeep(text: string): boolean {
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const unit = text[at]
    if (quoted) {
      if (unit === '\\') at += 1
      else if (unit === '"') quoted = false
    } else if (unit === '"') quoted = true
    else if (unit === '[' || unit === '{') depth += 1
    else if (unit === ']' || unit === '}') depth -= 1
    if (depth > deepest) return true
  }
  return false
}

/** Keys that are there twice, and characters that nobody sees. */
function faultsIn(node: Node): readonly Fault[] {
  if (node.type === 'string') return unseenIn(node)
  const children = node.children ?? []
  const twice: Fault[] = []
  if (node.type === 'object') {
    const keys = new Set<unknown>()
    for (const { children: [key] = [] } of children) {
      if (key !== undefined && keys.has(key.value))
        twice.push({ offset: key.offset, message: `has the key ${JSON.stringify(key.value)} twice: keep one` })
      keys.add(key?.value)
    }
  }
  return [...twice, ...children.flatMap(faultsIn)]
}

/** Parts of an emoji belong to it; anywhere else they are what somebody pasted without seeing it. */
const emoji = /\p{RGI_Emoji}/gv
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cs}\p{Co}\u2028\u2029\ufffd[\p{Cc}--\n]]/v

function unseenIn({ value, offset }: Node): readonly Fault[] {
  const [found] = unseen.exec(String(value).replaceAll(emoji, '')) ?? []
  if (found === undefined) return []
  const name = `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  return [{ offset, message: `holds ${name}, which nobody can see or read: take it out` }]
}

/** The node of a path, or of as much of it as is there. */
function nodeAt(root: Node, path: readonly PropertyKey[]): Node {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(
      root,
      path.slice(0, length).map((step) => (typeof step === 'symbol' ? String(step) : step)),
    )
    if (node !== undefined) return node
  }
  return root
}

const nameOf = (path: readonly PropertyKey[]): string =>
  path.map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`)).join('')

/** Where everything stands, by its name. */
function placesOf(root: Node, placeOf: (offset: number) => string): ReadonlyMap<string, string> {
  const places = new Map<string, string>()
  const visit = (node: Node, path: readonly PropertyKey[]): void => {
    if (path.length > 0) places.set(nameOf(path), placeOf(node.offset))
    if (node.type === 'array') for (const [index, child] of (node.children ?? []).entries()) visit(child, [...path, index])
    if (node.type === 'object')
      for (const { children: [key, value] = [] } of node.children ?? [])
        if (value !== undefined) visit(value, [...path, String(key?.value)])
  }
  visit(root, [])
  return places
}
