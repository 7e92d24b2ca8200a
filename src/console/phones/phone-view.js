// One phone of the page: its conversation, its composer, and what stands over them for a moment.

import { bubbleView, element } from './bubble-view.js'

const base = document.body.dataset.base
const typingMs = 6000
const toastMs = 4500
const pressMs = 15_000

/** Posts what a person did; resolves to the answer's status, 0 when there was none. */
async function post(path, body) {
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  return await fetch(base + path, request).then(
    ({ status }) => status,
    () => 0,
  )
}

/** One phone: its messages by id, its composer, and what stands over them for a moment. */
export function phoneOf(section, index) {
  const find = (selector) => section.querySelector(selector)
  const log = find('.log')
  const empty = find('.empty')
  const newest = find('.newest')
  const presence = find('.presence')
  const toast = find('.toast')
  const form = find('.composer')
  const input = find('textarea')
  const answering = find('.answering')
  const words = section.dataset
  const lang = section.lang
  const messages = new Map()
  const dots = element('div', 'message theirs typing')
  dots.setAttribute('aria-hidden', 'true')
  const dotsBox = element('div', 'bubble')
  dotsBox.append(element('i'), element('i'), element('i'))
  dots.append(dotsBox)
  let lastDay
  let replyTo
  let typingTimer
  let toastTimer
  let sending = Promise.resolve()

  const isAtEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < 80
  const toEnd = () => {
    log.scrollTop = log.scrollHeight
    newest.hidden = true
  }
  log.addEventListener('scroll', () => {
    if (isAtEnd()) newest.hidden = true
  })
  newest.addEventListener('click', toEnd)
  // A keyboard that opens on a phone, or a turned phone, must not hide what was being read last.
  new ResizeObserver(() => {
    if (newest.hidden) toEnd()
  }).observe(log)

  function say(text) {
    toast.textContent = text
    toast.classList.toggle('shown', text !== '')
    clearTimeout(toastTimer)
    toastTimer = setTimeout(() => toast.classList.remove('shown'), toastMs)
  }

  function stopTyping() {
    clearTimeout(typingTimer)
    dots.remove()
    presence.textContent = words.online
  }

  async function press(bubble, control, button) {
    const group = [...button.parentElement.children]
    for (const one of group) one.disabled = true
    button.setAttribute('aria-busy', 'true')
    const release = setTimeout(() => released(bubble.id), pressMs)
    const status = await post('press', { phone: index, message: bubble.id, label: control.press })
    if (status === 204) return
    clearTimeout(release)
    released(bubble.id)
    say(status === 409 ? words.noControl : words.notSent)
  }

  /** A tap was answered: the card's controls, if they still stand there, can be tapped again. */
  function released(id) {
    for (const button of messages.get(id)?.querySelectorAll('.control') ?? []) {
      button.disabled = false
      button.removeAttribute('aria-busy')
    }
  }

  function reply(bubble) {
    replyTo = bubble?.id
    answering.hidden = replyTo === undefined
    if (bubble) {
      find('.answering-name').textContent = words.replying.replace('{name}', () => bubble.name)
      const summary = bubble.cards[0]?.lines.find(({ part }) => part === 'summary')?.text
      find('.answering-text').textContent = bubble.text ?? summary ?? ''
    }
    input.focus()
  }

  const view = (bubble) => bubbleView(bubble, words, lang, { press, reply })

  function add(bubble) {
    const follow = isAtEnd() || bubble.side === 'mine'
    empty.hidden = true
    const day = new Intl.DateTimeFormat(lang, { day: 'numeric', month: 'long' }).format(bubble.atMs)
    if (day !== lastDay) log.append(element('p', 'day', day))
    lastDay = day
    const made = view(bubble)
    if (bubble.side === 'theirs' && dots.isConnected) stopTyping()
    messages.set(bubble.id, made)
    log.append(made)
    if (dots.isConnected) log.append(dots)
    if (!follow) newest.hidden = false
    // A card that is longer than the screen is read from its beginning.
    else if (made.offsetHeight > log.clientHeight) log.scrollTop = made.offsetTop - log.offsetTop
    else toEnd()
  }

  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && replyTo !== undefined) reply(undefined)
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    form.requestSubmit()
  })
  answering.querySelector('button').addEventListener('click', () => reply(undefined))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const text = input.value
    if (text.trim() === '') return
    const body = { phone: index, text, ...(replyTo === undefined ? {} : { reply: replyTo }) }
    input.value = ''
    if (replyTo !== undefined) reply(undefined)
    // One after the other, so that two quick messages arrive in the order in which they were written.
    sending = sending.then(async () => {
      const status = await post('say', body)
      if (status === 204) return
      if (input.value === '') input.value = text
      say(words.notSent)
    })
  })

  return {
    section,
    add,
    isOnline: (online) => {
      presence.textContent = online ? words.online : words.reconnecting
      section.classList.toggle('offline', !online)
    },
    reset(bubbles) {
      for (const one of log.querySelectorAll('.message, .day')) one.remove()
      messages.clear()
      lastDay = undefined
      empty.hidden = false
      for (const bubble of bubbles) add(bubble)
      toEnd()
    },
    edit(bubble) {
      const old = messages.get(bubble.id)
      if (old === undefined) return
      const follow = isAtEnd()
      const made = view(bubble)
      made.classList.add('changed')
      const hadFocus = old.contains(document.activeElement)
      old.replaceWith(made)
      messages.set(bubble.id, made)
      if (hadFocus) made.focus({ preventScroll: true })
      if (follow) toEnd()
    },
    remove(id) {
      messages.get(id)?.remove()
      messages.delete(id)
    },
    answer(id, text) {
      released(id)
      if (text !== '') say(text)
    },
    type() {
      const follow = isAtEnd()
      presence.textContent = words.typing
      log.append(dots)
      if (follow) toEnd()
      clearTimeout(typingTimer)
      typingTimer = setTimeout(stopTyping, typingMs)
    },
  }
}
