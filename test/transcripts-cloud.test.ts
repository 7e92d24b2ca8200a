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
      'changed-for-the-second.chat',
      'edit-decided-meanwhile.chat',
      'edit-no-second-person.chat',
      'edit-nobody-left.chat',
      'edit-policy.chat',
      'edit-role-taken.chat',
      'en-edit-no-second-person.chat',
      'en-group-others.chat',
      'en-requester-is-no-second.chat',
      'en-two-operators-at-once.chat',
      'en-two-persons.chat',
      'en-vote-withdrawn.chat',
      'group-others.chat',
      'irreversible-is-read-longer.chat',
      'not-yours.chat',
      'operator-refuses-after-yes.chat',
      'operators-not-yours.chat',
      'pt-dois-operadores-juntos.chat',
      'pt-duas-pessoas.chat',
      'pt-edita-nao-e-segunda-pessoa.chat',
      'pt-grupo-outros.chat',
      'pt-mudou-duas-vezes.chat',
      'pt-papel-retirado.chat',
      'pt-quem-pediu-nao-e-a-segunda.chat',
      'pt-voto-retirado.chat',
      'reason-why.chat',
      'requester-is-no-second.chat',
      'role-taken.chat',
      'two-operators-at-once.chat',
      'two-persons.chat',
      'vote-withdrawn.chat',
    ])
  })
})
