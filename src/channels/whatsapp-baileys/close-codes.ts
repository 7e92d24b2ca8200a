/** What to do after a socket was closed, and what an operator is told meanwhile. */
export interface AfterClose {
  readonly next: /** Connect again at once. */
    | 'now'
    /** Connect again, later each time. */
    | 'later'
    /** Ask for the current version of WhatsApp Web, then as `later`. */
    | 'update'
    /** Somebody has to do something: no more attempts while this process holds the number. */
    | 'stop'
    /** The phone took this device off: the session is worth nothing any more. */
    | 'forget'
  readonly detail: string
}

const later = (detail: string): AfterClose => ({ next: 'later', detail })
const stop = (detail: string): AfterClose => ({ next: 'stop', detail })

/**
 * By the code that Baileys gives (`baileys/lib/Types/index.js`, DisconnectReason; failures of the login carry WhatsApp's own). Codes that
 * are not here are waited out.
 */
const table: Readonly<Record<number, AfterClose>> = {
  401: { next: 'forget', detail: 'logged_out: run dale pair whatsapp' },
  402: stop('banned for a time by WhatsApp: see the phone, then restart Dale'),
  403: stop('forbidden: WhatsApp has blocked this account or device; see the phone, then restart Dale'),
  405: { next: 'update', detail: 'outdated: WhatsApp asks for a newer version of its web client' },
  406: stop('banned by WhatsApp: see the phone'),
  408: later('connection_lost'),
  411: stop('WhatsApp on the phone is too old to link devices: update it, then restart Dale'),
  428: later('connection_closed'),
  440: stop('replaced: another program uses this session; end it, then restart Dale'),
  500: later('bad_session'),
  503: later('unavailable'),
  515: { next: 'now', detail: 'restart_required' },
}

/** What follows on a close; without a code the line itself broke. */
export const afterClose = (code: number | undefined): AfterClose =>
  (code === undefined ? undefined : table[code]) ?? later(code === undefined ? 'network' : `closed_${code}`)
