/** One option of a poll that stood on a card: what voting for it presses. */
export interface PollOption {
  readonly name: string
  readonly payload: string
  readonly style: 'success' | 'danger'
}

/** A poll as it was kept before it was sent. `secret` is its `messageContextInfo.messageSecret`, 32 bytes. */
export interface Poll {
  readonly secret: Uint8Array
  readonly options: readonly PollOption[]
}

/**
 * What reading an event needs beyond the event: who the account is, and what was looked up before (`needs.ts` says what to look up).
 * JIDs may carry a device.
 */
export interface BaileysContext {
  readonly account: string
  /** The account's own JIDs, as the session has them (`creds.me.id`, `creds.me.lid`). */
  readonly me: { readonly phone?: string | undefined; readonly lid?: string | undefined }
  /** Baileys' mapping store, from WhatsApp alone: the LID of a phone JID, the phone JID of a LID. */
  readonly lidOf: (phoneJid: string) => string | undefined
  readonly pnOf: (lidJid: string) => string | undefined
  /** Polls that Dale sent, by the id of their message. */
  readonly polls: ReadonlyMap<string, Poll>
  /** Did Dale send this message? */
  readonly isOurs: (messageId: string) => boolean
  /** The `messageSecret` of a person's message, to read an edit of it; an edit without is an edit whose text nobody knows. */
  readonly secretOf?: ((messageId: string) => Uint8Array | undefined) | undefined
  /** When a message that could not be decrypted was written: its text may come later in an update without a time. */
  readonly stubAtMsOf?: ((messageId: string) => number | undefined) | undefined
  /** Was the account's own phone asked for this message? Its answer is not the person's: nothing says who wrote it but the phone. */
  readonly wasRequested?: ((messageId: string) => boolean) | undefined
  /** Stands in where WhatsApp tells no time, which it always does for what can decide. */
  readonly nowMs: number
}
