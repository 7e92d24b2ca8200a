import { z } from 'zod'

/** PostgreSQL stores neither NUL nor half a surrogate pair: a text with one would be refused, and redelivered, for ever. */
const text = z.string().transform((value) => value.toWellFormed().replaceAll('\0', ''))
const id = text.pipe(z.string().min(1).max(512))
/** A field whose mere presence says something; what is in it is not read. */
const present = z.unknown().optional()
/** Odd beside what matters: read as not there. */
const optionalId = id.optional().catch(undefined)
/** Unix time in seconds, mostly as a string, up to the year 9999. */
const seconds = z
  .union([
    z
      .string()
      .regex(/^\d{1,12}$/)
      .transform(Number),
    z.int(),
  ])
  .pipe(z.int().nonnegative().max(253_402_300_799))

/** A telephone number exactly as WhatsApp writes it. Never compared by its digits with another spelling. */
export const phone = z.string().regex(/^\d{1,20}$/)
/**
 * A business-scoped user id: the country's two letters, a point, up to 128 letters and digits; `ENT.` between them for a parent's.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids/
 */
export const userId = z.string().regex(/^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/)
/** Neither a number nor a person's id, so that no group can be taken for a chat with somebody. */
const groupId = id.refine((value) => !/\s/.test(value) && !phone.safeParse(value).success && !userId.safeParse(value).success)

export const webhookSchema = z.object({
  object: z.literal('whatsapp_business_account'),
  entry: z.array(z.unknown()),
})
export const entrySchema = z.object({ changes: z.array(z.unknown()) })
export const changeSchema = z.object({ field: z.string(), value: z.unknown() })

export const contactSchema = z.object({
  wa_id: phone.optional().catch(undefined),
  user_id: userId.optional().catch(undefined),
  profile: z
    .object({ name: text.optional().catch(undefined) })
    .optional()
    .catch(undefined),
})
export type Contact = z.infer<typeof contactSchema>

/** What a change of the fields that Dale reads holds. Each list is read one by one: an odd part drops no other. */
export const valueSchema = z.object({
  metadata: z.object({ phone_number_id: z.string(), display_phone_number: z.string().optional().catch(undefined) }),
  contacts: z.array(z.unknown()).catch([]).default([]),
  messages: z.array(z.unknown()).optional(),
  statuses: z.array(z.unknown()).optional(),
  errors: z.array(z.unknown()).optional(),
  message_echoes: z.array(z.unknown()).optional(),
  user_id_update: z.array(z.unknown()).optional(),
})
export type Value = z.infer<typeof valueSchema>

/** What is the same in every message, whatever its type. */
export const messageSchema = z.object({
  id,
  timestamp: seconds,
  type: z.string(),
  from: phone.optional(),
  from_user_id: userId.optional(),
  from_parent_user_id: userId.optional().catch(undefined),
  group_id: groupId.optional(),
  context: present,
  errors: present,
})
export type Message = z.infer<typeof messageSchema>

/** What a message answers or was forwarded from. */
export const contextSchema = z.object({
  id: optionalId,
  from: z.string().optional().catch(undefined),
  forwarded: present,
  frequently_forwarded: present,
})

export const textSchema = z.object({ text: z.object({ body: text }) })
export const interactiveSchema = z.object({
  interactive: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('button_reply'),
      button_reply: z.object({ id: text.pipe(z.string().min(1)), title: text.catch('') }),
    }),
    z.object({
      type: z.literal('list_reply'),
      list_reply: z.object({ id: text.pipe(z.string().min(1)), title: text.catch('') }),
    }),
  ]),
})
export const buttonSchema = z.object({ button: z.object({ payload: text.pipe(z.string().min(1)), text: text.catch('') }) })
export const reactionSchema = z.object({ reaction: z.object({ message_id: id, emoji: text.optional().catch(undefined) }) })
const file = {
  id: optionalId,
  mime_type: text.optional().catch(undefined),
}
const captioned = z.object({ ...file, caption: text.optional().catch(undefined) })
export const mediaSchema = z.object({
  image: captioned.optional().catch(undefined),
  video: captioned.optional().catch(undefined),
  document: captioned.optional().catch(undefined),
  sticker: z.object(file).optional().catch(undefined),
  audio: z
    .object({ ...file, voice: z.boolean().optional().catch(undefined) })
    .optional()
    .catch(undefined),
})
export const editSchema = z.object({
  edit: z.object({
    original_message_id: optionalId,
    message: z.object({ text: z.object({ body: text }).optional().catch(undefined), ...mediaSchema.shape }).catch({}),
  }),
})
export const systemSchema = z.object({
  system: z.object({
    type: z.string(),
    wa_id: phone.optional().catch(undefined),
    user_id: userId.optional().catch(undefined),
    previous_user_id: userId.optional().catch(undefined),
  }),
})

export const statusSchema = z.object({
  id,
  status: z.string(),
  timestamp: seconds,
  recipient_id: id.optional(),
  recipient_user_id: userId.optional().catch(undefined),
  recipient_parent_user_id: userId.optional().catch(undefined),
  recipient_type: z.string().optional().catch(undefined),
  biz_opaque_callback_data: optionalId,
  errors: z.array(z.unknown()).optional().catch(undefined),
})
export const errorSchema = z.object({ code: z.int().nonnegative() })

export const echoSchema = z.object({
  id,
  timestamp: seconds,
  to: phone.optional().catch(undefined),
  to_user_id: userId.optional().catch(undefined),
  group_id: groupId.optional(),
})

export const userIdUpdateSchema = z.object({
  timestamp: seconds,
  user_id: z.object({ previous: userId, current: userId.optional().catch(undefined) }),
})

/** Other fields that an app may be subscribed to: ignored under their own name. */
export const otherFields = new Set([
  'account_alerts',
  'account_review_update',
  'account_settings_update',
  'account_update',
  'automatic_events',
  'business_capability_update',
  'business_status_update',
  'calls',
  'flows',
  'group_lifecycle_update',
  'group_participants_update',
  'group_settings_update',
  'group_status_update',
  'history',
  'message_template_components_update',
  'message_template_quality_update',
  'message_template_status_update',
  'partner_solutions',
  'payment_configuration_update',
  'phone_number_name_update',
  'phone_number_quality_update',
  'security',
  'smb_app_state_sync',
  'template_category_update',
  'template_correct_category_detection',
  'tracking_events',
  'user_preferences',
])
