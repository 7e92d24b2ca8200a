import type { Compared } from './compare.ts'
import type { Scene } from './script.ts'

/** The file with what came instead of what was expected. */
export function linesAfter(
  before: readonly string[],
  scenes: readonly { readonly scene: Scene; readonly compared: Compared }[],
): readonly string[] {
  const instead = new Map<number, readonly string[]>()
  const after = new Map<number, readonly string[]>()
  const skipped = new Set<number>()
  for (const { scene, compared } of scenes) {
    for (const { expected, lines } of compared.kept) {
      if (lines === 'as it is') continue
      instead.set(expected.line, lines)
      for (let line = expected.line + 1; line <= expected.until; line += 1) skipped.add(line)
    }
    after.set(
      Math.max(
        scene.until,
        ...scene.expected.filter(({ kind }) => kind !== 'effects' && kind !== 'card').map(({ until }) => until),
      ),
      compared.besides,
    )
  }
  return before.flatMap((text, index) => {
    const line = index + 1
    const own = skipped.has(line) ? [] : (instead.get(line) ?? [text])
    return [...own, ...(after.get(line) ?? [])]
  })
}
