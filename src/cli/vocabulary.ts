import { newVerb, type Verb } from './verb.ts'
import { activate } from './vocabulary/activate.ts'
import { forget } from './vocabulary/forget.ts'
import { history } from './vocabulary/history.ts'
import { lint } from './vocabulary/lint.ts'
import { match } from './vocabulary/match.ts'
import { replay } from './vocabulary/replay.ts'
import { suggest } from './vocabulary/suggest.ts'

/** `dale vocabulary`: the words that decide, to be looked at, tried and changed by who speaks the language. */
export const vocabulary: Verb = () => {
  const verb = newVerb(
    'vocabulary',
    'See which words decide, find what people write instead, try other words on what happened, and make them active.',
    [
      ['dale vocabulary match --locale es "dale nomás" "sí"', 'what these texts decide, and why'],
      ['dale vocabulary suggest', 'what people wrote instead, and what they did next'],
      ['dale vocabulary replay --with words-next', 'what would have come otherwise'],
      ['dale vocabulary activate words-next', 'try them once more, and make them decide'],
    ],
  )
  for (const part of [match, lint, suggest, replay, activate, history, forget]) verb.addCommand(part())
  return verb
}
