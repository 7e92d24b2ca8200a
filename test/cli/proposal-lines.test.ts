import { expect, test } from 'vitest'
import { dossierLines } from '../../src/cli/proposal-lines.ts'
import { aProposal, someTimeMs } from '../support/proposals.ts'

const dossier = { proposal: aProposal(), history: [], decisions: [], showings: [], nowMs: someTimeMs }
const parkedLines = (parked: number) => dossierLines({ ...dossier, parked }).filter((line) => line.includes('parked'))

test('says what of a proposal waits until its person writes', () => {
  expect(parkedLines(0)).toEqual([])
  expect(parkedLines(1)).toEqual([expect.stringMatching(/parked +1 message, until the person writes$/)])
  expect(parkedLines(2)).toEqual([expect.stringMatching(/parked +2 messages, until/)])
})
