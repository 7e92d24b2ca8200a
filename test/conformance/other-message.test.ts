import { beforeAll, expect, test } from 'vitest'
import { rowsShownBy } from '../support/conformance.ts'
import { workersEmbedded } from '../support/embedded.ts'
import { aPhonesHouse, type PhonesHouse } from '../support/house-phones.ts'

beforeAll(workersEmbedded, 60_000)

const discard = { limits: { onOtherMessage: 'discard' } } as const

/** What becomes of a card when its person does this while it waits. */
async function cardAfter(does: (test: PhonesHouse) => Promise<unknown>, settings: Parameters<typeof aPhonesHouse>[0] = {}) {
  await using test = await aPhonesHouse(settings)
  await test.phone('ana').says('registrá 3 cajas')
  await test.read()
  await does(test)
  await test.quiet()
  expect(test.ledger.calls).toEqual([])
  return (await test.proposals()).map(({ state }) => state.name)
}

const title = '$id: $given.text ends the card under discard, and leaves it otherwise'
const given = rowsShownBy<{ readonly text: string }, { readonly card: string }>(import.meta.filename, title)

test.each(given)(
  '$id: $given.text ends the card under discard, and leaves it otherwise',
  async ({ given: { text }, promised, here }) => {
    const says = ({ channel }: PhonesHouse) => channel.says('ana', 'ana', text)
    expect(await cardAfter(says, discard)).toEqual([promised.card])
    expect(await cardAfter(says)).toEqual([here?.card])
  },
)

test('as-086: a picture without words ends the card under discard, and leaves it otherwise', async () => {
  const sends = ({ channel }: PhonesHouse) => channel.sends('ana', 'ana', 'media')
  expect(await cardAfter(sends, discard)).toEqual(['discarded'])
  expect(await cardAfter(sends)).toEqual(['pending'])
})
