import { ConfigError } from '../../core/errors.ts'
import type { Channel } from '../../ports/channel.ts'
import type { CloudSettings } from './settings.ts'

/** One number of the WhatsApp Business Platform. */
export function cloudChannel({ account }: CloudSettings): Channel {
  throw new ConfigError([{ path: `accounts.${account}`, message: 'the Cloud API is not built yet' }])
}
