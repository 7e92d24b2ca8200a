import { type Command, InvalidArgumentError } from 'commander'
import { ended, isSettled, open, type Proposal, type StateName } from '../core/proposal.ts'
import type { Attested } from '../gateway/attest.ts'
import type { Operations } from './operations.ts'
import { dossierLines, listed, listLines, momentOf } from './proposal-lines.ts'
import { readLimit, readText } from './read-arguments.ts'
import { answer, type CommonOptions, type ConfiguredOptions, Failure, newVerb, withConfig, withJson } from './verb.ts'

const states: readonly StateName[] = [...open, ...ended]

/** `dale proposals`: look at what waits and at what became of it, and settle what nobody knows. Deciding is for people, in the chat. */
export function proposals(): Command {
  const verb = newVerb(
    'proposals',
    'Show what waits and what became of it; settle what nobody knows. No shell decides: people do, in the chat.',
    [
      ['dale proposals list', 'what is open now'],
      ['dale proposals list --state in_doubt', 'what somebody has to find out'],
      ['dale proposals show K7Q2', 'one card with everything that happened to it'],
      ['dale proposals settle K7Q2 succeeded --by ana --evidence "receipt 5512 in the bank"', 'tells the chat that it was done'],
    ],
  )
  verb.addCommand(list())
  verb.addCommand(show())
  verb.addCommand(settle())
  return verb
}

interface ListOptions extends CommonOptions {
  readonly state?: readonly StateName[]
  readonly limit: number
}

const list = (): Command =>
  withJson(newVerb('list', 'List proposals, the newest first; without --state those that are open.'))
    .option('--state <states>', `one or several, with commas: ${states.join(', ')}, or all`, readStates)
    .option('--limit <number>', 'at most this many', readLimit, 50)
    .action(async (options: ListOptions) => {
      const wanted = options.state ?? open
      const found = await operate(options, (operations) => operations.list({ states: wanted, limit: options.limit }))
      answer(options, found.map(listed), listLines(found, Date.now()))
    })

const show = (): Command =>
  withJson(newVerb('show', 'Show one proposal: the card in words, who decided and how, and its history.'))
    .argument('<id or code>', 'as in the list; a code with or without #')
    .action(async (which: string, options: CommonOptions) => {
      const dossier = await operate(options, async (operations) => await operations.show((await theOne(operations, which)).id))
      if (dossier === undefined) throw new Failure(`There is no proposal ${which}.`)
      answer(options, dossier, dossierLines(dossier))
    })

interface SettleOptions extends ConfiguredOptions {
  readonly by: string
  readonly evidence: string
}

const settle = (): Command =>
  withConfig(
    newVerb(
      'settle',
      'Say what became of a call whose end nobody knows (in_doubt). The chat is told, and your evidence is kept.',
    ),
  )
    .argument('<id or code>', 'as in the list')
    .argument('<end>', 'succeeded or failed', readEnd)
    .requiredOption('--by <name>', 'who found it out', readText)
    .requiredOption('--evidence <text>', 'where that can be seen: a number in the other system, who was asked', readText)
    .action(async (which: string, end: 'succeeded' | 'failed', options: SettleOptions) => {
      const { by, evidence } = options
      const [id, attested] = await operate(options, async (operations) => {
        const { id: found } = await theOne(operations, which, ({ state }) => state.name === 'in_doubt')
        return [found, await operations.settle(found, { end, by, evidence })] as const
      })
      const settled = settledOrFail(which, attested)
      answer(options, { id, code: settled.code, state: settled.state.name }, [
        `#${settled.code} ${settled.state.name}; the chat is told.`,
      ])
    })

/** The proposal that was settled, or why it could not be. */
function settledOrFail(which: string, attested: Attested): Proposal {
  switch (attested.kind) {
    case 'settled':
      return attested.proposal
    case 'unknown':
      throw new Failure(`There is no proposal ${which}.`)
    case 'not_in_doubt':
      throw new Failure(`Only what is in doubt can be settled; ${which} is ${attested.state}.`)
    case 'quarantined': {
      const seconds = Math.ceil((attested.untilMs - attested.nowMs) / 1000)
      throw new Failure(
        `The call may still arrive: that it did not happen can be said from ${momentOf(attested.untilMs)} on (in ${seconds} s). That it did happen can be said now.`,
      )
    }
  }
}

/** The one proposal that an id or a code stands for; of several with one code the only open one, or the only one that fits. */
async function theOne(operations: Operations, which: string, fits?: (proposal: Proposal) => boolean): Promise<Proposal> {
  const found = await operations.find(which)
  const narrowed = [
    found,
    ...(fits === undefined ? [] : [found.filter(fits)]),
    found.filter(({ state }) => !isSettled(state)),
  ].find(({ length }) => length === 1)
  const [one] = narrowed ?? []
  if (one !== undefined) return one
  if (found.length === 0) throw new Failure(`There is no proposal ${which}. dale proposals list --state all shows what there is.`)
  throw new Failure(`Several cards carry ${which}; name one by its id:\n${listLines(found, Date.now()).join('\n')}`)
}

async function operate<T>(options: ConfiguredOptions, work: (operations: Operations) => Promise<T>): Promise<T> {
  const { withOperations } = await import('./with-operations.ts')
  return await withOperations(options, work)
}

function readStates(text: string): readonly StateName[] {
  if (text === 'all') return states
  const named = text.split(',').map((state) => state.trim())
  const unknown = named.filter((state) => !(states as readonly string[]).includes(state))
  if (unknown.length > 0) throw new InvalidArgumentError(`There is no state ${unknown.join(', ')}.`)
  return named as readonly StateName[]
}

function readEnd(text: string): 'succeeded' | 'failed' {
  if (text === 'succeeded' || text === 'failed') return text
  throw new InvalidArgumentError('It is succeeded or failed.')
}
