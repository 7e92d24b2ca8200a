import type { Command } from 'commander'
import type { Paired } from '../channels/whatsapp-baileys/pair.ts'
import type { BaileysAccount, Config } from '../config/config.ts'
import { drawQr } from './draw-qr.ts'
import { readPhone, readText } from './read-arguments.ts'
import { answer, type ConfiguredOptions, Failure, newVerb, withConfig } from './verb.ts'

interface PairOptions extends ConfiguredOptions {
  readonly account?: string
  readonly phone?: string
  readonly again?: true
}

/** Nobody looks at a QR for longer. */
const withinMs = 10 * 60_000

/** `dale pair whatsapp`: links a WhatsApp number to an account, like a phone's second device. Ends when it is linked and has logged in. */
export const pair = (): Command => {
  const command = newVerb('pair', 'Link a phone to an account.')
  command.addCommand(
    withConfig(
      newVerb(
        'whatsapp',
        'Link a WhatsApp number to an account of the channel whatsapp-baileys, like a second device. The session is kept in the database, encrypted.',
        [
          ['dale pair whatsapp', 'shows a QR code for the phone to read'],
          ['dale pair whatsapp --phone 5491155550101', 'shows a code to type on the phone with this number'],
          ['dale pair whatsapp --again', 'after the device was unlinked on the phone, or for another number'],
        ],
      ),
    )
      .option('--account <name>', 'which account, where there are several', readText)
      .option('--phone <number>', 'pair by a code instead of a QR: the number with its country, digits only', readPhone)
      .option('--again', 'forget the session that is there, and link anew')
      .action(pairWhatsApp),
  )
  return command
}

async function pairWhatsApp(options: PairOptions): Promise<void> {
  const [{ readConfiguration }, { openStoreFor }, { openVault }, { pairNumber }, { isStray }, { openLog }] = await Promise.all([
    import('./configuration.ts'),
    import('../compose.ts'),
    import('../store/vault.ts'),
    import('../channels/whatsapp-baileys/pair.ts'),
    import('../channels/whatsapp-baileys/strays.ts'),
    import('../log.ts'),
  ])
  const { config, environment } = await readConfiguration(options)
  const account = accountOf(config, options.account)
  process.on('unhandledRejection', (reason) => {
    if (!isStray(reason)) throw reason
  })
  const log = openLog('error', 'stderr')
  const opened = await openStoreFor(environment, log)
  await using closing = new AsyncDisposableStack()
  closing.defer(opened.close)
  const vault = closing.use(
    openVault(opened.footing, { current: environment.secretKey, previous: environment.previousSecretKey }),
  )
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  const paired = await pairNumber(
    {
      account: account.name,
      controls: account.controls,
      serverUrl: account.serverUrl,
      vault,
      leases: opened.store,
      owner: `pair-${process.pid}`,
      log,
    },
    { phone: options.phone, again: options.again === true },
    shownWith(options, account.name),
    AbortSignal.any([stopping.signal, AbortSignal.timeout(withinMs)]),
  )
  tell(options, account.name, paired, stopping.signal.aborted)
}

function accountOf({ accounts }: Config, name: string | undefined): BaileysAccount {
  const linked = accounts.filter((account): account is BaileysAccount => account.channel === 'whatsapp-baileys')
  const names = linked.map((account) => account.name).join(', ')
  if (linked.length === 0)
    throw new Failure("The configuration has no account with channel: 'whatsapp-baileys'. Add one, then pair it.")
  if (name === undefined && linked.length > 1) throw new Failure(`Which account? --account with one of: ${names}`)
  const account = name === undefined ? linked[0] : linked.find((one) => one.name === name)
  if (account === undefined) throw new Failure(`There is no account ${name} with channel: 'whatsapp-baileys'; there is: ${names}`)
  return account
}

const steps = (account: string, rest: readonly string[]): readonly string[] => [
  `Linking a phone to the account ${account}. On the phone:`,
  '  1. Open WhatsApp, and in it Settings (iPhone) or the menu ⋮ (Android).',
  '  2. Tap “Linked devices”, then “Link a device”.',
  ...rest,
  '',
]

/** For people the steps once and then what to read or type; for programs a line for each. */
function shownWith(options: PairOptions, account: string) {
  let isFirst = true
  let isAway = false
  const show = (value: unknown, first: readonly string[], lines: readonly string[]) => {
    answer(options, value, [...(isFirst ? first : []), ...lines])
    isFirst = false
  }
  return {
    qr: (text: string) =>
      show({ qr: text }, steps(account, ['  3. Point the camera at this code. A new one follows when it is too old.']), [
        ...drawQr(text),
        '',
      ]),
    code: (code: string) => {
      const spelt = `${code.slice(0, 4)}-${code.slice(4)}`
      show({ code: spelt }, steps(account, ['  3. Tap “Link with phone number instead”, and type this code:']), [
        `     ${spelt}`,
        '',
      ])
    },
    away: () => {
      if (!isAway)
        process.stderr.write('WhatsApp cannot be reached now: is there a network? It is tried again until you stop it.\n')
      isAway = true
    },
  }
}

function tell(options: PairOptions, account: string, paired: Paired, isStopped: boolean): void {
  switch (paired.kind) {
    case 'paired':
      answer(options, { paired: { account, phone: paired.phone } }, [
        `Paired as +${paired.phone}. A running dale start takes it up within seconds.`,
      ])
      return
    case 'already':
      throw new Failure(
        `The account ${account} is already paired as +${paired.phone}. To link it anew, unlink “Dale” on that phone, stop Dale, and add --again.`,
      )
    case 'held':
      throw new Failure(
        `A running Dale, or another dale pair, holds the account ${account}: stop it first, or wait ten seconds if it was killed.`,
      )
    case 'refused':
      throw new Failure(`Not paired: ${paired.why}`)
    case 'given_up':
      throw new Failure(
        isStopped ? 'Not paired: stopped.' : 'Not paired: no phone linked this device in time. Begin again when it is at hand.',
      )
  }
}
