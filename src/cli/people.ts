import { type Command, InvalidArgumentError } from 'commander'
import { showText } from '../core/show-text.ts'
import type { Held, KnownPerson, PeopleChange, PeopleChanged, PeopleChangeRow } from '../ports/people.ts'
import type { Operations } from './operations.ts'
import { momentOf } from './proposal-lines.ts'
import { readText } from './read-arguments.ts'
import { tableOf } from './table.ts'
import { answer, type CommonOptions, Failure, newVerb, withJson } from './verb.ts'

/** `dale people`: who is who and who may what, beside what the configuration says. What is taken away counts for nothing at once. */
export function people(): Command {
  const verb = newVerb(
    'people',
    'See and change who is who and who may decide what, beside what the configuration says; it holds at once, in every process.',
    [
      ['dale people add eva --name "Eva Ruiz" --identity tg:42000007 --role supervisor --by ana', 'somebody new'],
      ['dale people role remove eva supervisor --by ana', 'she decides nothing for that role any more'],
      ['dale people unlink eva tg:42000007 --by ana', 'whoever writes from there is not her'],
    ],
  )
  for (const part of [list(), show(), add(), link('link'), link('unlink'), role(), forget()]) verb.addCommand(part)
  return verb
}

interface By extends CommonOptions {
  readonly by: string
}

const list = (): Command =>
  withJson(newVerb('list', 'List everybody with roles and identities.')).action(async (options: CommonOptions) => {
    const all = await operate((operations) => operations.people())
    answer(
      options,
      all,
      all.length === 0 ? ['Nobody.'] : tableOf([['ID', 'NAME', 'ROLES', 'IDENTITIES', 'FROM'], ...all.map(rowOf)]),
    )
  })

const show = (): Command =>
  withJson(newVerb('show', 'Show one person, and what was changed of them.'))
    .argument('<id>', 'as in the list', readText)
    .action(async (id: string, options: CommonOptions) => {
      const [all, changes] = await operate(
        async (operations) => [await operations.people(), await operations.peopleChanges(id)] as const,
      )
      const person = all.find((one) => one.id === id)
      if (person === undefined) throw new Failure(unknown(id))
      answer(options, { ...person, changes }, [...personLines(person), ...changeLines(changes)])
    })

interface AddOptions extends By {
  readonly name?: string
  readonly identity: readonly string[]
  readonly role: readonly string[]
}

const add = (): Command =>
  withBy(newVerb('add', 'Add somebody whom the configuration does not know.'))
    .argument('<id>', 'letters, digits, ., _ and -; the name that roles and decisions go by', readId)
    .option('--name <name>', 'what people call them', readText)
    .option('--identity <identity>', 'an account of theirs, like tg:42000001; may be repeated', collect(readIdentity), [])
    .option('--role <role>', 'what they may decide; may be repeated', collect(readText), [])
    .action(async (id: string, { name, identity, role: roles, ...options }: AddOptions) => {
      const named = name === undefined ? {} : { name }
      await change(options, { what: 'add', id, ...named, identities: identity, roles, by: options.by })
    })

const link = (what: 'link' | 'unlink'): Command =>
  withBy(
    newVerb(
      what,
      what === 'link'
        ? 'Say that an account is a person’s: whoever writes from it is them.'
        : 'Say that an account is no longer a person’s: what they approved from it and was not begun is not done.',
    ),
  )
    .argument('<id>', 'whose', readText)
    .argument('<identity>', 'the account, like tg:42000001', readIdentity)
    .action(async (id: string, identity: string, options: By) => await change(options, { what, id, identity, by: options.by }))

function role(): Command {
  const verb = newVerb('role', 'Give a role to a person, or take it away.')
  for (const [name, what, about] of [
    ['add', 'give', 'Give a role: from now on they decide what asks for it.'],
    [
      'remove',
      'take',
      'Take a role away: they decide nothing for it any more, and what they approved and was not begun is not done.',
    ],
  ] as const)
    verb.addCommand(
      withBy(newVerb(name, about))
        .argument('<id>', 'whose', readText)
        .argument('<role>', 'which', readText)
        .action(
          async (id: string, given: string, options: By) => await change(options, { what, id, role: given, by: options.by }),
        ),
    )
  return verb
}

const forget = (): Command =>
  withBy(
    newVerb(
      'forget',
      'Take every role and identity away, and erase what is kept of the person; decisions stay as they were made.',
    ),
  )
    .argument('<id>', 'whom', readText)
    .action(async (id: string, options: By) => await change(options, { what: 'forget', id, by: options.by }))

async function change(options: By, wanted: PeopleChange): Promise<void> {
  const [changed, all] = await operate(
    async (operations) => [await operations.changePeople(wanted), await operations.people()] as const,
  )
  if (changed.kind === 'refused') throw new Failure(refusalOf(changed, wanted))
  const { person } = changed
  const lost = wanted.what === 'take' ? [wanted.role] : []
  answer(options, person ?? { forgotten: wanted.id }, [
    ...(person === undefined ? [`${showText(wanted.id)} is nobody any more.`] : personLines(person)),
    ...lost.map((given) => {
      const holders = all.filter(({ roles }) => holds(roles, given)).map(({ id }) => id)
      return `${showText(given)} is now: ${holders.map(showText).join(', ') || 'nobody, so what asks for it is refused'}.`
    }),
  ])
}

function refusalOf(refused: Extract<PeopleChanged, { kind: 'refused' }>, wanted: PeopleChange): string {
  const what = 'role' in wanted ? wanted.role : 'identity' in wanted ? wanted.identity : ''
  switch (refused.because) {
    case 'exists':
      return `There is ${wanted.id} already; dale people link and role add change them.`
    case 'unknown':
      return unknown(wanted.id)
    case 'not_theirs':
      return `${wanted.id} does not have ${what}. Nothing was changed.`
    case 'theirs_already':
      return `${wanted.id} has ${what} already. Nothing was changed.`
    case 'taken':
      return `${refused.identity} is ${refused.person}: unlink it there first. Nothing was changed.`
  }
}

const unknown = (id: string): string => `There is nobody ${id}; dale people list shows everybody.`

const holds = (held: readonly Held[], value: string): boolean =>
  held.some((one) => one.value === value && one.taken === undefined)

const rowOf = ({ id, name = '', roles, identities, source }: KnownPerson): readonly string[] => [
  showText(id),
  showText(name),
  roles.map(heldText).join(', '),
  identities.map(heldText).join(', '),
  source,
]

const heldText = ({ value, taken }: Held): string => (taken === undefined ? showText(value) : `(${showText(value)}: taken)`)

function personLines({ id, name, source, roles, identities }: KnownPerson): readonly string[] {
  const rows = [
    ...roles.map((held) => ['role', ...heldCells(held)]),
    ...identities.map((held) => ['identity', ...heldCells(held)]),
  ]
  return [
    `${showText(id)}${name === undefined ? '' : ` (${showText(name)})`}, ${source}`,
    ...tableOf(rows).map((line) => `  ${line}`),
  ]
}

const heldCells = ({ value, source, taken }: Held): readonly string[] => [
  showText(value),
  taken === undefined ? source : `taken away by ${showText(taken.by)}, ${momentOf(taken.atMs)}; the configuration still names it`,
]

function changeLines(changes: readonly PeopleChangeRow[]): readonly string[] {
  if (changes.length === 0) return []
  const rows = changes.map(({ what, value, by, atMs }) => [momentOf(atMs), what, showText(value ?? ''), `by ${showText(by)}`])
  return ['', 'Changes', ...tableOf(rows).map((line) => `  ${line}`)]
}

const withBy = (command: Command): Command =>
  withJson(command).requiredOption('--by <name>', 'who changes it; kept with the change', readText)

const collect =
  (read: (text: string) => string) =>
  (text: string, before: readonly string[]): readonly string[] => [...before, read(text)]

/** An id is no identity: whoever writes from one must not be taken for a person of that name. */
function readId(text: string): string {
  if (!/^[\p{L}\d][\p{L}\d._-]{0,63}$/u.test(text))
    throw new InvalidArgumentError('It is letters, digits, ., _ and -, 64 at most.')
  return text
}

function readIdentity(text: string): string {
  if (!/^[a-z]+:\S{1,200}$/.test(text)) throw new InvalidArgumentError('It is a channel and the id there, like tg:42000001.')
  return text
}

async function operate<T>(work: (operations: Operations) => Promise<T>): Promise<T> {
  const { withOperations } = await import('./with-operations.ts')
  return await withOperations({}, work)
}
