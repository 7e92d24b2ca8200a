import cases from '../fixtures/cases/telegram.json' with { type: 'json' }

/** Who and what stands in this world where the recording has its own ids. */
export interface World {
  readonly ana: number
  readonly beto: number
  readonly bot: number
  /** The chat of the recording, if it was no private one. */
  readonly group: number
  /** Message ids of the first and the second card. */
  readonly cards: readonly [number, number]
  readonly payloads: readonly { readonly approve: string; readonly reject: string }[]
  /** The clock now, in seconds. */
  readonly nowS: number
}

/** The clock of the recordings. */
const recordedNowS = 1_795_986_600

/** The recorded updates of a case, with this world's ids, payloads and times in the place of the recorded ones. */
export function caseOf(id: string, world: World): readonly object[] {
  const found = cases.find((one) => one.id === id)
  if (found === undefined) throw new Error(`There is no case ${id}`)
  const input: object = found.input
  const updates = 'sequence' in input && Array.isArray(input.sequence) ? input.sequence : [input]
  return updates.map((update) => translated(update, world) as object)
}

function translated(value: unknown, world: World): unknown {
  if (Array.isArray(value)) return value.map((one) => translated(one, world))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        key,
        typeof one === 'number' && isDate(key) ? one - recordedNowS + world.nowS : translated(one, world),
      ]),
    )
  }
  return typeof value === 'number'
    ? (idsOf(world).get(value) ?? value)
    : typeof value === 'string'
      ? (payloadsOf(world).get(value) ?? value)
      : value
}

const isDate = (key: string): boolean => key === 'date' || key === 'edit_date'

const idsOf = ({ ana, beto, bot, group, cards: [first, second] }: World): ReadonlyMap<number, number> =>
  new Map([
    [500_100_201, ana],
    [500_100_202, beto],
    [7_700_000_001, bot],
    [-1_002_100_200_300, group],
    [9001, first],
    [9002, second],
  ])

const payloadsOf = ({ payloads: [first, second] }: World): ReadonlyMap<string, string> =>
  new Map([
    ...(first === undefined
      ? []
      : ([
          ['g:a:p_7Q2M', first.approve],
          ['g:r:p_7Q2M', first.reject],
        ] as const)),
    ...(second === undefined
      ? []
      : ([
          ['g:a:p_8R3N', second.approve],
          ['g:r:p_8R3N', second.reject],
        ] as const)),
  ])
