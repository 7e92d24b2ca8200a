import type { BaileysAccount } from '../config/config.ts'
import type { Environment } from '../config/environment.ts'
import { hasDatabase } from './configuration.ts'
import { controlOf } from './control.ts'
import type { Finding } from './doctor-checks.ts'
import { messageOf } from './failure.ts'

/** Is a phone linked to the account? Looks for its session in the database; WhatsApp is not asked. */
export async function lookForSession({ name }: BaileysAccount, environment: Environment): Promise<Finding> {
  const what = `account ${name}`
  const todo = `Link its phone: dale pair whatsapp --account ${name}`
  if (!(await hasDatabase())) return { state: 'warn', what, found: 'no phone is linked to it', todo }
  if (environment.databaseUrl === undefined && (await controlOf(environment.dataDir)) !== undefined)
    return { state: 'ok', what, found: 'is in the hands of a running Dale, whose /readyz says whether its phone is linked' }
  const [{ openStoreFor }, { openVault }, { hasSession }, { openLog }] = await Promise.all([
    import('../compose.ts'),
    import('../store/vault.ts'),
    import('../channels/whatsapp-baileys/session.ts'),
    import('../log.ts'),
  ])
  try {
    await using closing = new AsyncDisposableStack()
    const opened = await openStoreFor(environment, openLog('silent'))
    closing.defer(opened.close)
    const vault = closing.use(
      openVault(opened.footing, { current: environment.secretKey, previous: environment.previousSecretKey }),
    )
    return (await hasSession(vault, name))
      ? { state: 'ok', what, found: 'a phone is linked to it' }
      : { state: 'warn', what, found: 'no phone is linked to it', todo }
  } catch (error) {
    return { state: 'fail', what, found: `its session cannot be read: ${messageOf(error)}` }
  }
}
