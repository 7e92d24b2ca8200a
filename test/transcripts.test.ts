import { describe, expect, test } from 'vitest'
import { differenceOf } from '../src/rehearsal/difference.ts'
import type { Script } from '../src/rehearsal/script.ts'
import type { Verdicts } from '../src/rehearsal/verdicts.ts'
import { telegramStage } from './support/telegram-stage.ts'
import { aRoom, scripts } from './support/transcripts.ts'

/** A bot has no phone of its own beside the gateway: nobody can write as the bot but the gateway. */
const needsOwnPhone = (script: Script): boolean =>
  script.scenes.some(({ doing }) => doing.some(({ do: what }) => what === 'outside'))

/** Telegram edits its cards, answers taps, has no window, and does not tell what got there. */
const isForTelegram = (script: Script): boolean => script.like === undefined && !needsOwnPhone(script)

const { plays } = aRoom()
const verdicts = new Map<string, Verdicts>()

describe('on the simulator', () => {
  test.each(scripts)('$file: $rule', async (script) => {
    const played = await plays(script)
    verdicts.set(script.file, played.verdicts)
    expect(differenceOf(played)).toEqual([])
  })
})

describe('on Telegram', () => {
  test.each(scripts.filter(isForTelegram))('$file: $rule', async (script) => {
    const played = await plays(script, telegramStage)
    expect(differenceOf(played)).toEqual([])
    expect(played.verdicts).toEqual(verdicts.get(script.file))
  })

  test('only what needs WhatsApp, or a phone of the account’s own, is not played there', () => {
    expect(scripts.filter((script) => script.like === undefined && !isForTelegram(script)).map(({ file }) => file)).toEqual([
      'edit-other-things-said.chat',
      'owner-phone-before.chat',
      'owner-phone-disarms.chat',
      'typed-other-things-said.chat',
    ])
  })
})
