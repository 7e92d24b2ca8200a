import { type BinaryNode, S_WHATSAPP_NET } from 'baileys'

type Attributes = Readonly<Record<string, string | number | undefined>>

/** A stanza or a part of one; attributes that are undefined are left out. */
export function node(tag: string, attributes: Attributes = {}, content?: BinaryNode['content']): BinaryNode {
  const attrs: Record<string, string> = {}
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) attrs[name] = String(value)
  return content === undefined ? { tag, attrs } : { tag, attrs, content }
}

/** The result of an iq. */
export const result = (iq: BinaryNode, content?: readonly BinaryNode[]): BinaryNode =>
  node('iq', { from: S_WHATSAPP_NET, id: iq.attrs.id, type: 'result' }, content === undefined ? undefined : [...content])

/** The refusal of an iq. */
export const refusal = (iq: BinaryNode, code: number, text: string): BinaryNode =>
  node('iq', { from: S_WHATSAPP_NET, id: iq.attrs.id, type: 'error' }, [node('error', { code, text })])

/** The children of a stanza, none where it holds bytes. */
export const childrenOf = (parent: BinaryNode | undefined): readonly BinaryNode[] =>
  Array.isArray(parent?.content) ? parent.content : []

export const childOf = (parent: BinaryNode | undefined, tag: string): BinaryNode | undefined =>
  childrenOf(parent).find((child) => child.tag === tag)

/** The bytes that a child holds. A stanza without it is the client's mistake. */
export function bytesOf(parent: BinaryNode | undefined, tag: string): Uint8Array {
  const content = childOf(parent, tag)?.content
  if (content instanceof Uint8Array) return content
  throw new Error(`<${parent?.tag ?? 'nothing'}> has no bytes in <${tag}>`)
}

/** The number that a child holds, big-endian. */
export function numberOf(parent: BinaryNode | undefined, tag: string): number {
  const bytes = Buffer.from(bytesOf(parent, tag))
  return bytes.readUIntBE(0, bytes.length)
}
