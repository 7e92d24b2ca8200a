import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { type ActionDefinition, defineAction } from '../../src/actions/define-action.ts'
import { ActionError, ConfigError } from '../../src/core/errors.ts'
import { aCall, aPreviewing } from '../support/calls.ts'

const base = {
  name: 'crear_acuerdo',
  version: '1',
  description: 'Crea un plan de pagos.',
  reversibility: 'reversible',
  preview: () => ({ summary: 'Plan', fields: [] }),
  execute: async () => {},
} as const

const define = <Input extends z.ZodObject>(input: Input, differs: Partial<ActionDefinition<Input>> = {}) =>
  defineAction<Input>({ ...base, input, ...differs })

const problemsOf = (make: () => unknown) => {
  try {
    make()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ path, message }) => `${path}: ${message}`)
    throw error
  }
  return []
}

describe('defineAction', () => {
  it('fills in what the definition leaves out', () => {
    const action = define(z.object({ cliente: z.string() }))
    expect(action).toMatchObject({ idempotency: 'none', keyValidForMs: 0, ttlMs: 1_800_000, timeoutMs: 30_000 })
    expect(action.preflight).toBeUndefined()
    expect(action.lookUp).toBeUndefined()
  })

  it('keeps a key for one day when the far side keeps keys and does not say for how long', () => {
    expect(define(z.object({}), { idempotency: 'key' }).keyValidForMs).toBe(86_400_000)
  })

  it('reads what replaces what from an argument that is named, or by a function', () => {
    const input = z.object({ cliente: z.union([z.string(), z.number()]).optional(), cuotas: z.int() })
    const named = define(input, { replacementKey: 'cliente' }).replacementKey
    expect(['42', 42, undefined].map((cliente) => named?.({ cliente, cuotas: 3 }))).toEqual(['"42"', '42', undefined])
    expect(define(input, { replacementKey: ({ cuotas }) => `de ${cuotas}` }).replacementKey?.({ cuotas: 3 })).toBe('de 3')
    expect(define(input).replacementKey).toBeUndefined()
    expect(problemsOf(() => define(input, { replacementKey: 'client' as never }))).toEqual([
      'crear_acuerdo.replacementKey: is the name of an argument, and there is none client',
    ])
    expect(problemsOf(() => define(input, { replacementKey: 7 as never }))).toEqual([
      'crear_acuerdo.replacementKey: is the name of an argument, or a function of the arguments',
    ])
  })

  it('may be allowed always only with a count and an end, and never where more than its requester’s consent is asked', () => {
    const input = z.object({})
    expect(define(input, { always: { times: 5, days: 30 } }).always).toEqual({ times: 5, days: 30 })
    expect(define(input).always).toBeUndefined()
    expect(problemsOf(() => define(input, { always: { times: 0, days: 366 } }))).toEqual([
      'crear_acuerdo.always.times: is a whole number from 1 to 100',
      'crear_acuerdo.always.days: is a whole number from 1 to 365',
    ])
    for (const second of [false, true])
      expect(
        problemsOf(() =>
          define(input, {
            always: { times: 5, days: 30 },
            reversibility: 'irreversible',
            approvers: { kind: 'role', role: 'supervisor', second },
          }),
        ),
      ).toEqual([
        'crear_acuerdo.always: is not for what cannot be undone',
        'crear_acuerdo.always: is for what whoever asked decides alone',
      ])
  })

  it('offers the schema to agents with every object closed', () => {
    const { input } = define(z.object({ cliente: z.string(), plan: z.object({ cuotas: z.int().default(3) }) }))
    expect(input).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      additionalProperties: false,
      required: ['cliente', 'plan'],
      properties: { plan: { additionalProperties: false, properties: { cuotas: { default: 3 } } } },
    })
  })

  it('says which arguments whoever asked may change, and does not start with one that is not there or fits in no chat', () => {
    const input = z.object({ cuotas: z.int(), pago: z.object({ monto: z.string() }), extras: z.array(z.string()) })
    expect(define(input, { editable: ['cuotas', 'pago.monto'] }).editable).toEqual(['cuotas', 'pago.monto'])
    expect(problemsOf(() => define(input, { editable: ['cuota', 'extras', 'cuotas', 'cuotas'] }))).toEqual([
      'crear_acuerdo.editable: cuotas is there twice',
      'crear_acuerdo.editable: there is no argument cuota',
      'crear_acuerdo.editable: extras cannot be written in a chat: numbers, texts, dates, choices and yes or no can',
    ])
    expect(problemsOf(() => define(input, { editable: 'cuotas' as never }))).toEqual([
      "crear_acuerdo.editable: is a list of arguments, like ['cuotas']",
    ])
  })

  it('says what a yes types, and does not start where that is no argument or nothing asks for it', () => {
    const input = z.object({ cliente: z.string() })
    const grave = { reversibility: 'irreversible', typeToConfirm: 'cliente' } as const
    expect(define(input, grave)).toMatchObject(grave)
    expect(define(input, { severity: 'high', typeToConfirm: 'cliente' })).toMatchObject({ severity: 'high' })
    expect(define(input, { severityOf: () => 'high', typeToConfirm: 'cliente' }).severityOf?.({})).toBe('high')
    expect(problemsOf(() => define(input, { ...grave, typeToConfirm: 'cuenta' }))).toEqual([
      'crear_acuerdo.typeToConfirm: there is no argument cuenta',
    ])
    expect(problemsOf(() => define(input, { typeToConfirm: 'cliente' }))).toEqual([
      'crear_acuerdo.typeToConfirm: is for what cannot be undone, or is of high severity, and this is neither',
    ])
    expect(problemsOf(() => define(input, { ...grave, typeToConfirm: '' }))).toEqual([
      'crear_acuerdo.typeToConfirm: is the name of an argument',
    ])
  })

  it('says its severity, and whether to refuse with a reason is offered', () => {
    const input = z.object({})
    expect(define(input, { rejectReason: 'told' })).toMatchObject({ rejectReason: 'told' })
    expect(
      problemsOf(() => define(input, { severity: 'low' as never, severityOf: 'high' as never, rejectReason: true as never })),
    ).toEqual([
      'crear_acuerdo.severity: is high, or left out',
      'crear_acuerdo.severityOf: is a function of the arguments',
      'crear_acuerdo.rejectReason: is kept or told',
    ])
  })

  it('tells what is wrong in the words of a language, unless the schema has its own', () => {
    const action = define(z.object({ cuotas: z.int().max(12), cliente: z.string().regex(/^\d+$/, 'son números') }))
    const told = (locale?: string) => {
      const read = action.parse({ cuotas: 20, cliente: 'x' }, locale)
      return read.ok ? [] : read.problems
    }
    expect(told('es')).toEqual(['args.cuotas: Demasiado grande: se esperaba que número fuera <=12', 'args.cliente: son números'])
    expect([told('pt-BR')[0], told('en')[0], told()[0], told('fi')[0]]).toEqual([
      'args.cuotas: Demasiado grande: esperava que o número fosse <= 12',
      'args.cuotas: Too big: expected number to be <=12',
      'args.cuotas: Too big: expected number to be <=12',
      'args.cuotas: Too big: expected number to be <=12',
    ])
  })

  it('gives its functions what the schema makes of the arguments, typed', async () => {
    const action = define(z.object({ cuotas: z.int().default(3) }), {
      preview: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ cuotas: number }>()
        return { summary: `${args.cuotas} cuotas`, fields: [] }
      },
      execute: async ({ cuotas }) => ({ message: `hecho en ${cuotas}` }),
    })
    const read = action.parse({})
    expect(read).toEqual({ ok: true, args: { cuotas: 3 } })
    if (!read.ok) return
    expect(await action.preview(read.args, aPreviewing())).toEqual({ kind: 'ready', summary: '3 cuotas', fields: [] })
    expect(await action.execute(read.args, aCall())).toEqual({ message: 'hecho en 3' })
  })

  it('passes on that it may not be done, or is done already', async () => {
    const action = define(z.object({}), { preview: async () => ({ kind: 'denied', message: 'no hay saldo' }) })
    expect(await action.preview({}, aPreviewing())).toEqual({ kind: 'denied', message: 'no hay saldo' })
  })

  it('tells nothing when execute tells nothing', async () => {
    expect(await define(z.object({})).execute({}, aCall())).toEqual({})
  })

  it('lists every problem of a definition', () => {
    expect(
      problemsOf(() =>
        defineAction({
          ...base,
          name: 'Crear Acuerdo',
          description: ' ',
          ttlMs: 5,
          keyValidForMs: 60_000,
          input: z.object({ vence: z.date() }),
        }),
      ),
    ).toEqual([
      'Crear Acuerdo.name: use small letters, digits and _, a letter first, 64 at most',
      'Crear Acuerdo.description: say what it does: the agent chooses by it',
      "Crear Acuerdo.keyValidForMs: means nothing without idempotency: 'key'",
      'Crear Acuerdo.ttlMs: is a whole number of milliseconds from 1000 to 604800000',
      expect.stringContaining('Crear Acuerdo.input: does not yield plain JSON'),
    ])
  })

  it.each([
    ['a list', z.array(z.string())],
    ['a date', z.object({ a: z.date() })],
    ['a coerced date', z.object({ a: z.coerce.date() })],
    ['a date in a list', z.object({ a: z.array(z.object({ b: z.date() })) })],
    [
      'a codec that yields dates',
      z.object({ a: z.codec(z.string(), z.date(), { decode: (s) => new Date(s), encode: (d) => d.toISOString() }) }),
    ],
    ['an instance of a class', z.object({ a: z.instanceof(URL) })],
    ['a custom type', z.object({ a: z.custom<string>() })],
    ['a big integer', z.object({ a: z.bigint() })],
    ['a map', z.object({ a: z.map(z.string(), z.string()) })],
    ['a transform whose result is unknown', z.object({ a: z.string().transform((text) => text.length) })],
    ['a loose object', z.looseObject({ a: z.string() })],
    ['a loose object inside', z.object({ a: z.looseObject({ b: z.string() }) })],
    ['a catch-all', z.object({ a: z.string() }).catchall(z.number())],
  ])('refuses a schema that is %s', (_, input) => {
    expect(problemsOf(() => define(input as z.ZodObject))).toEqual([expect.stringMatching(/^crear_acuerdo\.input: /)])
  })
})

describe('parse', () => {
  const action = define(
    z.object({
      cliente: z.string().trim(),
      plan: z.object({ cuotas: z.int() }).optional(),
      notas: z.array(z.object({ texto: z.string() })).default([]),
    }),
  )

  it('gives back plain JSON, normalised', () => {
    expect(action.parse({ cliente: ' 42 ', plan: undefined })).toEqual({ ok: true, args: { cliente: '42', notas: [] } })
  })

  it('gives back what nobody can change', () => {
    const read = action.parse({ cliente: '42', plan: { cuotas: 3 } })
    if (!read.ok) throw new Error(read.problems.join())
    expect(() => Object.assign((read.args as { plan: object }).plan, { cuotas: 4 })).toThrow(TypeError)
  })

  it.each([
    ['at the top', { cliente: '42', confirmed: true }, 'args: Unrecognized key: "confirmed"'],
    ['inside an object', { cliente: '42', plan: { cuotas: 3, approvedBy: 'bot' } }, 'args.plan.approvedBy: unknown field'],
    ['inside a list', { cliente: '42', notas: [{ texto: 'a' }, { texto: 'b', via: 'x' }] }, 'args.notas.1.via: unknown field'],
  ])('refuses an unknown field %s', (_, args, problem) => {
    expect(action.parse(args)).toEqual({ ok: false, problems: [problem] })
  })

  it('refuses the key __proto__, and pollutes nothing', () => {
    const read = action.parse(JSON.parse('{"cliente":"42","__proto__":{"polluted":true}}'))
    expect(read.ok).toBe(false)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('refuses arguments that its schema reads as something else a second time', () => {
    const growing = define(
      z.object({
        nombre: z
          .string()
          .transform((name) => `${name}!`)
          .pipe(z.string()),
      }),
    )
    expect(growing.parse({ nombre: 'Ana' })).toEqual({
      ok: false,
      problems: [expect.stringContaining('reads its own result as something else')],
    })
  })

  it('refuses what JSON cannot hold', () => {
    const any = define(z.object({ valor: z.any() }))
    for (const valor of [new Date(0), Number.NaN, -0, 2 ** 60, () => 1, '\ud800']) expect(any.parse({ valor }).ok).toBe(false)
  })

  it('reads its own result as the same, whatever JSON it was given', () => {
    const nested = define(z.object({ a: z.json(), b: z.string().trim().toLowerCase().optional() }))
    fc.assert(
      fc.property(fc.jsonValue(), fc.option(fc.string(), { nil: undefined }), (a, b) => {
        const read = nested.parse({ a, b })
        if (read.ok) expect(nested.parse(read.args)).toEqual(read)
      }),
    )
  })
})

describe('a preview', () => {
  const previewOf = (preview: unknown) => define(z.object({}), { preview: () => preview as never }).preview({}, aPreviewing())

  it('stands as it is when every value is exact', async () => {
    const preview = {
      summary: 'Plan de 3 cuotas para Ana Gómez (cliente 42)',
      fields: [
        {
          key: 'monto',
          label: 'Monto',
          value: { kind: 'money', amount: '184000.50', currency: 'ARS' },
          unusual: 'más que nunca',
        },
        {
          key: 'vence',
          label: 'Vence',
          value: { kind: 'instant', instant: '2026-08-06T12:00:00Z', timeZone: 'America/Argentina/Buenos_Aires' },
        },
      ],
      alsoWill: ['avisar por correo'],
    }
    expect(await previewOf(preview)).toEqual({ ...preview, kind: 'ready' })
  })

  it.each([
    [
      'money as a float',
      { summary: 'a', fields: [{ key: 'm', label: 'M', value: { kind: 'money', amount: 184000.5, currency: 'ARS' } }] },
      'fields.0.value.amount',
    ],
    [
      'a time zone that is none',
      {
        summary: 'a',
        fields: [{ key: 'm', label: 'M', value: { kind: 'instant', instant: '2026-08-06T12:00:00Z', timeZone: 'Mars' } }],
      },
      'fields.0.value.timeZone',
    ],
    [
      'the same key twice',
      { summary: 'a', fields: [1, 2].map(() => ({ key: 'm', label: 'M', value: { kind: 'text', text: 'x' } })) },
      'has a key twice',
    ],
    [
      'an artefact that is a script',
      { summary: 'a', fields: [], artefact: { label: 'x', url: 'javascript:alert(1)' } },
      'artefact.url',
    ],
    ['no summary', { fields: [] }, 'summary'],
  ])('is refused with %s, and nothing has happened', async (_, preview, place) => {
    const error: unknown = await previewOf(preview).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ActionError)
    expect(error).toMatchObject({ permanent: true, mayHaveHappened: false, message: expect.stringContaining(place) })
  })
})
