import type { Button, Room, World } from './graph-world.ts'

/** A refusal in Meta's own form. https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes/ */
export class Refusal extends Error {
  readonly status: number
  readonly code: number
  readonly subcode: number | undefined
  constructor(status: number, code: number, details: string, subcode?: number) {
    super(details)
    this.status = status
    this.code = code
    this.subcode = subcode
  }
}

type Payload = Readonly<Record<string, unknown>>

const bad = (details: string): Refusal => new Refusal(400, 100, details)
const isObject = (value: unknown): value is Payload => typeof value === 'object' && value !== null && !Array.isArray(value)
const inside = (payload: Payload, key: string): Payload => {
  const value = payload[key]
  if (!isObject(value)) throw bad(`The parameter ${key} is required.`)
  return value
}

/** A text of 1 to `most` characters. */
function textIn(payload: Payload, key: string, most: number): string {
  const text = payload[key]
  if (typeof text !== 'string' || text.trim() === '') throw bad(`The parameter ${key} is required.`)
  if (Array.from(text).length > most) throw bad(`Param ${key} must be at most ${most} characters long.`)
  return text
}

/** What a request says: its text with the marks in it, and its buttons. */
interface Said {
  readonly body: string
  readonly buttons: readonly Button[]
  readonly isTemplate: boolean
}

function interactiveOf(payload: Payload): Said {
  const interactive = inside(payload, 'interactive')
  if (interactive.type !== 'button')
    throw bad(`interactive.type ${String(interactive.type)} is not one of those that this server knows.`)
  const { buttons } = inside(interactive, 'action')
  if (!Array.isArray(buttons) || buttons.length < 1 || buttons.length > 3) throw bad('There must be one to three buttons.')
  const read = buttons.map((button: unknown): Button => {
    if (!isObject(button) || button.type !== 'reply') throw bad('A button must be of the type reply.')
    const reply = inside(button, 'reply')
    const id = textIn(reply, 'id', 256)
    if (id.trim() !== id) throw bad('The id of a button cannot begin or end with a space.')
    return { id, title: textIn(reply, 'title', 20) }
  })
  if (new Set(read.map(({ id }) => id)).size < read.length) throw bad('The ids of buttons must differ.')
  if (new Set(read.map(({ title }) => title)).size < read.length) throw bad('The titles of buttons must differ.')
  return { body: textIn(inside(interactive, 'body'), 'text', 1024), buttons: read, isTemplate: false }
}

function templateOf(world: World, payload: Payload): Said {
  const asked = inside(payload, 'template')
  const code = inside(asked, 'language').code
  const template = world.templates.find(({ name, language }) => name === asked.name && language === code)
  if (template === undefined) throw new Refusal(404, 132_001, `Template name does not exist in ${String(code)}.`)
  const components = Array.isArray(asked.components) ? asked.components.filter(isObject) : []
  const valuesOf = (component: Payload | undefined): readonly Payload[] =>
    Array.isArray(component?.parameters) ? component.parameters.filter(isObject) : []
  const values = valuesOf(components.find(({ type }) => type === 'body')).map(({ text }) => String(text))
  const wanted = new Set(template.body.match(/\{\{\d+\}\}/gu)).size
  if (values.length !== wanted) throw new Refusal(400, 132_000, `The template has ${wanted} values, and ${values.length} came.`)
  if (values.some((value) => value === '' || /[\n\t]| {5}/u.test(value)))
    throw new Refusal(400, 132_018, 'A value cannot be empty or hold a line break, a tab, or more than four spaces in a row.')
  const body = template.body.replace(/\{\{(\d+)\}\}/gu, (_, number: string) => values[Number(number) - 1] ?? '')
  if (Array.from(body).length > 1024) throw new Refusal(400, 132_005, 'Translated text too long.')
  const buttons = template.quickReplies.map((title, index): Button => {
    const component = components.find(
      (one) => one.type === 'button' && one.sub_type === 'quick_reply' && String(one.index) === String(index),
    )
    const payloads = valuesOf(component).filter(({ type }) => type === 'payload')
    // Without a payload of its own the button says its label.
    const payload = payloads[0]?.payload
    return { id: typeof payload === 'string' ? payload : title, title, isQuickReply: true }
  })
  return { body, buttons, isTemplate: true }
}

function saidIn(world: World, payload: Payload): Said {
  switch (payload.type) {
    case 'text':
      return { body: textIn(inside(payload, 'text'), 'body', 4096), buttons: [], isTemplate: false }
    case 'interactive':
      return interactiveOf(payload)
    case 'template':
      return templateOf(world, payload)
    default:
      throw bad(`Param type must be one of text, interactive, template here; it is ${String(payload.type)}.`)
  }
}

/** Who is meant. A number goes into `to` and a business-scoped id into `recipient`; where both are there `to` counts. */
function receiverIn(world: World, payload: Payload): { readonly room: Room | undefined; readonly input: string } {
  const { recipient_type: type = 'individual', to, recipient } = payload
  if (type === 'group') {
    const room = typeof to === 'string' ? world.rooms.get(to) : undefined
    if (room?.isGroup !== true) throw bad('There is no such group.')
    return { room, input: String(to) }
  }
  if (type !== 'individual') throw bad('Param recipient_type must be individual or group.')
  if (to !== undefined) {
    if (typeof to !== 'string' || !/^\+?\d{5,20}$/.test(to)) throw bad('Param to must be a telephone number.')
    return { room: world.roomOf(to.replace(/^\+/u, '')), input: to }
  }
  if (typeof recipient !== 'string' || !/^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/.test(recipient))
    throw bad('Param recipient must be a business-scoped user id.')
  return { room: world.roomOf(recipient), input: recipient }
}

/** As many messages to one person in six seconds, and then one in six: https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/send-messages/ */
const burst = 45
const perSeconds = 6

function checkPair(room: Room, now: number): void {
  const recent = room.sentAt.filter((at) => at > now - perSeconds)
  room.sentAt.splice(0, room.sentAt.length, ...recent)
  if (recent.length >= burst)
    throw new Refusal(429, 131_056, 'Too many messages from this number to the same number in a short time.')
}

/** A message that was taken: its answer, and where it stands; nowhere when nobody has this number. */
export interface Taken {
  readonly answer: unknown
  readonly id: string
  readonly room: Room | undefined
  readonly ref: string | undefined
  /** The id by which it was sent, for statuses of what stands nowhere. */
  readonly input: string
}

/** `POST /<phone number id>/messages`. What the documentation does not name it refuses. */
export function postMessage(world: World, payload: Payload): Taken {
  if (payload.messaging_product !== 'whatsapp') throw bad('Param messaging_product must be whatsapp.')
  const { biz_opaque_callback_data: ref } = payload
  if (ref !== undefined && (typeof ref !== 'string' || ref.length > 512)) throw bad('Param biz_opaque_callback_data is too long.')
  const said = saidIn(world, payload)
  const { room, input } = receiverIn(world, payload)
  if (room?.isGroup === true && payload.type === 'interactive')
    throw new Refusal(400, 131_051, 'Interactive messages are not supported in groups.')
  const now = world.now()
  if (room !== undefined) {
    checkPair(room, now)
    const isOpen = room.lastWroteAt !== undefined && now - room.lastWroteAt < 24 * 3600
    if (!isOpen && !said.isTemplate)
      throw new Refusal(400, 131_047, 'More than 24 hours have passed since the customer last replied to this number.')
    room.sentAt.push(now)
  }
  const [user] = room?.users ?? []
  const isByNumber = payload.recipient_type !== 'group' && payload.to !== undefined
  const message =
    room === undefined
      ? undefined
      : world.put(room, {
          by: 'account',
          type: String(payload.type),
          body: said.body,
          buttons: said.buttons,
          ...(ref === undefined ? {} : { ref }),
        })
  const id = message?.id ?? `wamid.NOWHERE${input}`
  const known = isByNumber ? { wa_id: user?.waId ?? input } : payload.recipient_type === 'group' ? {} : { user_id: input }
  return {
    answer: {
      messaging_product: 'whatsapp',
      contacts: [{ input, ...known }],
      messages: [{ id, ...(said.isTemplate ? { message_status: 'accepted' } : {}) }],
    },
    id,
    room,
    ref,
    input,
  }
}
