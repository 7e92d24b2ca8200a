import { z } from 'zod'
import type { TelegramAccount } from '../config/config.ts'
import type { Environment } from '../config/environment.ts'
import type { Finding } from './doctor-checks.ts'

const answerSchema = z.union([
  z.object({ ok: z.literal(true), result: z.object({ username: z.string() }) }),
  z.object({ ok: z.literal(false), error_code: z.int(), description: z.string() }),
])

/** Asks Telegram who the account's bot is. A network that is away is a warning: dale start waits for it. */
export async function askTelegram({ name, apiRoot, tokenEnv }: TelegramAccount, environment: Environment): Promise<Finding> {
  const what = `account ${name}`
  let answered: unknown
  try {
    const response = await fetch(`${apiRoot}/bot${environment.variable(tokenEnv)}/getMe`, { signal: AbortSignal.timeout(5000) })
    answered = await response.json()
  } catch {
    // The cause is left out: it carries the address, and with it the token.
    return {
      state: 'warn',
      what,
      found: `${apiRoot} cannot be reached from here`,
      todo: 'Look at the network; dale start waits for it',
    }
  }
  const read = answerSchema.safeParse(answered)
  if (!read.success) return { state: 'warn', what, found: `${apiRoot} does not answer like Telegram`, todo: 'Look at apiRoot' }
  if (read.data.ok) return { state: 'ok', what, found: `@${read.data.result.username} at Telegram` }
  const { error_code: code, description } = read.data
  if (code === 401 || code === 404)
    return { state: 'fail', what, found: `Telegram does not know the token in ${tokenEnv}`, todo: 'Copy it anew from @BotFather' }
  return { state: 'warn', what, found: `Telegram answers ${code} ${description}` }
}
