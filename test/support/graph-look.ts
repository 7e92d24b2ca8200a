/** A text as a phone shows it: what is read, and which stretches have a style of their own. */
export interface Look {
  readonly text: string
  readonly styled: readonly { readonly style: 'bold' | 'italic' | 'strike' | 'mono' | 'quote' | 'list'; readonly text: string }[]
}

const inline = [
  ['mono', '`'],
  ['bold', '*'],
  ['italic', '_'],
  ['strike', '~'],
] as const

/** Between two marks, on one line, with no letter or digit outside and no space inside. */
const between = (mark: string): RegExp => {
  return new RegExp(
    `(?<![A-Za-z0-9${mark}])[${mark}](?![\\s${mark}])([^${mark}\\n]*[^\\s${mark}])[${mark}](?![A-Za-z0-9${mark}])`,
    'u',
  )
}

/**
 * What WhatsApp makes of a text: three backticks, one backtick, `*`, `_`, `~` around something, and quotations and lists by how a line
 * begins. Inside backticks nothing else counts. Written from https://faq.whatsapp.com/539178204879377, for tests to look at what was sent.
 */
export function lookOf(raw: string): Look {
  const styled: Look['styled'][number][] = []
  const text = raw
    .split(/```([\s\S]+?)```/u)
    .map((piece, index) => {
      if (index % 2 === 0) return inlineOf(piece, styled)
      styled.push({ style: 'mono', text: piece })
      return piece
    })
    .join('')
  return { text, styled }
}

const inlineOf = (text: string, styled: Look['styled'][number][]): string =>
  text
    .split('\n')
    .map((line) => {
      const quote = /^\s*> ?(.+)$/u.exec(line)
      if (quote !== null) styled.push({ style: 'quote', text: quote[1] ?? '' })
      const list = /^\s*(?:[*•-]|\d{1,9}[.)]) (.+)$/u.exec(line)
      if (list !== null) styled.push({ style: 'list', text: list[1] ?? '' })
      return marksOf(quote?.[1] ?? line, styled)
    })
    .join('\n')

function marksOf(line: string, styled: Look['styled'][number][]): string {
  for (const [style, mark] of inline) {
    const found = between(mark).exec(line)
    if (found === null) continue
    const [whole, inside = ''] = found
    const before = line.slice(0, found.index)
    const after = line.slice(found.index + whole.length)
    styled.push({ style, text: inside })
    // Nothing is a mark inside code.
    const shown = style === 'mono' ? inside : marksOf(inside, styled)
    return marksOf(before, styled) + shown + marksOf(after, styled)
  }
  return line
}
