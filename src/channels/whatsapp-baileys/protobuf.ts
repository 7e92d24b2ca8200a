/** The length-delimited fields of a protobuf message, by number, in order; undefined when the bytes are no such message. */
export function fieldsOf(bytes: Uint8Array): ReadonlyMap<number, readonly Uint8Array[]> | undefined {
  const fields = new Map<number, Uint8Array[]>()
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = bytes[at]
      if (byte === undefined) return Number.NaN
      at += 1
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    return Number.NaN
  }
  while (at < bytes.length) {
    const tag = varint()
    const kind = tag % 8
    if (kind === 0) {
      if (Number.isNaN(varint())) return undefined
      continue
    }
    const length = kind === 2 ? varint() : kind === 1 ? 8 : kind === 5 ? 4 : Number.NaN
    if (Number.isNaN(length) || at + length > bytes.length) return undefined
    const number = Math.floor(tag / 8)
    if (kind === 2) fields.set(number, [...(fields.get(number) ?? []), bytes.subarray(at, at + length)])
    at += length
  }
  return fields
}
