import ordinary from '../fixtures/matcher/ordinary.json' with { type: 'json' }
import { shippedSource } from './vocabularies.ts'

/** Sentences of customers with a decision word inside: every frame with every shipped phrase, its other gaps filled in turn. */
export function* ordinarySentencesOf(locale: keyof typeof ordinary): Generator<string> {
  const { frames, slots } = ordinary[locale]
  const { decision } = shippedSource(locale)
  const phrases = [...(decision.approve ?? []), ...(decision.reject ?? [])].map(({ text }) => text)
  // With three fillings most frames give three sentences a phrase; those without other gaps give one.
  for (const [place, frame] of frames.entries())
    for (const phrase of phrases)
      for (let turn = place; turn < place + 3; turn += 1)
        yield frame.replace(/\{(\w+)\}/g, (_gap, name: string) => {
          const fillers: readonly string[] = slots[name as keyof typeof slots] ?? []
          return name === 'p' ? phrase : (fillers[turn % fillers.length] ?? '')
        })
}
