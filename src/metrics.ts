import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { House } from './gateway/house.ts'

/** Everything that one process measures, under `dale_*`: seconds and bytes, and in labels only names from configuration and code. */
export interface Metrics {
  readonly count: House['count']
  readonly tookToDecide: House['tookToDecide']
  /** A part of the surroundings is usable, or not. */
  up(part: string, isUp: boolean): void
  /** A provider's request was answered. */
  answered(account: string, result: 'taken' | 'refused' | 'failed', seconds: number): void
  /** The whole in Prometheus' text format. */
  text(): Promise<string>
  readonly contentType: string
}

/** What the counters mean. A count that is not here is measured all the same. */
const meanings: Readonly<Record<string, string>> = {
  received: 'Deliveries of providers that were taken in, each with one event or more.',
  ignored: 'Events that are not for Dale, by reason.',
  road: 'Which road each event took.',
  moved: 'Moves of proposals from state to state.',
  delivered: 'Ends of sendings to providers.',
  reported: 'Reports of providers on messages, by status.',
  failed_later: 'Messages that a provider took and then failed to deliver.',
  parked: 'Messages that wait until their person writes.',
  proposal_refused: 'Proposals of the agent that were refused, by reason.',
  agent_failed: 'Turns that the agent could not answer.',
  press_unanswered: 'Taps whose spinner could not be ended.',
  phone_changed_hands: 'Numbers that went from one person to another, by the word of the provider.',
  readdressed: 'Ids that were given up: decisions of their person rest until another id is proved.',
  tampered: 'Proposals whose stored arguments are not what was shown.',
  escalated: 'Cards that nobody decided in time, so that another role was asked too.',
  nobody_chosen: 'Functions that are to choose who decides, and chose nobody: never expected.',
  in_doubt_for_a_person: 'Calls whose end nobody knows and that the machine cannot go after: a person has to settle them.',
  broken: 'Units of work that stopped at a broken invariant.',
}

/** A word of the code or a name of the configuration; never a text, never a number that could be a person's. */
const isName = (value: string): boolean => /^[A-Za-z][\w.:-]{0,63}$/.test(value) && !/\d{5}/.test(value)

const nameFor = (label: string): string => (isName(label) ? label : 'other')

/** Starts to measure; each call has a registry of its own. */
export function openMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'dale_' })
  // Its labels are numbers, and the log's first line has them.
  registry.removeSingleMetric('dale_nodejs_version_info')
  const registers = [registry]
  const ups = new Gauge({ name: 'dale_up', help: 'Whether a part can be used: 1 or 0.', labelNames: ['part'], registers })
  const webhooks = new Histogram({
    name: 'dale_webhook_seconds',
    help: 'How long providers wait for the answer to a webhook request.',
    labelNames: ['account', 'result'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const decisions = new Histogram({
    name: 'dale_decision_seconds',
    help: 'How long people took, from the first accepted showing of a card to their decision.',
    labelNames: ['action', 'via'],
    // 4 s is where dale report says that a card is not read.
    buckets: [1, 2, 4, 8, 15, 30, 60, 120, 300, 600, 1800, 3600],
    registers,
  })
  const counters = new Map<string, { readonly counter: Counter; readonly names: readonly string[] }>()
  const counterFor = (what: string, names: readonly string[]) => {
    const found = counters.get(what)
    if (found !== undefined) return found
    const help = meanings[what] ?? `How often this happened: ${what}.`
    const made = { counter: new Counter({ name: `dale_${what}_total`, help, labelNames: [...names], registers }), names }
    counters.set(what, made)
    return made
  }
  return {
    count(what, labels = {}) {
      const { counter, names } = counterFor(what, Object.keys(labels))
      // A label that came up later is left out: the registry would throw, and counting must not stop what is counted.
      counter.inc(Object.fromEntries(names.map((label) => [label, nameFor(labels[label] ?? 'none')])))
    },
    tookToDecide: (action, via, seconds) => decisions.observe({ action: nameFor(action), via: nameFor(via) }, seconds),
    up: (part, isUp) => ups.set({ part: nameFor(part) }, isUp ? 1 : 0),
    answered: (account, result, seconds) => webhooks.observe({ account: nameFor(account), result }, seconds),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
