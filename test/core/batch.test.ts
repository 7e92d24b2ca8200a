import { expect, test } from 'vitest'
import { mayBeDecidedTogether } from '../../src/core/batch.ts'
import type { Proposal } from '../../src/core/proposal.ts'
import { aProposal } from '../support/proposals.ts'

const cards = (count: number, about: (index: number) => Partial<Proposal> = () => ({})): readonly Proposal[] =>
  Array.from({ length: count }, (_, index) => ({ ...aProposal({ id: `card-${index}` }), ...about(index) }))

test.each<[given: string, proposals: readonly Proposal[], may: boolean]>([
  ['ten requests of one reversible action', cards(10), true],
  ['two of one observed action', cards(2, () => ({ reversibility: 'observed' })), true],
  ['two requests of two actions', cards(2, (index) => ({ action: `action-${index}` })), false],
  ['two requests, one irreversible', cards(2, (index) => (index === 1 ? { reversibility: 'irreversible' } : {})), false],
  ['eleven', cards(11), false],
  ['one', cards(1), false],
  ['none', [], false],
  ['the same twice', [...cards(1), ...cards(1)], false],
  [
    'two, one of which was approved',
    [...cards(1), aProposal({ id: 'card-1', state: { name: 'succeeded', verification: 'none' } })],
    false,
  ],
])('cards may be decided together only as the rules allow: %s', (_given, proposals, may) => {
  expect(mayBeDecidedTogether(proposals)).toBe(may)
})
