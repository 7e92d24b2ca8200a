/** One phone on the page: a person in front of a chat of a simulated account. */
export interface Phone {
  /** What the account is called in this chat. */
  readonly title: string
  /** The account's name; the first channel's where there is but one. */
  readonly account?: string
  readonly chat: string
  readonly topic?: string
  readonly person: string
  /** Whose phone it is, where several are of one role. */
  readonly name?: string
  readonly role: 'customer' | 'operator'
  readonly locale: string
}
