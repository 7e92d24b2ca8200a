import type { Problem } from '../core/errors.ts'
import type { Chat } from './say.ts'

const valuesOf = (text: string): string =>
  [...new Set([...text.matchAll(/\{\{-?\s*([^},\s]+)/g)].map((match) => `{{${match[1]}}}`))].sort().join(' ')

/**
 * What is wrong with a file of texts beside the texts that the code was written for: a key that nothing says, or a text
 * with other `{{values}}`.
 */
export const checkChat = (file: string, chat: Chat, reference: Chat): readonly Problem[] =>
  Object.entries(chat).flatMap(([key, text]) => {
    const path = `${file} ${key}`
    const told = Object.hasOwn(reference, key) ? reference[key] : undefined
    if (told === undefined) return [{ path, message: 'is a text that nothing says: take it out, or mend the key' }]
    const [has, needs] = [valuesOf(text), valuesOf(told)]
    if (has === needs) return []
    return [{ path, message: `has ${has === '' ? 'no value' : has} where ${needs === '' ? 'none' : needs} belongs` }]
  })
