/** One thing that is wrong in the configuration, where it is, and what to do about it. */
export interface Problem {
  readonly path: string
  readonly message: string
}

/** The configuration or the surroundings are wrong: fix them, the process does not start. Lists every problem at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly Problem[]
  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    super(problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('\n'), options)
    this.problems = problems
  }
}

/** A provider did not do what it was asked. `mayHaveHappened`: the request left, no answer came, so it may have been done. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError'
  readonly channel: string
  /** The provider's machine word for it (`rate_limited`, `blocked`, `chat_not_found`, `network`, …). */
  readonly code: string
  readonly permanent: boolean
  readonly retryAfterMs?: number
  readonly mayHaveHappened: boolean
  constructor(
    message: string,
    is: {
      readonly channel: string
      readonly code: string
      readonly permanent: boolean
      readonly retryAfterMs?: number
      readonly mayHaveHappened?: boolean
    },
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.channel = is.channel
    this.code = is.code
    this.permanent = is.permanent
    this.mayHaveHappened = is.mayHaveHappened ?? false
    if (is.retryAfterMs !== undefined) this.retryAfterMs = is.retryAfterMs
  }
}

/** An action did not succeed. `mayHaveHappened: false` is a proof that nothing took effect; without that proof say true. */
export class ActionError extends Error {
  override readonly name = 'ActionError'
  readonly action: string
  readonly permanent: boolean
  readonly mayHaveHappened: boolean
  constructor(
    message: string,
    is: { readonly action: string; readonly permanent: boolean; readonly mayHaveHappened: boolean },
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.action = is.action
    this.permanent = is.permanent
    this.mayHaveHappened = is.mayHaveHappened
  }
}

/** A bug: what the code relies on does not hold. This unit of work stops and is logged loudly; the process goes on. */
export class BrokenInvariantError extends Error {
  override readonly name = 'BrokenInvariantError'
}

/** The store cannot be asked now: nothing was written, or nobody knows. Try again, and read before answering anyone. */
export class StoreAwayError extends Error {
  override readonly name = 'StoreAwayError'
}
