import type { PersonConfig } from 'dale-gateway'

/** Who may ask and who may say yes. The identities are the simulator's; on WhatsApp and Telegram they are `wa:…` and `tg:…`. */
export const people: readonly PersonConfig[] = [
  { id: 'mariana', name: 'Mariana Alves', roles: ['cliente'], identities: ['sim:mariana'] },
  { id: 'joao', name: 'João Lima', roles: ['cliente'], identities: ['sim:joao'] },
  { id: 'rafa', name: 'Rafa Nunes', roles: ['atendente'], identities: ['sim:rafa'] },
  { id: 'bia', name: 'Bia Rocha', roles: ['gerente'], identities: ['sim:bia'] },
  { id: 'caio', name: 'Caio Melo', roles: ['gerente'], identities: ['sim:caio'] },
]

/** Does this person work here? Everybody else asks for their own orders only. */
export const worksHere = (person: string | undefined): boolean =>
  people.some(({ id, roles }) => id === person && !roles.includes('cliente'))
