// The page: what the gateway's provider tells goes to the phone that it is for.

import { phoneOf } from './phone-view.js'

const phones = [...document.querySelectorAll('.phone')].map(phoneOf)
const switches = [...document.querySelectorAll('.switch button')]

/** On a narrow screen one phone is seen at a time; the others say on the switch that something came. */
function show(index) {
  for (const [at, { section }] of phones.entries()) section.classList.toggle('shown', at === index)
  for (const [at, button] of switches.entries()) button.setAttribute('aria-pressed', String(at === index))
  switches[index].querySelector('.unread').hidden = true
}
for (const [index, button] of switches.entries()) button.addEventListener('click', () => show(index))

const clocks = document.querySelectorAll('.clock')
const tick = () => {
  const now = new Date()
  for (const clock of clocks) clock.textContent = `${now.getHours()}:${String(now.getMinutes()).padStart(2, '0')}`
}
tick()
setInterval(tick, 5000)

const events = new EventSource(`${document.body.dataset.base}events`)
const on = (name, hear) => events.addEventListener(name, ({ data }) => hear(JSON.parse(data)))
const online = (isOnline) => {
  for (const phone of phones) phone.isOnline(isOnline)
}
events.addEventListener('open', () => online(true))
events.addEventListener('error', () => online(false))
on('snapshot', (told) => {
  for (const [index, bubbles] of told.phones.entries()) phones[index].reset(bubbles)
})
on('message', ({ phone, bubble }) => {
  phones[phone].add(bubble)
  if (bubble.side === 'theirs' && !phones[phone].section.classList.contains('shown'))
    switches[phone].querySelector('.unread').hidden = false
})
on('edit', ({ phone, bubble }) => phones[phone].edit(bubble))
on('deleted', ({ phone, message }) => phones[phone].remove(message))
on('answer', ({ phone, message, text }) => phones[phone].answer(message, text))
on('typing', ({ phone }) => phones[phone].type())
