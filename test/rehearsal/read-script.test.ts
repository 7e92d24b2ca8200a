import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../src/core/errors.ts'
import { readScript } from '../../src/rehearsal/read-script.ts'

const read = (...lines: readonly string[]) => readScript('x.chat', `${lines.join('\n')}\n`)

function problemsOf(...lines: readonly string[]): readonly string[] {
  try {
    read(...lines)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ path, message }) => `${path}: ${message}`)
    throw error
  }
  return []
}

describe('what is read', () => {
  test('a talk is scenes: what is done at one moment, and what should come of it', () => {
    const { scenes } = read(
      '# A rule.',
      'agent "plan" proposes abrir_plan {"cuotas":3}',
      'ana: un plan',
      'bot: Abrir un plan …',
      '  [Confirmar] [Cancelar]  #K7Q2',
      '(31 min)',
      'bot: Venció.  #K7Q2',
      'ana: dale',
      'ana (at once, 6 min late): [Confirmar #K7Q2]',
      'agent: (the model answers)',
      'effects: none',
    )
    const says = { kind: 'says' }
    expect(scenes).toEqual([
      {
        afterMs: 5_000,
        doing: [{ do: 'act', line: 3, person: 'ana', place: 'ana', gesture: says, text: 'un plan', lateMs: 0 }],
        until: 3,
        place: 'ana',
        expected: [{ kind: 'bot', line: 4, until: 5, place: 'ana', text: 'Abrir un plan …\n[Confirmar] [Cancelar]  #K7Q2' }],
      },
      {
        afterMs: 1_860_000,
        doing: [{ do: 'wait', line: 6, ms: 1_860_000 }],
        until: 6,
        place: 'ana',
        expected: [{ kind: 'bot', line: 7, until: 7, place: 'ana', text: 'Venció.  #K7Q2' }],
      },
      {
        afterMs: 5_000,
        doing: [
          { do: 'act', line: 8, person: 'ana', place: 'ana', gesture: says, text: 'dale', lateMs: 0 },
          {
            do: 'act',
            line: 9,
            person: 'ana',
            place: 'ana',
            gesture: { kind: 'presses', label: 'Confirmar', code: 'K7Q2' },
            text: '[Confirmar #K7Q2]',
            lateMs: 360_000,
          },
        ],
        until: 9,
        place: 'ana',
        expected: [
          { kind: 'agent', line: 10, until: 10, text: '(the model answers)' },
          { kind: 'effects', line: 11, until: 11, text: 'none' },
        ],
      },
    ])
  })

  test('a line right after a time comes at that time, any other five seconds after what was last', () => {
    const { scenes } = read('# A rule.', 'ana: hola', '(1 s)', 'ana: dale', 'ana: no')
    expect(scenes.map(({ afterMs }) => afterMs)).toEqual([5_000, 1_000, 0, 5_000])
  })

  test('whoever speaks is somebody, and a place that is nobody’s is a group', () => {
    const { people, groups } = read(
      '# A rule.',
      'person beto supervisor',
      'chat @equipo for supervisor',
      'ana@familia: hola',
      'bot@beto: …',
      'caro: hola',
    )
    expect(people.map(({ name, roles }) => [name, roles])).toEqual([
      ['beto', ['supervisor']],
      ['ana', []],
      ['caro', []],
    ])
    expect(groups).toEqual(['@equipo', '@familia'])
  })

  test('codes are what ends a line of the account, in order: a value or a person may name one that no card has', () => {
    expect(
      read(
        '# A rule.',
        'ana: dale #Z9Z9',
        'bot: No hay ninguna tarjeta #Z9Z9 acá.',
        'bot: plan … #K7Q2',
        'bot: Hecho  #K7Q2',
        'bot: otra  #M4PX',
      ).codes,
    ).toEqual(['K7Q2', 'M4PX'])
  })

  test('an action says how its calls end, one after the other', () => {
    const { actions } = read(
      '# A rule.',
      'action pagar observed key "Pagar {monto}" fields monto,a:1..9,b:date,c:ARS,d:x|y edits a,b waits 10 min takes 5 s then loses the answer then refuses "No."',
      'ana: hola',
    )
    expect(actions).toEqual([
      {
        kind: 'declared',
        line: 2,
        name: 'pagar',
        reversibility: 'observed',
        idempotency: 'key',
        summary: 'Pagar {monto}',
        fields: [
          { name: 'monto' },
          { name: 'a', takes: { kind: 'whole', least: 1, most: 9 } },
          { name: 'b', takes: { kind: 'date' } },
          { name: 'c', takes: { kind: 'money', currency: 'ARS' } },
          { name: 'd', takes: { kind: 'choice', of: ['x', 'y'] } },
        ],
        editable: ['a', 'b'],
        ttlMs: 600_000,
        takesMs: 5_000,
        endings: [{ kind: 'lost_answer' }, { kind: 'refused', why: 'No.' }],
      },
    ])
  })

  test('policies are the rules’ own, under the names that the rules give them', () => {
    const { policies } = read(
      '# A rule.',
      'policy slots single',
      'policy minReview 1 s',
      'policy approver borrar jefe second',
      'policy deny borrar "No."',
      'policy ask borrar HIGH_COST',
      'ana: hola',
    )
    expect(policies).toEqual([
      { kind: 'limit', line: 2, limits: { slots: 'single' } },
      { kind: 'limit', line: 3, limits: { minReviewTextMs: 1_000, minReviewPressMs: 1_000, minReviewHighPressMs: 1_000 } },
      { kind: 'approver', line: 4, action: 'borrar', role: 'jefe', second: true },
      { kind: 'deny', line: 5, action: 'borrar', code: 'CUSTOM_POLICY_REQUIREMENT', message: 'No.' },
      { kind: 'ask', line: 6, action: 'borrar', code: 'HIGH_COST' },
    ])
  })

  test('a channel like WhatsApp has phones that are off, and votes that are taken back', () => {
    const { like, scenes } = read(
      '# A rule.',
      'like whatsapp',
      'ana: hola',
      '(phone off)',
      'beto@equipo: @bot hola',
      '(phone on)',
      'ana (withdraws):',
    )
    expect(like).toBe('whatsapp')
    expect(scenes.flatMap(({ doing }) => doing)).toMatchObject([
      { do: 'act', person: 'ana' },
      { do: 'phones', place: 'ana', turn: 'off' },
      { do: 'act', person: 'beto' },
      { do: 'phones', place: '@equipo', turn: 'on' },
      { do: 'act', person: 'ana', gesture: { kind: 'withdraws' }, text: '' },
    ])
    expect(read('# A rule.', 'ana: hola').like).toBeUndefined()
    expect(problemsOf('# A rule.', 'like telegram', 'ana: hola')).toEqual([expect.stringMatching(/write like whatsapp$/)])
  })

  test('one human may have several accounts, a program may propose, and workers may be away', () => {
    const { people, actions, scenes } = read(
      '# A rule.',
      'person beto supervisor also beto_trabajo',
      'action abrir reversible replaces cliente',
      'ana: hola',
      '(workers down)',
      '(program proposes abrir {"cuotas":3} for ana)',
      '(program proposes abrir {"cuotas":3} for ana refused slot_busy)',
      '(workers up)',
    )
    expect(people).toEqual([
      { line: 2, name: 'beto', roles: ['supervisor'], also: ['beto_trabajo'] },
      { line: 4, name: 'ana', roles: [] },
      { line: 2, name: 'beto_trabajo', roles: [] },
    ])
    expect(actions).toMatchObject([{ name: 'abrir', replaces: 'cliente' }])
    const asks = { do: 'program', action: 'abrir', args: { cuotas: 3 }, person: 'ana' }
    expect(scenes.slice(1).flatMap(({ doing }) => doing)).toEqual([
      { do: 'workers', line: 5, turn: 'down' },
      { ...asks, line: 6 },
      { ...asks, line: 7, refused: 'slot_busy' },
      { do: 'workers', line: 8, turn: 'up' },
    ])
  })

  test('a comment may stand anywhere, and people may write several lines', () => {
    const { scenes } = read('# A rule.', '', '# about it', 'ana: dale', '  gracias')
    expect(scenes[0]?.doing).toMatchObject([{ text: 'dale\ngracias' }])
  })
})

describe('what is refused', () => {
  test('every problem of a file is told at once, each with its line and what to write instead', () => {
    expect(
      problemsOf('hola', 'policy speed 5 s', 'ana: hola', '(soon)', 'ana (flies): dale', 'locale es', 'bot: plan  #0000'),
    ).toEqual([
      'x.chat:1: the first line says the rule in words: # A yes runs the action once.',
      'x.chat:1: is no line of a talk; write ana: hola, bot: …, agent: (the model answers), effects: none, (31 min) or (restart)',
      'x.chat:2: policy … belongs above the talk, which began in line 1',
      'x.chat:4: (soon) is no direction; there are a time (5 s, 0.5 s, 31 min, 2 h or 1 d), (again), (restart), (phone off), (phone on), (halt), (resume), (give NAME ROLE), (take NAME ROLE), (workers down), (workers up), (program proposes ACTION {…} for NAME) and (world ACTION {…})',
      'x.chat:5: (flies) is nothing that a person does; there are (reply), (reply #K7Q2), (reply text), (reply elsewhere), (edits), (forwards), (reacts), (withdraws), (voice), (caption), (sticker), (at once), (6 min late)',
      'x.chat:6: locale … belongs above the talk, which began in line 1',
      'x.chat:7: #0000 cannot be a code: four of 2–9 and A–Z without I, L, O and U, at least one digit and one letter',
    ])
  })

  test.each([
    ['policy slots two', 'slots is single or many'],
    ['policy speed 5 s', 'there is no policy speed'],
    ['policy minReview soon', 'soon is not a time'],
    ['agent plan', 'cannot be read'],
    ['agent "plan', 'a text has no closing "'],
    ['agent "plan" proposes abrir {"a":}', 'is not JSON'],
    ['agent "plan" proposes abrir {"a":1', 'a { is not closed'],
    ['agent "plan" says "a" and more', 'goes on where it should end: and more'],
    ['action borrar', 'cannot be read'],
    ['action borrar reversible then explodes', 'after then comes'],
    ['chat equipo for supervisor', 'cannot be read'],
  ])('%s: %s', (line, why) => {
    const [problem = ''] = problemsOf('# A rule.', line, 'ana: hola')
    expect(problem).toContain('x.chat:2: ')
    expect(problem).toContain(why)
    expect(problem).toContain('write ')
  })

  test.each([
    [['bot: hola'], 'bot: comes before anybody said anything'],
    [['ana:'], 'ana says nothing'],
    [['ana: hola', 'bot: hola', 'ana (at once): dale'], 'nothing may stand between'],
    [['ana: hola', 'agent: hola'], 'write agent: (the model answers)'],
    [['ana: hola', 'bot (soon): hola'], '(soon) after bot means nothing'],
    [['ana (voice, edits): hola'], 'is two things at once'],
    [['ana: hola', '', '  dale'], 'stands under nothing'],
    [['ana: hola', '(program proposes abrir for ana)'], 'is nothing that a program does'],
    [['ana: hola', '(program proposes abrir {} for beto)'], 'is for beto, who is not in this talk'],
    [['# nothing'], 'nobody says anything'],
  ])('%j: %s', (lines, why) => {
    expect(problemsOf('# A rule.', ...lines).join('\n')).toContain(why)
  })

  test('an action is declared once', () => {
    expect(problemsOf('# A rule.', 'action a reversible', 'action a real', 'ana: hola')).toEqual([
      'x.chat:3: a is declared twice; keep one',
    ])
  })
})
