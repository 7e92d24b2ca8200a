import type { BinaryNode } from 'baileys'
import type { Ending } from './index.ts'
import type { Line } from './line.ts'
import { node } from './nodes.ts'

/** The server's last words, as Baileys reads the code from them (`getErrorCodeFromStreamError`, `CB:failure`, `CB:xmlstreamend`). */
export function lastWords(how: Exclude<Ending, 'cut' | 'silent'>): BinaryNode {
  switch (how) {
    case 440:
      return node('stream:error', {}, [node('conflict', { type: 'replaced' })])
    case 401:
      return node('stream:error', { code: 401 }, [node('conflict', { type: 'device_removed' })])
    case 405:
      return node('failure', { reason: 405, location: 'tst' })
    case 428:
      return node('xmlstreamend')
    case 515:
    case 503:
    case 408:
      return node('stream:error', { code: how })
  }
}

/** Ends a connection; resolves when it is gone. A silent one stays. */
export async function ends(line: Line, how: Ending): Promise<void> {
  switch (how) {
    case 'silent':
      line.silent = true
      return
    case 'cut':
      return await line.cuts()
    default:
      line.sends(lastWords(how))
      return await line.closes()
  }
}
