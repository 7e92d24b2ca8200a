import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { lifecycle } from '../src/core/lifecycle.ts'
import { isSettled, type StateName } from '../src/core/proposal.ts'
import { arrows, cells } from './support/lifecycle-cells.ts'
import { aProposal } from './support/proposals.ts'

const file = new URL('../docs/lifecycle.mmd', import.meta.url)

/** The table as a picture: one arrow for each pair of states, with the events that lead along it. */
function draw(): string {
  const names = Object.keys(lifecycle) as StateName[]
  const drawn = arrows.map((arrow) => {
    const leads = cells.filter(({ state, to }) => to.some((target) => arrow === `${state} --> ${target}`))
    return `  ${arrow}: ${leads.map(({ event }) => event).join(', ')}`
  })
  const ends = names.filter((name) => isSettled(aProposal({ state: name }).state)).map((name) => `  ${name} --> [*]`)
  return [
    '%% Drawn from src/core/lifecycle.ts: DALE_DRAW=1 npx vitest run test/lifecycle-diagram.test.ts',
    'stateDiagram-v2',
    '  direction LR',
    '  [*] --> draft: propose',
    ...drawn,
    ...ends,
    '',
  ].join('\n')
}

test('docs/lifecycle.mmd shows the table as it is', () => {
  if (process.env.DALE_DRAW !== undefined) writeFileSync(file, draw())
  expect(readFileSync(file, 'utf8')).toBe(draw())
})
