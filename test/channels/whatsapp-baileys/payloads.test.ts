import { describe, expect, it } from 'vitest'
import { normalizeBaileys } from '../../../src/channels/whatsapp-baileys/normalize.ts'
import expected from '../../fixtures/whatsapp-baileys/expected.json' with { type: 'json' }
import { contextOf, recorded } from './recorded.ts'

describe('every recorded event', () => {
  it('has an expectation', () => {
    expect([...recorded.keys()].toSorted()).toEqual(Object.keys(expected).toSorted())
  })

  it.each(Object.entries(expected))('%s reads as expected', (name, events) => {
    const event = recorded.get(name)
    expect(normalizeBaileys(event, contextOf(event))).toEqual(events)
  })
})
