import { ConfigError } from '../../core/errors.ts'
import type { Channel } from '../../ports/channel.ts'
import type { BaileysSettings } from './settings.ts'

/** One linked WhatsApp number. */
export function baileysChannel({ account }: BaileysSettings): Channel {
  throw new ConfigError([{ path: `accounts.${account}`, message: 'Baileys is not built yet' }])
}
