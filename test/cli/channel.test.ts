import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import expected from '../fixtures/telegram/expected.json' with { type: 'json' }
import linked from '../fixtures/whatsapp-baileys/expected.json' with { type: 'json' }
import webhooks from '../fixtures/whatsapp-cloud/expected.json' with { type: 'json' }
import { run, runToEnd } from '../support/command.ts'

const cwd = tmpdir()
const folder = new URL('../fixtures/telegram/', import.meta.url)
const names = readdirSync(folder)
  .map((file) => file.replace(/\.json$/, ''))
  .filter((name) => name !== 'expected')
const payloadOf = (name: string): string => JSON.stringify(JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')))
const wanted = (name: string): unknown => {
  const event = (expected as Readonly<Record<string, { readonly kind: string; readonly reason?: string }>>)[name]
  return event?.kind === 'ignored' ? { ignored: event.reason } : event
}
const linesOf = (text: string): readonly unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

const telegram = ['channel', 'read', 'telegram', '--account', 'demo', '--bot', '@gateway_example_bot', '--bot-id', '123456789']

describe('dale channel read', () => {
  it('reads every recorded update of Telegram, in order, between any garbage', async () => {
    const garbage: readonly (readonly [line: string, event: unknown])[] = [
      ['{"update_id": 1,', { ignored: 'malformed_json' }],
      ['null', { ignored: 'malformed' }],
      ['[]', { ignored: 'malformed' }],
      [`{"update_id":2,"x":"${'x'.repeat(1024 * 1024)}"}`, { ignored: 'too_large' }],
      [`${'['.repeat(100_000)}`, { ignored: 'malformed_json' }],
    ]
    const lines = names.flatMap((name, index) => [
      [payloadOf(name), wanted(name)] as const,
      garbage[index % garbage.length] ?? ['', undefined],
    ])
    const { code, stdout, stderr } = await runToEnd(telegram, { cwd }, lines.map(([line]) => `${line}\n`).join(''))
    expect(linesOf(stdout)).toEqual(lines.map(([, event]) => event))
    expect([code, stderr]).toEqual([0, ''])
  })

  it('reads every recorded webhook of WhatsApp, in order, and those of another number as not for it', async () => {
    const cloud = new URL('../fixtures/whatsapp-cloud/', import.meta.url)
    const bodies = Object.keys(webhooks).map(
      (name) => JSON.parse(readFileSync(new URL(`${name}.json`, cloud), 'utf8')) as unknown,
    )
    const events = (Object.values(webhooks) as readonly (readonly { readonly kind: string; readonly reason?: string }[])[]).flat()
    const input = bodies.map((body) => `${JSON.stringify(body)}\n`).join('')
    const reads = (number: string) =>
      runToEnd(['channel', 'read', 'whatsapp-cloud', '--account', 'demo', '--phone-number-id', number], { cwd }, input)
    const { code, stdout, stderr } = await reads('100000000000001')
    expect(linesOf(stdout)).toEqual(events.map((event) => (event.kind === 'ignored' ? { ignored: event.reason } : event)))
    expect([code, stderr]).toEqual([0, ''])
    expect(new Set(linesOf((await reads('7')).stdout).map((line) => JSON.stringify(line)))).toEqual(
      new Set(['{"ignored":"other_number"}']),
    )
  })

  it('reads every recorded event of Baileys, in order, with what the recording says beside it', async () => {
    const baileys = new URL('../fixtures/whatsapp-baileys/', import.meta.url)
    // What the account had sent, and whose number a LID is, only a gateway's database knows.
    const told = Object.entries(linked).filter(([name]) => !/^(own|send)_/.test(name))
    const input = told.map(([name]) => JSON.stringify(JSON.parse(readFileSync(new URL(`${name}.json`, baileys), 'utf8'))))
    const { code, stdout, stderr } = await runToEnd(
      ['channel', 'read', 'whatsapp-baileys', '--account', 'demo', '--bot', '15550001111'],
      { cwd },
      input.map((line) => `${line}\n`).join(''),
    )
    const events = told.flatMap(([, one]) => one as readonly { readonly kind: string; readonly reason?: string }[])
    const wantedLines = events.map((event) => (event.kind === 'ignored' ? { ignored: event.reason } : event))
    // A recorded poll has the words of its options, not what they press.
    const words = JSON.stringify(wantedLines).replaceAll('poll:confirm', 'Confirm').replaceAll('poll:cancel', 'Cancel')
    expect(linesOf(stdout)).toEqual(JSON.parse(words))
    expect([code, stderr]).toEqual([0, ''])
  })

  it('reads what the simulator sends', async () => {
    const update = {
      kind: 'text',
      update: 'u1',
      at: 1_795_900_000_000,
      chat: { id: 'ana', group: false },
      from: { id: 'ana', name: 'Ana' },
      message: 'm1',
      order: 1,
      text: 'sí',
    }
    const { code, stdout } = await runToEnd(
      ['channel', 'read', 'simulator'],
      { cwd },
      `${JSON.stringify(update)}\n{"kind":"new"}`,
    )
    expect(linesOf(stdout)).toMatchObject([
      { kind: 'message', sender: { id: 'sim:ana' }, body: { kind: 'text', text: 'sí' } },
      { ignored: 'unknown_update' },
    ])
    expect(code).toBe(0)
  })

  it('takes bytes that are no text for malformed, and lines of white space for none', async () => {
    const { code, stdout } = await runToEnd(
      telegram,
      { cwd },
      Buffer.concat([Buffer.from('\n  \n'), Buffer.from([0x22, 0xff, 0x22, 0x0a]), Buffer.from('\r\n')]),
    )
    expect([code, linesOf(stdout)]).toEqual([0, [{ ignored: 'malformed_json' }]])
  })

  it('answers each line when it comes, and ends well when nobody reads on', async () => {
    await using running = run(telegram, { cwd })
    running.child.stdin?.write(`${payloadOf('text_private')}\n`)
    await running.until(/"kind":"message"/)
    running.child.stdout?.destroy()
    running.child.stdin?.on('error', () => undefined)
    running.child.stdin?.end(`${payloadOf('text_private')}\n`.repeat(1000))
    const [code] = await once(running.child, 'exit')
    expect(code).toBe(0)
  })

  it('refuses a channel that it does not know', async () => {
    const { code, stderr } = await runToEnd(['channel', 'read', 'icq'], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain('Allowed choices are telegram, whatsapp-cloud, whatsapp-baileys, simulator')
  })
})
