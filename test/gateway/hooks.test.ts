import { describe, expect, it } from 'vitest'
import type { HookEvent } from '../../src/ports/hooks.ts'
import { aPhonesHouse } from '../support/house-phones.ts'

const told = () => {
  const events: HookEvent[] = []
  return { events, hook: (event: HookEvent) => void events.push(event) }
}

describe('hooks in the configuration', () => {
  it('hear that somebody is asked, and what became of it', async () => {
    const proposed = told()
    const settled = told()
    await using test = await aPhonesHouse({ hooks: { onProposed: proposed.hook, onSettled: settled.hook } })
    const ana = test.phone('ana')
    await ana.says('registrá 3 cajas')
    const [proposal] = await test.proposals()
    const about = {
      proposalId: proposal?.id,
      code: proposal?.code,
      action: 'registrar',
      args: { cajas: 3 },
      origin: 'human',
      tenant: 'default',
      conversation: proposal?.conversation,
      requester: proposal?.requester,
    }
    expect(proposed.events).toEqual([
      {
        id: `${proposal?.id}.proposed`,
        event: 'proposed',
        atMs: expect.any(Number),
        proposal: { ...about, state: 'draft', executed: false },
      },
    ])
    expect(settled.events).toEqual([])
    await ana.says('dale')
    expect(settled.events).toEqual([
      {
        id: `${proposal?.id}.settled`,
        event: 'settled',
        atMs: expect.any(Number),
        proposal: expect.objectContaining({ ...about, state: 'succeeded', executed: true }),
      },
    ])
    expect(proposed.events).toHaveLength(1)
  })

  it('hear of an end that nobody decided, with its reason', async () => {
    const { events, hook } = told()
    await using test = await aPhonesHouse({ hooks: { onSettled: hook } })
    await test.phone('ana').says('registrá 3 cajas')
    await test.later(31 * 60_000)
    await test.quiet()
    expect(events.map(({ proposal }) => [proposal.state, proposal.reason])).toEqual([['expired', 'undecided']])
  })

  it('are told again, under the same id, when they throw, and hold nothing up', async () => {
    const { events, hook } = told()
    let attempts = 0
    await using test = await aPhonesHouse({
      hooks: {
        onProposed: (event, { attempt }) => {
          attempts = attempt
          hook(event)
          if (attempt < 3) throw new Error('the far side is down')
        },
        onSettled: hook,
      },
    })
    const ana = test.phone('ana')
    await ana.says('registrá 3 cajas')
    await ana.says('dale')
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['succeeded'])
    for (let looks = 0; looks < 4; looks += 1) {
      await test.later(10_000)
      await test.quiet()
    }
    const [first = ''] = events.map(({ id }) => id)
    expect(events.map(({ id }) => id)).toEqual([first, first, first, first.replace('proposed', 'settled')])
    expect(attempts).toBe(3)
    expect(test.counted.filter(({ what }) => what === 'hook_failed')).toHaveLength(2)
  })

  it('are told again when a process died while they ran', async () => {
    const { events, hook } = told()
    await using test = await aPhonesHouse({ hooks: { onSettled: hook } })
    const ana = test.phone('ana')
    await ana.says('registrá 3 cajas')
    await ana.says('no')
    expect(events).toHaveLength(1)
    // As it stands after a process took it and was killed: taken, not ended, its time over.
    await test.stage.run('update dale.hook_call set done_at = null, taken_until = dale.now_ms()')
    await test.quiet()
    expect(events.map(({ id }) => id)).toEqual([events[0]?.id, events[0]?.id])
  })

  it('leave no row where there are none', async () => {
    await using test = await aPhonesHouse()
    const ana = test.phone('ana')
    await ana.says('registrá 3 cajas')
    await ana.says('dale')
    expect(await test.stage.run('select * from dale.hook_call')).toEqual([])
  })
})
