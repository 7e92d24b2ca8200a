import type { Log } from '../../ports/log.ts'
import type { Library, WAVersion } from './library.ts'

const askingMs = 10_000

/**
 * The version of WhatsApp's web client that its site serves now; undefined where it cannot be asked, which leaves the one that Baileys
 * brings.
 */
export async function currentVersion(library: Library, account: string, log: Log): Promise<WAVersion | undefined> {
  const { version, isLatest } = await library.fetchLatestWaWebVersion({ signal: AbortSignal.timeout(askingMs) })
  log.info({ account, version: version.join('.'), isLatest }, 'whatsapp_web_version')
  return isLatest ? version : undefined
}
