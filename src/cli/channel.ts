import { once } from 'node:events'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import type { Normalized } from '../core/inbound.ts'
import { linesOf } from './json-lines.ts'
import { newVerb, withJson } from './verb.ts'

/** A payload larger than what the gateway takes from a provider. */
const maxLineBytes = 1024 * 1024

type Read = (payload: unknown) => readonly Normalized[]

interface ReadOptions {
  readonly account: string
  readonly bot?: string
  readonly botId: number
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
    .addArgument(new Argument('<channel>', 'whose payloads they are').choices(['telegram', 'simulator']))
    .option('--bot <name>', 'how groups mention the account, with or without @', readBot)
    .option('--bot-id <number>', 'the bot’s id at Telegram, to know replies to it', readId, 0)
    .option('--account <name>', 'the account that the events are for', 'demo')
    .action(async (name: 'telegram' | 'simulator', options: ReadOptions) => {
      const reads = await readerOf(name, options)
      for await (const line of linesOf(process.stdin, maxLineBytes)) {
        const events =
          line.kind === 'line'
            ? eventsOf(line.text, reads)
            : [{ ignored: line.kind === 'too_large' ? 'too_large' : 'malformed_json' }]
        for (const event of events) if (!process.stdout.write(`${JSON.stringify(event)}\n`)) await once(process.stdout, 'drain')
      }
    })

async function readerOf(name: 'telegram' | 'simulator', { account, bot, botId }: ReadOptions): Promise<Read> {
  switch (name) {
    case 'telegram': {
      const { normalizeUpdate } = await import('../channels/telegram/normalize.ts')
      return (payload) => normalizeUpdate(payload, { account, id: botId, username: bot })
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

function readId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It is a number.')
  return Number(text)
}
