import { type Agent, scriptedAgent } from 'dale-gateway'

/**
 * Answers by the book, without a model, so that everything here runs without a network. The wordings are the customers'; whose an order
 * is and whether it may be done is nothing that an agent decides.
 */
export const agent: Agent = scriptedAgent(
  [
    {
      when: [
        'quero reembolso de {valor:number} do pedido {pedido} porque {motivo}',
        'me devolve {valor:number} do pedido {pedido} porque {motivo}',
      ],
      say: 'Vou preparar o reembolso.',
      propose: {
        action: 'reembolsar',
        args: ({ pedido, valor, motivo }) => ({
          pedido: String(pedido),
          valor: Number(valor).toFixed(2),
          motivo: String(motivo),
        }),
      },
    },
    {
      when: ['cancela o pedido {pedido} porque {motivo}', 'quero cancelar o pedido {pedido} porque {motivo}'],
      propose: { action: 'cancelar_pedido', args: { pedido: '{pedido}', motivo: '{motivo}' } },
    },
    {
      when: ['entrega o pedido {pedido} em {endereco}', 'quero receber o pedido {pedido} em {endereco}'],
      propose: { action: 'trocar_endereco', args: { pedido: '{pedido}', endereco: '{endereco}' } },
    },
    {
      when: ['o pedido {pedido} não chegou', 'meu pedido {pedido} não chegou'],
      say: 'Sinto muito! Peço o reenvio para a equipe.',
      propose: { action: 'reenviar_pedido', args: { pedido: '{pedido}', motivo: 'Não chegou' } },
    },
    {
      when: ['o pedido {pedido} chegou quebrado', 'meu pedido {pedido} chegou quebrado'],
      say: 'Sinto muito! Peço o reenvio para a equipe.',
      propose: { action: 'reenviar_pedido', args: { pedido: '{pedido}', motivo: 'Chegou quebrado' } },
    },
    { when: ['oi', 'olá', 'bom dia', 'boa tarde', 'boa noite'], match: 'start', say: 'Olá! Sobre qual pedido você quer falar?' },
  ],
  {
    otherwise:
      'Diga o que aconteceu e com qual pedido: “o pedido 1042 não chegou”, “cancela o pedido 1044 porque comprei errado” ou “quero reembolso de 40 do pedido 1042 porque veio riscado”.',
  },
)
