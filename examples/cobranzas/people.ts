import type { PersonConfig } from 'dale-gateway'

/**
 * Who may ask and who may say yes. The identities are the simulator's; on WhatsApp or Telegram they are `wa:…` and `tg:…`, and `dale
 * people` links them while everything runs.
 */
export const people: readonly PersonConfig[] = [
  { id: 'ana', name: 'Ana Gómez', roles: ['cliente'], identities: ['sim:ana'] },
  { id: 'bruno', name: 'Bruno Sosa', roles: ['cliente'], identities: ['sim:bruno'] },
  { id: 'diego', name: 'Diego Luna', roles: ['cobrador'], identities: ['sim:diego'] },
  { id: 'beto', name: 'Beto Ruiz', roles: ['supervisor'], identities: ['sim:beto'] },
  { id: 'clara', name: 'Clara Paz', roles: ['supervisor'], identities: ['sim:clara'] },
]

const accounts: Readonly<Record<string, string>> = { ana: '42', bruno: '7' }

/** Which customer a person is; undefined for everybody else. */
export const customerOf = (person: string | undefined): string | undefined =>
  person !== undefined && Object.hasOwn(accounts, person) ? accounts[person] : undefined
