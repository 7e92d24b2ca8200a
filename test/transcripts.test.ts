import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { differenceOf } from '../src/rehearsal/difference.ts'
import { readScript } from '../src/rehearsal/read-script.ts'
import { openRehearsalRoom, type RehearsalRoom } from '../src/rehearsal/rehearse.ts'
import type { Script } from '../src/rehearsal/script.ts'
import { simulatorStage } from '../src/rehearsal/simulator-stage.ts'
import type { Verdicts } from '../src/rehearsal/verdicts.ts'
import { baileysStages } from './support/baileys-stage.ts'
import { cloudStage } from './support/cloud-stage.ts'
import { telegramStage } from './support/telegram-stage.ts'

const folder = join(import.meta.dirname, 'transcripts')
const scripts = readdirSync(folder)
  .filter((file) => file.endsWith('.chat'))
  .map((file) => readScript(file, readFileSync(join(folder, file), 'utf8')))

/** A bot has no phone of its own beside the gateway: nobody can write as the bot but the gateway. */
const needsOwnPhone = (script: Script): boolean =>
  script.scenes.some(({ doing }) => doing.some(({ do: what }) => what === 'outside'))

/** Telegram edits its cards, answers taps, has no window, and does not tell what got there. */
const isForTelegram = (script: Script): boolean => script.like === undefined && !needsOwnPhone(script)

/** A group has no buttons on the Cloud API, and nobody there can take a tap back. */
const isForCloud = (script: Script): boolean =>
  !script.scenes.some(({ doing }) =>
    doing.some(
      (one) =>
        one.do === 'act' && (one.gesture.kind === 'withdraws' || (one.gesture.kind === 'presses' && one.place.startsWith('@'))),
    ),
  )

/** A group has no polls, which are the controls of a linked device. */
const isForBaileys = (script: Script): boolean =>
  !script.scenes.some(({ doing }) =>
    doing.some((one) => one.do === 'act' && one.gesture.kind === 'presses' && one.place.startsWith('@')),
  )

let room: RehearsalRoom
beforeAll(async () => {
  room = await openRehearsalRoom({})
}, 60_000)
afterAll(async () => await room[Symbol.asyncDispose]())

const verdicts = new Map<string, Verdicts>()

describe('on the simulator', () => {
  test.each(scripts)('$file: $rule', async (script) => {
    const played = await room.rehearse(script, { stage: simulatorStage })
    verdicts.set(script.file, played.verdicts)
    expect(differenceOf(played)).toEqual([])
  })
})

describe('on Telegram', () => {
  test.each(scripts.filter(isForTelegram))('$file: $rule', async (script) => {
    const played = await room.rehearse(script, { stage: telegramStage })
    expect(differenceOf(played)).toEqual([])
    expect(played.verdicts).toEqual(verdicts.get(script.file))
  })

  test('only what needs WhatsApp, or a phone of the account’s own, is not played there', () => {
    expect(scripts.filter((script) => script.like === undefined && !isForTelegram(script)).map(({ file }) => file)).toEqual([
      'owner-phone-before.chat',
      'owner-phone-disarms.chat',
    ])
  })
})

describe('on the WhatsApp Cloud API', () => {
  // What is said is another thing there: no card is edited, a tap is answered by a message, and buttons are fewer.
  test.each(scripts.filter(isForCloud))('$file: $rule', async (script) => {
    const played = await room.rehearse(script, { stage: cloudStage })
    expect(played.verdicts).toEqual(verdicts.get(script.file))
  })

  test('only what needs buttons in a group, or a vote that is taken back, is not played there', () => {
    expect(scripts.filter((script) => !isForCloud(script)).map(({ file }) => file)).toEqual([
      'en-vote-withdrawn.chat',
      'group-others.chat',
      'irreversible-is-read-longer.chat',
      'not-yours.chat',
      'operator-refuses-after-yes.chat',
      'operators-not-yours.chat',
      'pt-papel-retirado.chat',
      'pt-voto-retirado.chat',
      'role-taken.chat',
      'two-operators-at-once.chat',
      'two-persons.chat',
      'vote-withdrawn.chat',
    ])
  })
})

describe('on WhatsApp through a linked device', () => {
  let stages: Awaited<ReturnType<typeof baileysStages>>
  beforeAll(async () => {
    stages = await baileysStages()
  }, 60_000)
  afterAll(async () => await stages[Symbol.asyncDispose]())

  // A press is a vote on the card's poll; no card is edited, and what became of one is told in a message.
  test.each(scripts.filter(isForBaileys))('$file: $rule', { timeout: 60_000 }, async (script) => {
    const played = await room.rehearse(script, { stage: stages.open })
    expect(played.verdicts).toEqual(verdicts.get(script.file))
  })

  test('only what needs buttons in a group is not played there', () => {
    expect(scripts.filter((script) => !isForBaileys(script)).map(({ file }) => file)).toEqual([
      'group-others.chat',
      'irreversible-is-read-longer.chat',
      'not-yours.chat',
      'operator-refuses-after-yes.chat',
      'operators-not-yours.chat',
      'pt-papel-retirado.chat',
      'role-taken.chat',
      'two-operators-at-once.chat',
      'two-persons.chat',
    ])
  })
})
