import { html } from 'hono/html'
import type { Texts } from '../../ports/texts.ts'
import type { Phone } from './phone.ts'

/** The page's frame: what never changes. `html` escapes every value, and the conversation itself comes later, as text, by the script. */
export function phonesPage(phones: readonly Phone[], say: Texts['say'], base: string) {
  const locale = phones[0]?.locale ?? 'en'
  return html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<title>${say(locale, 'phones.title')}</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${base}conversation.css">
<link rel="stylesheet" href="${base}card.css">
<link rel="stylesheet" href="${base}phones.css">
<script type="module" src="${base}phones.js"></script>
</head>
<body data-base="${base}">
${sprite}
<header class="top">
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><use href="#icon-mark"></use></svg>
  <h1>Dale</h1>
  <p>${say(locale, 'phones.tagline')}</p>
</header>
<nav class="switch" aria-label="${say(locale, 'phones.switch')}">
${phones.map((phone, index) => switchButton(phone, index, say))}
</nav>
<main class="stage">
${phones.map((phone, index) => phoneFrame(phone, index, say))}
</main>
</body>
</html>`
}

const switchButton = (
  phone: Phone,
  index: number,
  say: Texts['say'],
) => html`<button type="button" class="${phone.role}" data-show="${index}" aria-pressed="${String(index === 0)}" lang="${phone.locale}">
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><use href="#icon-${phone.role}"></use></svg>
  <span>${say(phone.locale, `phones.${phone.role}`)}</span>
  <span class="unread" hidden><span class="spoken">${say(phone.locale, 'phones.unread')}</span></span>
</button>`

function phoneFrame({ title, name, role, locale }: Phone, index: number, say: Texts['say']) {
  const text = (key: Parameters<Texts['say']>[1], values?: Parameters<Texts['say']>[2]) => say(locale, key, values)
  return html`<section class="phone ${role}${index === 0 ? ' shown' : ''}" data-phone="${index}" lang="${locale}" aria-labelledby="caption-${index}"
  data-online="${text('phones.online')}" data-typing="${text('phones.typing')}" data-reconnecting="${text('phones.reconnecting')}" data-reply="${text('phones.reply')}"
  data-replying="${text('phones.replying', { name: '{name}' })}" data-unusual="${text('phones.unusual')}" data-not-sent="${text('phones.not_sent')}" data-no-control="${text('phones.no_control')}">
  <h2 class="caption" id="caption-${index}"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><use href="#icon-${role}"></use></svg>${text(`phones.role.${role}`)}${name === undefined ? '' : ` · ${name}`}</h2>
  <div class="case"><div class="screen">
    <div class="status" aria-hidden="true"><span class="clock"></span><span class="island"></span><svg class="signals" viewBox="0 0 66 14"><use href="#icon-signals"></use></svg></div>
    <div class="head">
      <span class="avatar" aria-hidden="true">${[...title][0]?.toUpperCase() ?? ''}</span>
      <div><p class="title">${title}</p><p class="presence">${text('phones.reconnecting')}</p></div>
    </div>
    <div class="log" role="log" tabindex="0" aria-label="${text('phones.messages', { name: title })}"><p class="empty">${text('phones.empty')}</p></div>
    <button type="button" class="newest" aria-label="${text('phones.newest')}" hidden><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><use href="#icon-down"></use></svg></button>
    <p class="toast" role="status"></p>
    <form class="composer">
      <div class="answering" hidden>
        <div><p class="answering-name"></p><p class="answering-text" dir="auto"></p></div>
        <button type="button" aria-label="${text('phones.reply_cancel')}"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><use href="#icon-close"></use></svg></button>
      </div>
      <textarea rows="1" maxlength="4096" dir="auto" autocomplete="off" enterkeyhint="send" aria-label="${text('phones.write')}" placeholder="${text('phones.write')}"></textarea>
      <button type="submit" class="send" aria-label="${text('phones.send')}"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><use href="#icon-send"></use></svg></button>
    </form>
    <div class="home" aria-hidden="true"></div>
  </div></div>
</section>`
}

const icon = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="10" fill="#0b7a53"/><path d="M9 17l5 5 9-11" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>')}`

/** Every drawing of the page, once; `<use>` puts them where they are needed, in the colour of the text there. */
const sprite = html`<svg class="sprite" aria-hidden="true" width="0" height="0">
<symbol id="icon-mark" viewBox="0 0 32 32"><path d="M6 3h20a5 5 0 0 1 5 5v13a5 5 0 0 1-5 5H15l-7 5v-5H6a5 5 0 0 1-5-5V8a5 5 0 0 1 5-5z" fill="currentColor"></path><path d="M9.5 14.5l4.6 4.6 8.4-9" fill="none" stroke="var(--paper)" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"></path></symbol>
<symbol id="icon-customer" viewBox="0 0 24 24"><circle cx="12" cy="8" r="4"></circle><path d="M4.5 20c.8-4 3.8-6 7.5-6s6.7 2 7.5 6"></path></symbol>
<symbol id="icon-operator" viewBox="0 0 24 24"><path d="M4 14v-2a8 8 0 0 1 16 0v2"></path><rect x="3" y="13.5" width="4.5" height="6" rx="1.8"></rect><rect x="16.5" y="13.5" width="4.5" height="6" rx="1.8"></rect><path d="M18.7 19.5c0 1.7-1.9 2.5-4.7 2.5"></path></symbol>
<symbol id="icon-send" viewBox="0 0 24 24"><path d="M12 19V5M5.5 11.5L12 5l6.5 6.5"></path></symbol>
<symbol id="icon-down" viewBox="0 0 24 24"><path d="M5 9l7 7 7-7"></path></symbol>
<symbol id="icon-close" viewBox="0 0 24 24"><path d="M6 6l12 12M18 6L6 18"></path></symbol>
<symbol id="icon-reply" viewBox="0 0 24 24"><path d="M10 6L4 12l6 6"></path><path d="M4.5 12H14a6 6 0 0 1 6 6v1"></path></symbol>
<symbol id="icon-clock" viewBox="0 0 24 24"><circle cx="12" cy="12" r="8.5"></circle><path d="M12 7.5V12l3 2"></path></symbol>
<symbol id="icon-why" viewBox="0 0 24 24"><circle cx="12" cy="12" r="8.5"></circle><path d="M12 11v5M12 8v.1"></path></symbol>
<symbol id="icon-file" viewBox="0 0 24 24"><path d="M7 3.5h7L18.5 8v12.5H7a1.5 1.5 0 0 1-1.5-1.5V5A1.5 1.5 0 0 1 7 3.5z"></path><path d="M14 3.5V8h4.5"></path></symbol>
<symbol id="icon-also" viewBox="0 0 24 24"><path d="M12 5v14M5 12h14"></path></symbol>
<symbol id="icon-words" viewBox="0 0 24 24"><rect x="3" y="6" width="18" height="12" rx="2.5"></rect><path d="M7 10h.1M11 10h.1M15 10h.1M8 14h8"></path></symbol>
<symbol id="icon-alert" viewBox="0 0 24 24"><path d="M12 4l9 16H3z"></path><path d="M12 10v4M12 17v.1"></path></symbol>
<symbol id="icon-flag" viewBox="0 0 24 24"><path d="M6 21V4h12l-2.5 4L18 12H6"></path></symbol>
<symbol id="icon-signals" viewBox="0 0 66 14"><g fill="currentColor"><rect x="0" y="9" width="3" height="4" rx="1"></rect><rect x="5" y="6.5" width="3" height="6.5" rx="1"></rect><rect x="10" y="4" width="3" height="9" rx="1"></rect><rect x="15" y="1" width="3" height="12" rx="1"></rect><path d="M30.5 13l2.3-2.8a3.6 3.6 0 0 0-4.6 0zM26.4 8l1.3 1.6a4.5 4.5 0 0 1 5.6 0L34.6 8a6.6 6.6 0 0 0-8.2 0zM23.9 4.9l1.3 1.6a8.5 8.5 0 0 1 10.6 0l1.3-1.6a10.6 10.6 0 0 0-13.2 0z"></path><rect x="45" y="3.5" width="13" height="7" rx="1.8"></rect></g><rect x="43" y="1.5" width="19" height="11" rx="3.5" fill="none" stroke="currentColor" stroke-opacity=".5"></rect><rect x="63.5" y="5" width="1.8" height="4" rx=".9" fill="currentColor" fill-opacity=".5"></rect></symbol>
</svg>`
