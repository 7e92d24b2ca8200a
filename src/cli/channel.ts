import { once } from 'node:events'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import type { Normalized } from '../core/inbound.ts'
import { linesOf } from './json-lines.ts'
import { newVerb, withJson } from './verb.ts'

/** Whose payloads can be read. */
const readable = ['telegram', 'whatsapp-cloud', 'whatsapp-baileys', 'simulator'] as const
type Readable = (typeof readable)[number]

/** A payload larger than what the gateway takes from this provider is too large here as well. */
const maxLineBytesOf = (name: Readable): number => (name === 'whatsapp-cloud' ? 3 : 1) * 1024 * 1024

type Read = (payload: unknown) => readonly Normalized[]

interface ReadOptions {
  readonly account: string
  readonly bot?: string
  readonly botId: number
  readonly phoneNumberId?: string
}

/** `dale channel read`: what an adapter makes of a provider's payloads, without a gateway. */
export const channel = (): Command => newVerb('channel', 'See what Dale makes of what a provider sends.').addCommand(read())

const read = (): Command =>
  withJson(
    newVerb(
      'read',
      'Read payloads, a JSON line each, on stdin; print a JSON line for each event or {"ignored": reason}, in order.',
      [
        ['dale channel read telegram --bot my_bot < updates.jsonl', 'what each update is taken for'],
        [`echo '{"update_id":1}' | dale channel read telegram`, 'ignored, and why'],
      ],
    ),
  )
    .addArgument(new Argument('<channel>', 'whose payloads they are').choices(readable))
    .option('--bot <name>', 'how groups mention the account, with or without @; at WhatsApp its number, digits alone', readBot)
    .option('--bot-id <number>', 'the bot’s id at Telegram, to know replies to it', readId, 0)
    .option(
      '--phone-number-id <number>',
      'WhatsApp’s id of the account’s number; without it those of any number are read',
      readNumber,
    )
    .option('--account <name>', 'the account that the events are for', 'demo')
    .action(async (name: Readable, options: ReadOptions) => {
      const reads = await readerOf(name, options)
      for await (const line of linesOf(process.stdin, maxLineBytesOf(name))) {
        const events =
          line.kind === 'line'
            ? eventsOf(line.text, reads)
            : [{ ignored: line.kind === 'too_large' ? 'too_large' : 'malformed_json' }]
        for (const event of events) if (!process.stdout.write(`${JSON.stringify(event)}\n`)) await once(process.stdout, 'drain')
      }
    })

async function readerOf(name: Readable, { account, bot, botId, phoneNumberId }: ReadOptions): Promise<Read> {
  switch (name) {
    case 'telegram': {
      const { normalizeUpdate } = await import('../channels/telegram/normalize.ts')
      return (payload) => normalizeUpdate(payload, { account, id: botId, username: bot })
    }
    case 'whatsapp-cloud': {
      const { normalizeWebhook } = await import('../channels/whatsapp-cloud/normalize.ts')
      return (payload) => normalizeWebhook(payload, { account, phoneNumberId })
    }
    case 'whatsapp-baileys': {
      const { readRecorded } = await import('../channels/whatsapp-baileys/recorded.ts')
      return (payload) => readRecorded(payload, { account, phone: bot, nowMs: Date.now() })
    }
    case 'simulator': {
      const { normalize } = await import('../channels/simulator/normalize.ts')
      return (payload) => normalize(payload, { account, handle: bot ?? 'dale' })
    }
  }
}

function eventsOf(text: string, reads: Read): readonly unknown[] {
  let payload: unknown
  try {
    payload = JSON.parse(text)
  } catch {
    return [{ ignored: 'malformed_json' }]
  }
  return reads(payload).map((event) => (event.kind === 'ignored' ? { ignored: event.reason } : event))
}

function readBot(text: string): string {
  const name = text.replace(/^@/, '')
  if (!/^\w{1,64}$/.test(name)) throw new InvalidArgumentError('It is a name of letters, digits and _.')
  return name
}

function readNumber(text: string): string {
  if (!/^\d{1,20}$/.test(text)) throw new InvalidArgumentError('It is a number.')
  return text
}

function readId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It is a number.')
  return Number(text)
}
