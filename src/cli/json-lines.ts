/** A line of input, or that it was longer than allowed, or that its bytes are no UTF-8. */
export type Line =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'not_text' }

const newLine = 0x0a

/**
 * Cuts bytes into lines, and holds at most one: what goes over `maxBytes` is forgotten while it arrives. A line of white space is none.
 */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line> {
  let parts: Uint8Array[] = []
  let size = 0
  const take = (part: Uint8Array) => {
    size += part.byteLength
    if (size < maxBytes) parts.push(part)
    else parts = []
  }
  const finish = (): Line | undefined => {
    const line = lineOf(parts, size >= maxBytes)
    parts = []
    size = 0
    return line
  }
  for await (const chunk of bytes) {
    let from = 0
    for (let at = chunk.indexOf(newLine); at >= 0; at = chunk.indexOf(newLine, from)) {
      take(chunk.subarray(from, at))
      from = at + 1
      const line = finish()
      if (line !== undefined) yield line
    }
    // Copied: a stream may use the chunk's memory again.
    take(chunk.slice(from))
  }
  const last = finish()
  if (last !== undefined) yield last
}

function lineOf(parts: readonly Uint8Array[], isTooLarge: boolean): Line | undefined {
  if (isTooLarge) return { kind: 'too_large' }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
    return text.trim() === '' ? undefined : { kind: 'line', text }
  } catch {
    return { kind: 'not_text' }
  }
}
