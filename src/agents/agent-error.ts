/** The agent did not answer as an agent should. The person is told politely that it cannot answer now; the message is for the log. */
export class AgentError extends Error {
  override readonly name = 'AgentError'
  /** The same turn may be sent again: it never arrived, or the agent was busy or down. */
  readonly again: boolean
  readonly retryAfterMs?: number
  constructor(
    message: string,
    is: { readonly again: boolean; readonly retryAfterMs?: number | undefined },
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.again = is.again
    if (is.retryAfterMs !== undefined) this.retryAfterMs = is.retryAfterMs
  }
}
