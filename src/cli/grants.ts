import type { Command } from 'commander'
import { conversationKeyOf } from '../core/conversation.ts'
import type { Grant } from '../core/grant.ts'
import { showText } from '../core/show-text.ts'
import type { GrantUse } from '../ports/grants.ts'
import type { Operations } from './operations.ts'
import { momentOf } from './proposal-lines.ts'
import { readText } from './read-arguments.ts'
import { tableOf } from './table.ts'
import { answer, type CommonOptions, Failure, newVerb, withJson } from './verb.ts'

/** `dale grants`: what people said “always” to, how much of it is used, and the end of it. */
export function grants(): Command {
  const verb = newVerb('grants', 'See what people said “always” to, and end it; it holds at once, in every process.', [
    ['dale grants list', 'those that hold now'],
    ['dale grants list --all', 'those that ended too'],
    ['dale grants revoke K7Q2 --by ana', 'the next one is asked for again; what is approved and has not begun is not done'],
  ])
  for (const part of [list(), show(), revoke()]) verb.addCommand(part)
  return verb
}

const list = (): Command =>
  withJson(newVerb('list', 'List grants, the newest first.'))
    .option('--all', 'those that ended or are used up too')
    .action(async ({ all = false, ...options }: CommonOptions & { readonly all?: boolean }) => {
      const found = await operate((operations) => operations.grants({ holding: !all, limit: 200 }))
      answer(
        options,
        found,
        found.length === 0
          ? ['None.']
          : tableOf([['CODE', 'PERSON', 'ACTION', 'CONVERSATION', 'USED', 'UNTIL', 'ENDED'], ...found.map(rowOf)]),
      )
    })

const show = (): Command =>
  withJson(newVerb('show', 'Show one grant, the yes behind it, and what was done under it.'))
    .argument('<id>', 'its code or id', readText)
    .action(async (named: string, options: CommonOptions) => {
      const [grant, uses] = await operate(async (operations) => {
        const found = await one(operations, named)
        return [found, await operations.grantUses(found.id)] as const
      })
      answer(options, { ...grant, usedBy: uses }, linesOf(grant, uses))
    })

const revoke = (): Command =>
  withJson(newVerb('revoke', 'End a grant: the next one is asked for again.'))
    .argument('<id>', 'its code or id', readText)
    .requiredOption('--by <name>', 'who ends it; kept with the grant', readText)
    .action(async (named: string, { by, ...options }: CommonOptions & { readonly by: string }) => {
      const { id, code, revoked } = await operate(async (operations) => {
        const found = await one(operations, named)
        return { ...found, revoked: await operations.revokeGrant(found.id, `operator:${by}`) }
      })
      if (!revoked) throw new Failure(`#${code} had ended already. Nothing was changed.`)
      answer(options, { id, code, revoked }, [`#${code} has ended: the next one is asked for again.`])
    })

/** By its id, or the newest with that code. */
async function one(operations: Operations, named: string): Promise<Grant> {
  const code = named.replace(/^#/, '').toUpperCase()
  const all = await operations.grants({ holding: false, limit: 10_000 })
  const found = all.find((grant) => grant.id === named || grant.code === code)
  if (found === undefined) throw new Failure(`There is no grant ${named}; dale grants list --all shows them.`)
  return found
}

const endOf = ({ ended }: Grant): string => (ended === undefined ? '' : `${momentOf(ended.atMs)} by ${showText(ended.by)}`)

const rowOf = (grant: Grant): readonly string[] => [
  `#${grant.code}`,
  showText(grant.person),
  grant.action,
  showText(conversationKeyOf(grant.conversation)),
  `${grant.uses} of ${grant.times}`,
  momentOf(grant.endsAtMs),
  endOf(grant),
]

const linesOf = (grant: Grant, uses: readonly GrantUse[]): readonly string[] => [
  `#${grant.code}, ${grant.action} of version ${showText(grant.actionVersion)}, for ${showText(grant.person)} in ${showText(conversationKeyOf(grant.conversation))}`,
  ...tableOf([
    ['since', momentOf(grant.bornAtMs)],
    ['until', momentOf(grant.endsAtMs)],
    ['used', `${grant.uses} of ${grant.times}`],
    ['said', `${grant.decision.via} ${momentOf(grant.decision.atMs)} ${showText(grant.decision.phrase ?? '')}`.trim()],
    ...(grant.ended === undefined ? [] : [['ended', endOf(grant)]]),
  ]).map((line) => `  ${line}`),
  ...(uses.length === 0 ? [] : ['', 'Done under it']),
  ...tableOf(uses.map(({ code, state, atMs }) => [`#${code}`, state, momentOf(atMs)])).map((line) => `  ${line}`),
]

async function operate<T>(work: (operations: Operations) => Promise<T>): Promise<T> {
  const { withOperations } = await import('./with-operations.ts')
  return await withOperations({}, work)
}
