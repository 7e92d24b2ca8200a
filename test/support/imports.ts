import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseSync } from 'vite'

const root = join(import.meta.dirname, '../..')

/** One thing that a file imports: another file of ours by its path from the root, a package by its name, or what is only known when it runs. */
export interface Import {
  readonly from: string
  readonly to:
    | { readonly kind: 'file'; readonly path: string }
    | { readonly kind: 'package'; readonly name: string }
    | { readonly kind: 'computed' }
  /** The names; `*` for all of it: a namespace, a re-export, `import()`. */
  readonly names: readonly string[]
}

/** A file as its syntax tree has it. */
export interface Source {
  readonly path: string
  readonly imports: readonly Import[]
  /** Every object literal's `name: '…'`, in order. */
  readonly namedObjects: readonly string[]
}

interface Node {
  readonly type: string
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const member of value) yield* nodesOf(member)
  if (!isNode(value)) return
  yield value
  for (const member of Object.values(value)) if (typeof member === 'object') yield* nodesOf(member)
}

const textOf = (value: unknown): string | undefined =>
  isNode(value) && value.type === 'Literal' && typeof value.value === 'string' ? value.value : undefined
const nameOf = (value: unknown): string => (isNode(value) && typeof value.name === 'string' ? value.name : (textOf(value) ?? '*'))

/** Reads and parses every TypeScript file of `folders`. */
export const sourcesOf = (folders: readonly string[]): readonly Source[] =>
  globSync(
    folders.map((folder) => `${folder}/**/*.ts`),
    { cwd: root },
  )
    .sort()
    .map(sourceOf)

function sourceOf(path: string): Source {
  const { program, errors } = parseSync(path, readFileSync(join(root, path), 'utf8'))
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`)
  const nodes = [...nodesOf(program)]
  return {
    path,
    imports: nodes.flatMap((node) => importOf(node, path)),
    namedObjects: nodes.flatMap((node) => {
      const isName = node.type === 'Property' && nameOf(node.key) === 'name'
      const text = isName ? textOf(node.value) : undefined
      return text === undefined ? [] : [text]
    }),
  }
}

function importOf(node: Node, from: string): readonly Import[] {
  const specifiers = (Array.isArray(node.specifiers) ? node.specifiers : []).filter(isNode)
  const to = targetOf(textOf(node.source), from)
  switch (node.type) {
    case 'ImportDeclaration':
      return [
        {
          from,
          to,
          names: specifiers.map((specifier) =>
            specifier.type === 'ImportDefaultSpecifier' ? 'default' : nameOf(specifier.imported),
          ),
        },
      ]
    case 'ExportNamedDeclaration':
      return isNode(node.source) ? [{ from, to, names: specifiers.map((specifier) => nameOf(specifier.local)) }] : []
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return [{ from, to, names: ['*'] }]
    default:
      return []
  }
}

function targetOf(specifier: string | undefined, from: string): Import['to'] {
  if (specifier === undefined) return { kind: 'computed' }
  if (specifier.startsWith('.')) return { kind: 'file', path: relative(root, join(root, dirname(from), specifier)) }
  if (specifier.startsWith('node:')) return { kind: 'package', name: specifier }
  return {
    kind: 'package',
    name: specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/'),
  }
}
