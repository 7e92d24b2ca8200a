import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { patternOf } from '../../src/agents/pattern.ts'
import { scriptedAgent } from '../../src/agents/scripted.ts'
import { ConfigError } from '../../src/core/errors.ts'
import { answerOf, aTurn } from '../support/turns.ts'

const plan = scriptedAgent(
  [
    {
      when: [
        'abrí un plan de {cuotas:number} cuotas para el cliente {cliente}',
        'abra um plano de {cuotas:number} parcelas para o cliente {cliente}',
      ],
      say: { es: 'Ahí va el plan de {cuotas} cuotas.', 'pt-BR': 'Aí vai o plano de {cuotas} parcelas.' },
      propose: {
        action: 'crear_acuerdo',
        args: { cliente: '{cliente}', cuotas: '{cuotas}', nota: 'para {cliente}', etiquetas: ['{cliente}', 1] },
      },
    },
    { when: 'olvidá {codigo}', withdraw: '{codigo}' },
    { when: 'hola', say: 'Hola' },
  ],
  { otherwise: (_, { person }) => `No te entendí, ${person}.` },
)

describe('scriptedAgent', () => {
  it('speaks first and then proposes, with each place as its type', async () => {
    expect(await answerOf(plan, aTurn('abrí un plan de 3 cuotas para el cliente Ana Gómez'))).toEqual([
      { kind: 'text', text: 'Ahí va el plan de 3 cuotas.' },
      {
        kind: 'propose',
        action: 'crear_acuerdo',
        args: { cliente: 'Ana Gómez', cuotas: 3, nota: 'para Ana Gómez', etiquetas: ['Ana Gómez', 1] },
      },
    ])
  })

  it('answers in the locale of the conversation', async () => {
    const [first] = await answerOf(plan, aTurn('Abra um plano de 3 parcelas para o cliente 42', { locale: 'pt-BR' }))
    expect(first).toEqual({ kind: 'text', text: 'Aí vai o plano de 3 parcelas.' })
  })

  it('answers in the first locale where it has no words for this one', async () => {
    const [first] = await answerOf(plan, aTurn('abrí un plan de 3 cuotas para el cliente 42', { locale: 'en' }))
    expect(first).toEqual({ kind: 'text', text: 'Ahí va el plan de 3 cuotas.' })
  })

  it('withdraws a card by its code', async () => {
    expect(await answerOf(plan, aTurn('Olvidá K7Q2'))).toEqual([{ kind: 'withdraw', code: 'K7Q2' }])
  })

  it('answers each of the messages that were joined, in their order', async () => {
    expect(await answerOf(plan, aTurn(['¡Hola!', 'qué sé yo', 'olvidá K7Q2']))).toEqual([
      { kind: 'text', text: 'Hola' },
      { kind: 'withdraw', code: 'K7Q2' },
    ])
  })

  it('answers what came behind a wish that came with it, and every wish', async () => {
    const wish = (cliente: string, more?: true) => [
      { kind: 'text', text: 'Ahí va el plan de 3 cuotas.' },
      expect.objectContaining({
        kind: 'propose',
        args: expect.objectContaining({ cliente }),
        ...(more === undefined ? {} : { more }),
      }),
    ]
    const told = ['abrí un plan de 3 cuotas para el cliente 1', 'abrí un plan de 3 cuotas para el cliente 2']
    expect(await answerOf(plan, aTurn(told))).toEqual([...wish('1', true), ...wish('2')])
    expect(await answerOf(plan, aTurn([told[0] ?? '', 'hola']))).toEqual([...wish('1', true), { kind: 'text', text: 'Hola' }])
  })

  it('says the same once when it understands nothing', async () => {
    expect(await answerOf(plan, aTurn(['qué', 'cómo']))).toEqual([{ kind: 'text', text: 'No te entendí, ana.' }])
  })

  it('says nothing when it understands nothing and has no words for that', async () => {
    expect(await answerOf(scriptedAgent([]), aTurn('hola'))).toEqual([])
  })

  it('answers the same turn the same', async () => {
    const turn = aTurn('abrí un plan de 3 cuotas para el cliente 42')
    expect(await answerOf(plan, turn)).toEqual(await answerOf(plan, turn))
  })

  it('lets a function make the arguments', async () => {
    const agent = scriptedAgent([
      { when: 'plan {cliente}', propose: { action: 'a', args: ({ cliente }, turn) => ({ cliente, de: turn.person }) } },
    ])
    expect(await answerOf(agent, aTurn('plan 42'))).toEqual([
      { kind: 'propose', action: 'a', args: { cliente: '42', de: 'ana' } },
    ])
  })

  it('takes a few telling words for the message that begins with them, or holds them', async () => {
    const starting = scriptedAgent([{ when: 'abrí un plan', say: 'sí, señor' }], { match: 'start' })
    expect(await answerOf(starting, aTurn('Abrí un plan de 3 cuotas'))).toHaveLength(1)
    expect(await answerOf(starting, aTurn('Por favor abrí un plan'))).toEqual([])
    const holding = scriptedAgent([{ when: 'abrí un plan', match: 'includes', say: 'sí, señor' }])
    expect(await answerOf(holding, aTurn('Por favor abrí un plan, dale'))).toHaveLength(1)
  })

  it('stops when its turn is stopped', async () => {
    await expect(answerOf(plan, aTurn('hola'), AbortSignal.abort(new Error('lost')))).rejects.toThrow('lost')
  })

  it('goes on from the first outcome that fits, with the arguments that it had, and is silent about others', async () => {
    const agent = scriptedAgent([{ when: 'hola', say: 'Hola.' }], {
      otherwise: 'No entiendo.',
      outcomes: [
        { of: 'crear_acuerdo', state: 'rejected', say: 'Queda como estaba.' },
        { of: 'crear_acuerdo', say: { es: 'Van {cuotas} cuotas.' }, propose: { action: 'avisar', args: { cuotas: '{cuotas}' } } },
      ],
    })
    const answerTo = (action: string, state: string) =>
      answerOf(
        agent,
        aTurn([], {
          origin: 'agent',
          resumed: {
            proposalId: 'p',
            code: 'K7Q2',
            action,
            args: { cuotas: 3, datos: { a: 1 } },
            state,
            executed: state === 'succeeded',
            origin: 'human',
          },
        }),
      )
    expect(await answerTo('crear_acuerdo', 'rejected')).toEqual([{ kind: 'text', text: 'Queda como estaba.' }])
    expect(await answerTo('crear_acuerdo', 'succeeded')).toEqual([
      { kind: 'text', text: 'Van 3 cuotas.' },
      { kind: 'propose', action: 'avisar', args: { cuotas: 3 } },
    ])
    expect(await answerTo('otra', 'succeeded')).toEqual([])
  })

  it('refuses rules with every problem', () => {
    expect(() =>
      scriptedAgent([
        { when: 'plan de{cuotas}' },
        { when: ['plan {a}', 'plano {b}'], say: 'va {a}' },
        { when: '{todo}' },
        { when: [] },
        { when: 'de {a} a {a}' },
      ]),
    ).toThrow(
      new ConfigError([
        {
          path: 'agent.rules.0.when',
          message: '"plan de{cuotas}" has a place that is no word of its own: write {name} or {name:number} between spaces',
        },
        { path: 'agent.rules.1', message: '{a} is not a place of every wording' },
        { path: 'agent.rules.2.when', message: '"{todo}" has no words' },
        { path: 'agent.rules.3.when', message: 'is empty' },
        { path: 'agent.rules.4.when', message: '"de {a} a {a}" has two places of one name' },
      ]),
    )
  })
})

describe('a pattern', () => {
  const places = (pattern: string, text: string) => patternOf(pattern, 'when').match(text, 'whole')

  it.each([
    ['3', 3],
    ['184000', 184_000],
    ['184.000', 184_000],
    ['$184.000,50', 184_000.5],
    ['1,500.5', 1_500.5],
    ['US$99,90', 99.9],
    ['R$1.000.000', 1_000_000],
    ['-2', -2],
  ])('reads %s as a number', (text, number) => {
    expect(places('pagué {monto:number} hoy', `Pagué ${text} hoy.`)).toEqual({ monto: number })
  })

  it.each(['tres', '1.2.3', '12:30', '1e9', '0x10', '99999999999999999999'])('does not read %s as a number', (text) => {
    expect(places('pagué {monto:number}', `pagué ${text}`)).toBeUndefined()
  })

  it('gives each place as few words as will do', () => {
    expect(places('de {a} a {b}', 'de Mar del Plata a Rosario a pie')).toEqual({ a: 'Mar del Plata', b: 'Rosario a pie' })
  })

  it('is the whole message and no part of it', () => {
    expect(places('hola', 'hola hola')).toBeUndefined()
    expect(places('hola {nombre}', 'hola')).toBeUndefined()
  })

  it('takes no longer for a text made to be slow', () => {
    const slow = patternOf(`${Array.from({ length: 12 }, (_, index) => `a {p${index}}`).join(' ')} b`, 'when')
    const started = performance.now()
    expect(slow.match('a '.repeat(400), 'includes')).toBeUndefined()
    expect(slow.match('a'.repeat(1_000_000), 'whole')).toBeUndefined()
    expect(performance.now() - started).toBeLessThan(3_000)
  })

  it('finds what was put into its places, whatever it was', () => {
    const word = fc.stringMatching(/^[a-z0-9áéñ]{1,8}$/)
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), word, (name, other) => {
        fc.pre(!name.includes('para') && other !== 'para')
        expect(places('plan de {a} para {b}', `Plan de ${name.join('  ')} PARA ${other}!`)).toEqual({
          a: name.join(' '),
          b: other,
        })
      }),
    )
  })
})
