import type { CallToolResult } from '@modelcontextprotocol/client'

/** What a result says in words, `most` characters at most. Pictures, sounds and files are named and left out. */
export function textOf({ content, structuredContent }: CallToolResult, most: number): string {
  const parts = content.map((block) => {
    switch (block.type) {
      case 'text':
        return block.text
      case 'resource':
        return 'text' in block.resource ? block.resource.text : `[resource ${block.resource.uri}]`
      case 'resource_link':
        return `[resource ${block.uri}]`
      default:
        return `[${block.type}]`
    }
  })
  const text = parts.join('\n').trim()
  const told = text === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : text
  return told.length <= most ? told : `${told.slice(0, most - 1)}…`
}
