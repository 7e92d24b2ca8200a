import { readdir } from 'node:fs/promises'
import type { Problem } from '../core/errors.ts'

/** Why a name is no locale, or undefined. Names become paths, so only plain language tags in their one spelling pass. */
export function localeFaultOf(name: string): string | undefined {
  try {
    const [canonical] = Intl.getCanonicalLocales(name)
    return canonical === name ? undefined : `is spelled ${canonical}`
  } catch {
    return 'is no language tag: write one like es or pt-BR'
  }
}

/** The locales of some folders: one directory each, hidden ones left out. Never throws. */
export async function listLocales(
  folders: readonly string[],
): Promise<{ readonly locales: readonly string[]; readonly problems: readonly Problem[] }> {
  const locales = new Set<string>()
  const problems: Problem[] = []
  for (const folder of folders) {
    try {
      const entries = await readdir(folder, { withFileTypes: true })
      for (const entry of entries) if (entry.isDirectory() && !entry.name.startsWith('.')) locales.add(entry.name)
    } catch (error) {
      problems.push({
        path: folder,
        message: `cannot be read as a folder of locales: ${error instanceof Error ? error.message : String(error)}`,
      })
    }
  }
  return { locales: [...locales].sort(), problems }
}
