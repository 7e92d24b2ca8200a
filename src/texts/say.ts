import { createInstance } from 'i18next'
import { BrokenInvariantError } from '../core/errors.ts'
import type { Say } from '../ports/texts.ts'

/** The texts of one locale, by key. */
export type Chat = Readonly<Record<string, string>>

/**
 * Says texts in the locales given; a locale that is not among them, and a text that a locale lacks, are said in the
 * fallback. Values stand in the text letter by letter: no escaping, and nothing inside them is read as a text's own
 * `{{…}}` or `$t(…)`. A key that no locale has, or a value that a text names and nobody gave, is a BrokenInvariantError.
 */
export function sayOf(chats: ReadonlyMap<string, Chat>, fallback: string): Say {
  const i18n = createInstance()
  const ready = i18n.init({
    resources: Object.fromEntries([...chats].map(([locale, chat]) => [locale, { chat }])),
    ns: 'chat',
    defaultNS: 'chat',
    lng: fallback,
    fallbackLng: fallback,
    load: 'currentOnly',
    keySeparator: false,
    nsSeparator: false,
    initAsync: false,
    interpolation: { escapeValue: false, skipOnVariables: true },
    missingInterpolationHandler: (text: string, match: RegExpExecArray) => {
      throw new BrokenInvariantError(`nobody gave the value ${match[1]} of the text "${text}"`)
    },
  })
  // With the texts at hand everything is done before `init` returns; its promise has nothing left to tell.
  void ready
  return (locale, key, values = {}) => {
    const lng = chats.has(locale) ? locale : fallback
    const { count } = values
    const options = { lng, replace: values, nest: false, ...(typeof count === 'number' ? { count } : {}) }
    if (!i18n.exists(key, options)) throw new BrokenInvariantError(`there is no text ${key} in ${lng} or ${fallback}`)
    return i18n.t(key, options)
  }
}
