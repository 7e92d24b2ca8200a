import { describe, expect, test } from 'vitest'
import type { Script } from '../src/rehearsal/script.ts'
import { cloudStage } from './support/cloud-stage.ts'
import { aRoom, scripts } from './support/transcripts.ts'

/** A group has no buttons on the Cloud API, and nobody there can take a tap back. */
const isForCloud = (script: Script): boolean =>
  !script.scenes.some(({ doing }) =>
    doing.some(
      (one) =>
        one.do === 'act' && (one.gesture.kind === 'withdraws' || (one.gesture.kind === 'presses' && one.place.startsWith('@'))),
    ),
  )

const { plays } = aRoom()

describe('on the WhatsApp Cloud API', () => {
  // What is said is another thing there: no card is edited, a tap is answered by a message, and buttons are fewer.
  test.each(scripts.filter(isForCloud))('$file: $rule', async (script) => {
    const { verdicts } = await plays(script, cloudStage)
    expect(verdicts).toEqual((await plays(script)).verdicts)
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
