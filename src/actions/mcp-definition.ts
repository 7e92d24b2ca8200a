import { hash } from 'node:crypto'
import type { Tool } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { isPlain, toolSchemaOf } from './mcp-schema.ts'

const most = { definition: 64 * 1024, description: 4_000, title: 80 } as const

/** What a tool is, as somebody who agrees to it relies on it: another definition is another version. */
export const versionOf = ({ name, title, description, inputSchema, annotations }: Tool): string =>
  hash('sha256', JSON.stringify([name, title, description, inputSchema, annotations])).slice(0, 16)

/** Why a tool is not offered at all: what it says of itself cannot be shown, or is too much. */
export function refusalOfTool(tool: Tool): string | undefined {
  const { title, description = '', annotations, inputSchema } = tool
  const titles = [title, annotations?.title].filter((one) => one !== undefined)
  if (JSON.stringify(tool).length > most.definition) return 'its definition is too large'
  if (!/^[A-Za-z0-9_.\-/]{1,128}$/.test(tool.name)) return 'its name is not letters, digits and _ - . /'
  if (titles.some((one) => one.length > most.title || !isPlain(one))) return 'its title is too long, or holds what cannot be seen'
  if (description.length > most.description || !isPlain(description, true))
    return 'its description is too long, or holds what cannot be seen'
  const read = toolSchemaOf(inputSchema)
  if (!read.ok) return read.problem
  try {
    z.fromJSONSchema(read.schema as Parameters<typeof z.fromJSONSchema>[0])
    return undefined
  } catch {
    return 'its schema cannot be checked'
  }
}
