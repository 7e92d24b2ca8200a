import { type Action, type Field, httpAction, type PreviewContext, type Previewed } from 'dale-gateway'
import { z } from 'zod'
import { numberIn, type Order, orderAt } from './client.ts'
import { type Entry, faultOf, refundable } from './ledger.ts'
import { worksHere } from './people.ts'
import { centsOf, reaisOf } from './values.ts'

const pedido = z.string().regex(/^\d{1,9}$/, 'é o número de um pedido')
const valor = z.string().regex(/^(?!0+(\.0+)?$)\d{1,9}(\.\d{1,2})?$/, 'é um valor em reais, mais que zero, como 89.90')
const motivo = z.string().min(1, 'diga por quê').max(200)
const endereco = z.string().min(8, 'é curto demais para um endereço').max(200)

/** From here on money that went out is not simply asked back: such a refund counts as irreversible. */
const largeRefund = centsOf('1000')

/** What the shop can do, each a call to its service that carries the proposal's key and can be looked up by it. */
export function actionsAt(service: string): readonly Action[] {
  const { hostname } = new URL(service)
  const shared = {
    version: '1',
    method: 'POST',
    keyHeader: 'Idempotency-Key',
    lookUp: { url: `${service}/movimentos/{idempotencyKey}` },
    allowPrivate: [hostname],
    timeoutMs: 10_000,
  } as const

  /** A rule is judged without asking anybody. Whose an order is, only the service knows: the preview says no. */
  const previewOf =
    <Args extends { readonly pedido: string }>(entryOf: (args: Args) => Entry, write: (args: Args, order: Order) => Previewed) =>
    async (args: Args, { requester, signal }: Pick<PreviewContext, 'requester' | 'signal'>): Promise<Previewed> => {
      const order = await orderAt(service, args.pedido, signal)
      if (order === undefined || (order.cliente !== requester && !worksHere(requester)))
        return { kind: 'denied', message: `Não achei o pedido ${args.pedido} entre os seus.` }
      const fault = faultOf(entryOf(args), order)
      return fault === undefined ? write(args, order) : { kind: 'denied', message: fault.mensagem }
    }
  /** The last look before the call: the order may have left the house since. */
  const stillFits =
    <Args extends { readonly pedido: string }>(entryOf: (args: Args) => Entry) =>
    async (args: Args, { signal }: { readonly signal: AbortSignal }) => {
      const fault = faultOf(entryOf(args), await orderAt(service, args.pedido, signal))
      return fault === undefined ? ({ kind: 'ready' } as const) : ({ kind: 'denied', message: fault.mensagem } as const)
    }

  const refund = (args: { pedido: string; valor: string; motivo: string }): Entry => ({ tipo: 'reembolso', ...args })
  const reembolsar = httpAction({
    ...shared,
    name: 'reembolsar',
    description: 'Devolve o valor de um pedido, ou parte dele, pela mesma forma de pagamento.',
    input: z.object({ pedido, valor, motivo }),
    reversibility: 'observed',
    reversibilityOf: (args) => (centsOf(args.valor) >= largeRefund ? 'irreversible' : 'observed'),
    editable: ['valor', 'motivo'],
    url: `${service}/pedidos/{pedido}/reembolsos`,
    body: ({ valor: amount, motivo: why }) => ({ valor: amount, motivo: why }),
    preview: previewOf(refund, (args, order) => ({
      summary: `Reembolsar o pedido ${args.pedido} de ${order.nome}`,
      fields: [
        ...whatOf(order),
        reais('valor', 'Valor do reembolso', args.valor),
        reais('resta', 'Ainda reembolsável', reaisOf(refundable(order))),
        { key: 'motivo', label: 'Motivo', value: { kind: 'text', text: args.motivo } },
      ],
      alsoWill: ['avisar por e-mail quando o banco confirmar'],
    })),
    preflight: stillFits(refund),
    async verify(args, _result, { signal }) {
      const order = await orderAt(service, args.pedido, signal)
      return order !== undefined && centsOf(order.reembolsado) >= centsOf(args.valor)
    },
    told: ({ body }) => ({ message: `Reembolso ${numberIn(body)} feito.`, result: numberIn(body) }),
  })

  const cancellation = (args: { pedido: string; motivo: string }): Entry => ({ tipo: 'cancelamento', ...args })
  const cancelarPedido = httpAction({
    ...shared,
    name: 'cancelar_pedido',
    description: 'Cancela um pedido que ainda não saiu.',
    input: z.object({ pedido, motivo }),
    reversibility: 'observed',
    url: `${service}/pedidos/{pedido}/cancelamentos`,
    body: ({ motivo: why }) => ({ motivo: why }),
    async preview(args, context) {
      const order = await orderAt(service, args.pedido, context.signal)
      if (order?.estado === 'cancelado' && order.cliente === context.requester)
        return { kind: 'completed', message: `O pedido ${args.pedido} já está cancelado.` }
      return await previewOf(cancellation, (_args, found) => ({
        summary: `Cancelar o pedido ${args.pedido} de ${found.nome}`,
        fields: [...whatOf(found), { key: 'motivo', label: 'Motivo', value: { kind: 'text', text: args.motivo } }],
        alsoWill: ['devolver o que foi pago, em até sete dias'],
      }))(args, context)
    },
    preflight: stillFits(cancellation),
    told: () => ({ message: 'Pedido cancelado.' }),
  })

  const move = (args: { pedido: string; endereco: string }): Entry => ({ tipo: 'endereco', ...args })
  const trocarEndereco = httpAction({
    ...shared,
    name: 'trocar_endereco',
    description: 'Troca o endereço de entrega de um pedido que ainda não saiu.',
    input: z.object({ pedido, endereco }),
    reversibility: 'reversible',
    replacementKey: 'pedido',
    editable: ['endereco'],
    url: `${service}/pedidos/{pedido}/enderecos`,
    body: ({ endereco: where }) => ({ endereco: where }),
    preview: previewOf(move, (args, order) => ({
      summary: `Entregar o pedido ${args.pedido} em outro endereço`,
      fields: [
        ...whatOf(order),
        { key: 'atual', label: 'Endereço atual', value: { kind: 'text', text: order.endereco } },
        { key: 'endereco', label: 'Endereço novo', value: { kind: 'text', text: args.endereco } },
      ],
    })),
    preflight: stillFits(move),
    told: () => ({ message: 'Endereço trocado.' }),
  })

  const resending = (args: { pedido: string; motivo: string }): Entry => ({ tipo: 'reenvio', ...args })
  const reenviar = httpAction({
    ...shared,
    name: 'reenviar_pedido',
    description: 'Manda o mesmo pedido outra vez, por conta da loja.',
    input: z.object({ pedido, motivo }),
    reversibility: 'observed',
    ttlMs: 2 * 60 * 60 * 1000,
    url: `${service}/pedidos/{pedido}/reenvios`,
    body: ({ motivo: why }) => ({ motivo: why }),
    preview: previewOf(resending, (args, order) => ({
      summary: `Reenviar o pedido ${args.pedido} para ${order.nome}`,
      fields: [
        ...whatOf(order),
        { key: 'endereco', label: 'Endereço', value: { kind: 'text', text: order.endereco } },
        { key: 'motivo', label: 'Motivo', value: { kind: 'text', text: args.motivo } },
      ],
    })),
    told: ({ body }) => ({ message: `Reenvio ${numberIn(body)} a caminho.`, result: numberIn(body) }),
  })

  return [reembolsar, cancelarPedido, trocarEndereco, reenviar]
}

const whatOf = ({ pedido: id, itens, total }: Order): readonly Field[] => [
  { key: 'pedido', label: 'Pedido', value: { kind: 'text', text: `${id}, ${itens}` } },
  reais('total', 'Total do pedido', total),
]

const reais = (key: string, label: string, amount: string): Field => ({
  key,
  label,
  value: { kind: 'money', amount, currency: 'BRL' },
})
