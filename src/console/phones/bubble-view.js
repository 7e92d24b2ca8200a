// Builds a message's elements. Every value goes in as text (`textContent`), so that none can be mark-up, and each stands in an
// isolate of its own direction, so that none can turn its neighbours around.

const svgNamespace = 'http://www.w3.org/2000/svg'

/** An element with a class and, unless undefined, a text in it. */
export function element(name, className, text) {
  const made = document.createElement(name)
  if (className) made.className = className
  if (text !== undefined) made.textContent = text
  return made
}

/** One of the drawings of the page's sprite. */
export function icon(name) {
  const svg = document.createElementNS(svgNamespace, 'svg')
  svg.setAttribute('class', 'icon')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  const use = document.createElementNS(svgNamespace, 'use')
  use.setAttribute('href', `#icon-${name}`)
  svg.append(use)
  return svg
}

const value = (name, className, text) => {
  const made = element(name, className, text)
  made.dir = 'auto'
  return made
}

/** A message as an element. `words` are the phone's own texts, `on.press` and `on.reply` what a tap does. */
export function bubbleView(bubble, words, lang, on) {
  const view = element('article', `message ${bubble.side} ${bubble.kind}`)
  view.dataset.id = bubble.id
  view.tabIndex = -1
  const box = element('div', 'bubble')
  const who = element('span', 'spoken', `${bubble.name}: `)
  box.append(who)
  if (bubble.note) box.append(value('p', 'note', bubble.note))
  if (bubble.quoted) box.append(quotation(bubble.quoted))
  if (bubble.text !== undefined) box.append(value('p', 'text', bubble.text))
  for (const card of bubble.cards) box.append(cardView(card, words, (control, button) => on.press(bubble, control, button)))
  box.append(footer(bubble, bubble.kind === 'card' ? bubble.cards[0].code : bubble.code, lang))
  view.append(box)
  if (bubble.reactions.length > 0) view.append(element('span', 'reactions', bubble.reactions.join(' ')))
  view.append(replyButton(bubble, words, on))
  return view
}

function quotation({ name, text }) {
  const quote = element('blockquote', 'quoted')
  quote.append(value('p', 'quoted-name', name), value('p', 'quoted-text', text))
  return quote
}

function footer({ edited, atMs }, code, lang) {
  const meta = element('p', 'meta')
  if (code) meta.append(element('span', 'code', `#${code}`))
  if (edited) meta.append(element('span', '', edited))
  const time = element('time', '', new Intl.DateTimeFormat(lang, { hour: '2-digit', minute: '2-digit' }).format(atMs))
  time.dateTime = new Date(atMs).toISOString()
  meta.append(time)
  return meta
}

function replyButton(bubble, words, on) {
  const button = element('button', 'reply')
  button.type = 'button'
  button.title = words.reply
  button.setAttribute('aria-label', `${words.reply}: ${bubble.name}`)
  button.append(icon('reply'))
  button.addEventListener('click', () => on.reply(bubble))
  return button
}

const withIcon = {
  reason: 'why',
  deadline: 'clock',
  words: 'words',
  artefact: 'file',
  also: 'also',
  head: 'alert',
  state: 'flag',
}

function cardView({ code, name, severity, lines, controls }, words, press) {
  const card = element('section', `card ${severity}${controls.length === 0 ? ' settled' : ''}`)
  card.setAttribute('aria-label', name)
  let fields
  for (const line of lines) {
    if (line.part === 'field') {
      if (fields === undefined) {
        fields = element('dl', 'fields')
        card.append(fields)
      }
      fields.append(fieldView(line, words))
    } else {
      fields = undefined
      card.append(lineView(line))
    }
  }
  // In a list each card is told by its code; a card alone has it beside its time.
  card.append(element('span', 'code own', `#${code}`))
  if (controls.length > 0) card.append(controlsView(name, controls, press))
  return card
}

function lineView({ part, label, text }) {
  const line = element('p', `line ${part}`)
  if (withIcon[part]) line.append(icon(withIcon[part]))
  const body = element('span', '')
  if (label !== undefined) body.append(value('span', 'label', `${label}: `))
  body.append(value('bdi', '', text))
  line.append(body)
  return line
}

function fieldView({ label, text, unusual }, words) {
  const row = element('div', unusual ? 'field unusual' : 'field')
  const term = value('dt', '', label ?? '')
  const described = element('dd', '')
  // The sign that begins the reason is the runtime's own: no value can hold one.
  const at = unusual ? text.lastIndexOf('⚠') : -1
  described.append(value('bdi', 'value', at > 0 ? text.slice(0, at).trimEnd() : text))
  if (unusual) described.append(value('span', 'why', at > 0 ? text.slice(at) : `⚠ ${words.unusual}`))
  row.append(term, described)
  return row
}

function controlsView(name, controls, press) {
  const group = element('div', 'controls')
  group.setAttribute('role', 'group')
  group.setAttribute('aria-label', name)
  for (const control of controls) {
    const button = element('button', `control ${control.style}`, control.label)
    button.type = 'button'
    button.addEventListener('click', () => press(control, button))
    group.append(button)
  }
  return group
}
