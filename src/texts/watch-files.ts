import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** How often files are looked at. */
const lookEveryMs = 1000

/**
 * Calls back when the JSON files below some folders changed and stood still for one look, so that a file is not read half written. By
 * looking, not by the system's events: those are lost on network folders and where a container's volume is swapped as a whole. Never
 * throws; disposing waits for a call that is under way.
 */
export function watchFiles(folders: readonly string[], changed: () => Promise<void>): AsyncDisposable {
  const stopping = new AbortController()
  const watching = watch(folders, changed, stopping.signal)
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await watching
    },
  }
}

async function watch(folders: readonly string[], changed: () => Promise<void>, signal: AbortSignal): Promise<void> {
  let known = await signatureOf(folders)
  let latest = known
  while (!signal.aborted) {
    await setTimeout(lookEveryMs, undefined, { signal, ref: false }).catch(() => undefined)
    if (signal.aborted) return
    const now = await signatureOf(folders)
    if (now !== known && now === latest) {
      known = now
      await changed()
    }
    latest = now
  }
}

/** Changes whenever a file does. What cannot be read is told when it is loaded. */
async function signatureOf(folders: readonly string[]): Promise<string> {
  const parts: string[] = []
  for (const folder of folders) {
    const names = await readdir(folder, { recursive: true }).catch(() => [])
    for (const name of names.filter((one) => one.endsWith('.json')).sort()) {
      const file = await stat(join(folder, name)).catch(() => undefined)
      parts.push(`${join(folder, name)} ${file?.mtimeMs} ${file?.size} ${file?.ino}`)
    }
  }
  return parts.join('\n')
}
