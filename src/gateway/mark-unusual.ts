import type { Field, Preview } from '../core/card.ts'
import { showNumber } from '../core/show-value.ts'
import type { Finding, Mark } from '../core/unusual.ts'
import type { Texts } from '../ports/texts.ts'

/** Enough of a value to know it by. */
const longest = 200

/** The preview with its unusual values marked, in the words of the card's locale. What the action marked itself stays, and comes first. */
export function markUnusual(texts: Texts, preview: Preview, marks: readonly Mark[], locale: string): Preview {
  if (marks.length === 0) return preview
  return { ...preview, fields: preview.fields.map((field) => marked(texts, field, marks, locale)) }
}

function marked({ say }: Texts, field: Field, marks: readonly Mark[], locale: string): Field {
  const whys = marks.filter((mark) => mark.field === field.key).map(({ finding }) => wordsOf(say, finding, locale))
  const all = [...new Set([...(field.unusual === undefined ? [] : [field.unusual]), ...whys])]
  return all.length === 0 ? field : { ...field, unusual: all.join('; ') }
}

function wordsOf(say: Texts['say'], finding: Finding, locale: string): string {
  switch (finding.kind) {
    case 'far':
      return say(locale, 'unusual.far', { usual: showNumber(finding.usual, 0, locale) ?? finding.usual })
    case 'never_seen':
      return say(locale, 'unusual.never_seen')
    case 'changed':
      return say(locale, 'unusual.changed', { from: finding.from.slice(0, longest) })
    case 'said':
      return finding.why
  }
}
