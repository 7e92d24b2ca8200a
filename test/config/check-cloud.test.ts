import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction } from '../../src/actions/define-action.ts'
import { checkConfig } from '../../src/config/check-config.ts'
import type { AccountInput } from '../../src/config/config.ts'
import { ConfigError } from '../../src/core/errors.ts'

const action = defineAction({
  name: 'anotar',
  version: '1',
  description: 'Anota.',
  input: z.object({}),
  reversibility: 'reversible',
  preview: () => ({ summary: 'Anotar', fields: [] }),
  execute: async () => {},
})

const account: AccountInput = { channel: 'whatsapp-cloud' }
const variables = {
  WHATSAPP_ACCESS_TOKEN: 'EAAx',
  WHATSAPP_APP_SECRET: 'new, old',
  WHATSAPP_PHONE_NUMBER_ID: '100000000000001',
  WHATSAPP_VERIFY_TOKEN: 'a-word',
}

const problemsOf = (
  about: Readonly<Record<string, string>>,
  accounts: Readonly<Record<string, AccountInput>> = { tienda: account },
): readonly string[] => {
  try {
    checkConfig(
      { accounts, agent: { async *run() {} }, actions: [action] },
      { DALE_SECRET_KEY: 'ab'.repeat(32), ...about },
      '/nowhere',
    )
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ path, message }) => `${path}: ${message}`)
    throw error
  }
}

describe('a number of the WhatsApp Business Platform', () => {
  it('needs its four variables, and no public address', () => {
    expect(problemsOf(variables)).toEqual([])
    expect(problemsOf({}).map((problem) => problem.replace(/ is not set.*/, ''))).toEqual([
      'accounts.tienda.tokenEnv: WHATSAPP_ACCESS_TOKEN',
      'accounts.tienda.secretEnv: WHATSAPP_APP_SECRET',
      'accounts.tienda.verifyTokenEnv: WHATSAPP_VERIFY_TOKEN',
      'accounts.tienda.phoneNumberIdEnv: WHATSAPP_PHONE_NUMBER_ID',
    ])
  })

  it('tells what it lacks of the environment together with what is wrong in its fields', () => {
    const wrong = {
      channel: 'whatsapp-cloud',
      apiRoot: 'ftp://here',
      template: 'hi',
      phoneNumberId: '1',
    } as unknown as AccountInput
    expect(problemsOf({}, { tienda: wrong }).map((problem) => problem.replace(/ is not set.*/, ''))).toEqual([
      "accounts.tienda.template: is the template's name and language, like { name: 'dale_card', language: 'es_AR' }",
      'accounts.tienda.apiRoot: is an address like https://graph.facebook.com/v26.0',
      'accounts.tienda.phoneNumberId: is not written here: phoneNumberIdEnv names the variable of the environment that holds it',
      'accounts.tienda.tokenEnv: WHATSAPP_ACCESS_TOKEN',
      'accounts.tienda.secretEnv: WHATSAPP_APP_SECRET',
      'accounts.tienda.verifyTokenEnv: WHATSAPP_VERIFY_TOKEN',
      'accounts.tienda.phoneNumberIdEnv: WHATSAPP_PHONE_NUMBER_ID',
    ])
  })

  it.each(['good,', ',good', 'a, ,b'])(
    'takes no empty app secret beside a good one, which would be no secret at all: %j',
    (secret) => {
      expect(problemsOf({ ...variables, WHATSAPP_APP_SECRET: secret })).toEqual([
        'accounts.tienda.secretEnv: WHATSAPP_APP_SECRET holds an empty secret between its commas',
      ])
    },
  )

  it('is named by the id that Meta gives it, and by one account', () => {
    expect(problemsOf({ ...variables, WHATSAPP_PHONE_NUMBER_ID: '+54 9 11 5555' })).toEqual([
      'accounts.tienda.phoneNumberIdEnv: WHATSAPP_PHONE_NUMBER_ID is the id that Meta shows under WhatsApp, API Setup, all digits; not the telephone number',
    ])
    expect(problemsOf(variables, { tienda: account, otra: account })).toEqual([
      'accounts.otra.phoneNumberIdEnv: is the same number as accounts.tienda: every message would be taken in twice',
    ])
    expect(
      problemsOf(
        { ...variables, OTHER_ID: '100000000000002' },
        { tienda: account, otra: { channel: 'whatsapp-cloud', phoneNumberIdEnv: 'OTHER_ID' } },
      ),
    ).toEqual([])
  })
})
