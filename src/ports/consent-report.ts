/** How people answered the cards of one action. Times are seconds from the first accepted showing to the decision that settled it. */
export interface ActionConsent {
  readonly action: string
  /** Proposals that were made in the time and asked somebody: none that a grant stood for. */
  readonly requested: number
  /** Those that somebody's yes settled, and those that somebody said no to, before or after a yes. */
  readonly approved: number
  readonly rejected: number
  readonly edited: number
  readonly expired: number
  readonly superseded: number
  readonly changed: number
  /** Those whose card was shown again for a bare word, and how often that was in all. */
  readonly shownAgain: number
  readonly showingsAgain: number
  readonly medianSeconds?: number
  readonly p90Seconds?: number
  /** How it was settled: `press`, `phrase`, `reply`, `code` …, and how often. */
  readonly via: Readonly<Record<string, number>>
}

/** How people answer. Part of the store. */
export interface ConsentReportStore {
  /** Each action with a proposal since then, by name. */
  consentSince(sinceMs: number): Promise<readonly ActionConsent[]>
}
