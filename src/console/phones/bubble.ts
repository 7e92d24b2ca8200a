import type { Card, CardLine, Control } from '../../core/card.ts'
import type { Content, Entry } from '../../ports/simulation.ts'
import type { Texts } from '../../ports/texts.ts'

/** Whose phone looks, and in which language. */
export interface Viewer {
  readonly person: string
  readonly locale: string
  /** What Dale is called in this chat. */
  readonly title: string
}

/** A card as a phone shows it; a control is tapped by `press`. Payloads never reach the page. */
export interface CardView {
  readonly code: string
  readonly name: string
  readonly severity: Card['severity']
  readonly lines: readonly CardLine[]
  readonly controls: readonly { readonly label: string; readonly press: string; readonly style: Control['style'] }[]
}

/** A message as one phone shows it: plain values, written in the phone's language, for the page to put in as text. */
export interface Bubble {
  readonly id: string
  readonly side: 'mine' | 'theirs'
  readonly kind: Content['kind']
  readonly atMs: number
  readonly name: string
  /** Small words above: who it is in a group, that it was forwarded, what kind of attachment it is. */
  readonly note?: string
  readonly text?: string
  readonly code?: string
  readonly cards: readonly CardView[]
  readonly quoted?: { readonly id: string; readonly name: string; readonly text: string }
  readonly edited?: string
  readonly reactions: readonly string[]
}

/** Writes an entry as the viewer's phone shows it. `standing` is the chat as it stands, to quote from. */
export function bubbleOf(entry: Entry, viewer: Viewer, say: Texts['say'], standing: readonly Entry[]): Bubble {
  const { content, by } = entry
  const isMine = by.kind === 'person' && by.person === viewer.person
  const note = noteOf(entry, isMine, viewer, say)
  const text = content.kind === 'card' ? undefined : content.text
  const quoted = entry.replyTo === undefined ? undefined : standing.find(({ id }) => id === entry.replyTo)
  const cards = content.kind === 'card' ? [content.card] : content.kind === 'list' ? content.cards : []
  return {
    id: entry.id,
    side: isMine ? 'mine' : 'theirs',
    kind: content.kind,
    atMs: entry.atMs,
    name: nameFor(entry, viewer, say),
    ...(note === undefined ? {} : { note }),
    ...(text === undefined ? {} : { text }),
    ...(content.kind === 'notice' && content.code !== undefined && !content.text.includes(`#${content.code}`)
      ? { code: content.code }
      : {}),
    cards: cards.map((card) => cardView(card, viewer, say)),
    ...(quoted === undefined
      ? {}
      : { quoted: { id: quoted.id, name: nameFor(quoted, viewer, say), text: gistOf(quoted.content) } }),
    // A card that became what it is now says so itself.
    ...(entry.edited && by.kind === 'person' ? { edited: say(viewer.locale, 'phones.edited') } : {}),
    reactions: Object.values(entry.reactions),
  }
}

function nameFor({ by }: Entry, viewer: Viewer, say: Texts['say']): string {
  switch (by.kind) {
    case 'person':
      return by.person === viewer.person ? say(viewer.locale, 'phones.you') : by.name
    case 'account':
      return viewer.title
    case 'owner':
    case 'tool':
      return say(viewer.locale, `phones.${by.kind}`)
  }
}

function noteOf(entry: Entry, isMine: boolean, viewer: Viewer, say: Texts['say']): string | undefined {
  if (entry.content.kind === 'other') return say(viewer.locale, `phones.form.${entry.content.form}`)
  return isMine || entry.by.kind === 'account' ? undefined : nameFor(entry, viewer, say)
}

/** The first words of a message, for the quotation above a reply. */
function gistOf(content: Content): string {
  const text =
    content.kind === 'card' ? (content.card.lines.find(({ part }) => part === 'summary')?.text ?? '') : (content.text ?? '')
  return text.length > 120 ? `${text.slice(0, 119).toWellFormed()}…` : text
}

const cardView = ({ code, severity, lines, controls }: Card, viewer: Viewer, say: Texts['say']): CardView => ({
  code,
  name: say(viewer.locale, 'phones.card', { code }),
  severity,
  lines,
  controls: controls.map(({ label, style }) => ({ label, style, press: `${label} #${code}` })),
})
