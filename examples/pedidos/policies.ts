import { changed, farFromUsual, over, type Policy } from 'dale-gateway'

const minute = 60_000
const day = 24 * 60 * minute
const amountIn = (args: unknown): number => Number((args as { readonly valor: string }).valor)

/** The shop's rules, in the order in which they are judged. A denial stands over all of them, wherever it is. */
export const policies: readonly Policy[] = [
  {
    action: '*',
    when: (_args, { roles }) => roles.length === 0,
    then: 'deny',
    reason: { code: 'UNKNOWN_PERSON', message: 'Não achei o seu cadastro: escreva do telefone com que você comprou.' },
  },
  {
    action: 'reembolsar',
    when: (args) => amountIn(args) > 2_000,
    then: 'deny',
    reason: { code: 'HIGH_COST', message: 'Acima de R$ 2.000 o reembolso é feito pelo financeiro.' },
  },
  {
    action: 'reembolsar',
    when: (args) => amountIn(args) >= 1_000,
    then: 'confirm',
    approvers: { kind: 'role', role: 'gerente', second: true },
    reason: { code: 'DESTRUCTIVE_OPERATION', message: 'De R$ 1.000 em diante, dois gerentes aprovam.' },
  },
  {
    // A customer pays nothing back to themselves: whoever has the lowest limit that covers the sum of their day is asked, and after ten
    // minutes a manager too.
    action: 'reembolsar',
    when: over({ field: 'valor', perRole: { atendente: '500', gerente: '5000' }, withinMs: day }),
    then: 'confirm',
    approvers: { kind: 'limit', above: 'gerente' },
    escalate: { afterMs: 10 * minute, to: 'gerente' },
    reason: { code: 'OVER_LIMIT', message: 'Passa do que se reembolsa por dia sem aprovação.' },
  },
  {
    action: 'reembolsar',
    when: farFromUsual({ field: 'valor', least: 2 }),
    then: 'confirm',
    reason: { code: 'UNUSUAL_VALUE' },
  },
  {
    action: 'trocar_endereco',
    when: changed({ field: 'endereco', of: 'pedido' }),
    then: 'confirm',
    reason: { code: 'UNUSUAL_VALUE', message: 'O endereço deste pedido já foi trocado uma vez.' },
  },
  {
    action: 'reenviar_pedido',
    roles: ['cliente'],
    then: 'confirm',
    approvers: { kind: 'role', role: 'atendente', second: false },
    escalate: { afterMs: 10 * minute, to: 'gerente' },
    reason: { code: 'HIGH_COST', message: 'O reenvio sai por conta da loja.' },
  },
]
