import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../src/rehearsal/script.ts'
import type { Verdicts } from '../src/rehearsal/verdicts.ts'
import { baileysStages } from './support/baileys-stage.ts'
import { aRoom, scripts } from './support/transcripts.ts'

/** A group has no polls, which are the controls of a linked device; and a poll has its two sides, and none that edits or asks why. */
const isForBaileys = (script: Script): boolean =>
  !script.scenes.some(({ doing }) =>
    doing.some(
      (one) =>
        one.do === 'act' &&
        one.gesture.kind === 'presses' &&
        (one.place.startsWith('@') || /^Edit|motivo$|reason$/.test(one.gesture.label)),
    ),
  )

/** What was decided by a button is decided by a vote here, and all else alike. */
const asVotes = ({ proposals, ...verdicts }: Verdicts): Verdicts => ({
  ...verdicts,
  proposals: proposals.map(({ decisions, ...one }) => ({
    ...one,
    decisions: decisions.map((decision) => ({ ...decision, via: decision.via === 'button' ? 'poll' : decision.via })),
  })),
})

const { plays } = aRoom()

describe('on WhatsApp through a linked device', () => {
  let stages: Awaited<ReturnType<typeof baileysStages>>
  beforeAll(async () => {
    stages = await baileysStages()
  }, 60_000)
  afterAll(async () => await stages[Symbol.asyncDispose]())

  // A press is a vote on the card's poll; no card is edited, and what became of one is told in a message.
  test.each(scripts.filter(isForBaileys))('$file: $rule', { timeout: 60_000 }, async (script) => {
    const { verdicts } = await plays(script, stages.open)
    expect(verdicts).toEqual(asVotes((await plays(script)).verdicts))
  })

  test('only what needs buttons in a group, or a control that edits or asks why, is not played there', () => {
    expect(scripts.filter((script) => !isForBaileys(script)).map(({ file }) => file)).toEqual([
      'changed-for-the-second.chat',
      'edit-decided-meanwhile.chat',
      'edit-like-whatsapp.chat',
      'edit-no-second-person.chat',
      'edit-nobody-left.chat',
      'edit-policy.chat',
      'edit-role-taken.chat',
      'edit.chat',
      'en-edit-no-second-person.chat',
      'en-edit.chat',
      'en-group-others.chat',
      'en-reason.chat',
      'en-requester-is-no-second.chat',
      'en-two-operators-at-once.chat',
      'en-two-persons.chat',
      'group-others.chat',
      'irreversible-is-read-longer.chat',
      'not-yours.chat',
      'operator-refuses-after-yes.chat',
      'operators-not-yours.chat',
      'pt-dois-operadores-juntos.chat',
      'pt-duas-pessoas.chat',
      'pt-edita-nao-e-segunda-pessoa.chat',
      'pt-edita.chat',
      'pt-grupo-outros.chat',
      'pt-motivo.chat',
      'pt-mudou-duas-vezes.chat',
      'pt-papel-retirado.chat',
      'pt-quem-pediu-nao-e-a-segunda.chat',
      'reason-why.chat',
      'requester-is-no-second.chat',
      'role-taken.chat',
      'two-operators-at-once.chat',
      'two-persons.chat',
    ])
  })
})
