import { describe, expect, it } from 'vitest'
import { isSamePerson } from '../../src/core/authority.ts'
import { chatNameOf, schemeOf } from '../../src/core/identity.ts'

describe('an identity', () => {
  it.each([
    ['wa:5491155550101', 'phone'],
    ['wa:184467000012345@lid', 'lid'],
    ['wa:AR.1350002222ABCDEF', 'bsuid'],
    ['wa:AR.ENT.11815799212886844830', 'other'],
    ['wa:120363000000000001@g.us', 'other'],
    ['wa:5491155550101@s.whatsapp.net', 'other'],
    ['wa:', 'other'],
    ['wa:+5491155550101', 'other'],
    ['wa:ar.1350002222', 'other'],
    ['tg:42000001', 'other'],
    ['sim:5491155550101', 'other'],
  ] as const)('%s is a %s', (identity, scheme) => {
    expect(schemeOf(identity)).toBe(scheme)
  })

  it('names a one-to-one chat without its channel', () => {
    expect(chatNameOf('wa:184467000012345@lid')).toBe('184467000012345@lid')
    expect(chatNameOf('tg:42000001')).toBe('42000001')
  })
})

describe('the same person', () => {
  const ana = { id: 'wa:1@lid', formerly: ['wa:549', 'ana'] }

  it('is meant by each of their names and by no other', () => {
    expect(['wa:1@lid', 'wa:549', 'ana', 'wa:5', '', undefined].map((name) => isSamePerson(ana, name))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ])
  })
})
