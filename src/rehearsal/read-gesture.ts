import type { Gesture } from './script.ts'

/** What stands in brackets behind a person's name, for errors. */
export const gestures = [
  'reply',
  'reply #K7Q2',
  'reply text',
  'reply elsewhere',
  'edits',
  'forwards',
  'reacts',
  'withdraws',
  'voice',
  'caption',
  'sticker',
  'at once',
  '6 min late',
]

/** What a person does, by the word in brackets; undefined for any other word. */
export function gestureOf(how: string): Gesture | undefined {
  switch (how) {
    case 'reply':
      return { kind: 'says', reply: { to: 'card' } }
    case 'reply text':
      return { kind: 'says', reply: { to: 'text' } }
    case 'reply elsewhere':
      return { kind: 'says', reply: { to: 'elsewhere' } }
    case 'edits':
    case 'forwards':
    case 'reacts':
    case 'withdraws':
      return { kind: how }
    case 'voice':
    case 'caption':
    case 'sticker':
      return { kind: 'sends', form: how }
    default: {
      const code = /^reply #([0-9A-Z]{4})$/.exec(how)?.[1]
      return code === undefined ? undefined : { kind: 'says', reply: { to: 'card', code } }
    }
  }
}
