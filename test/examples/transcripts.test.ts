import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configAt as cobranzasAt } from '../../examples/cobranzas/config.ts'
import { openService as openCobranzas } from '../../examples/cobranzas/service.ts'
import { configAt as pedidosAt } from '../../examples/pedidos/config.ts'
import { openService as openPedidos } from '../../examples/pedidos/service.ts'
import type { ConfigInput } from '../../src/config/config.ts'
import { ConfigError } from '../../src/core/errors.ts'
import { differenceOf } from '../../src/rehearsal/difference.ts'
import { readScript } from '../../src/rehearsal/read-script.ts'
import { openRehearsalRoom, type RehearsalRoom } from '../../src/rehearsal/rehearse.ts'
import type { Script } from '../../src/rehearsal/script.ts'

let room: RehearsalRoom
beforeAll(async () => {
  room = await openRehearsalRoom({})
}, 60_000)
afterAll(async () => await room[Symbol.asyncDispose]())

const examples = [
  { name: 'cobranzas', open: openCobranzas, configAt: cobranzasAt },
  { name: 'pedidos', open: openPedidos, configAt: pedidosAt },
] as const

const scriptsOf = (example: string): readonly Script[] =>
  globSync(join(import.meta.dirname, '..', '..', 'examples', example, 'transcripts', '*.chat'))
    .sort()
    .map((path) => readScript(basename(path), readFileSync(path, 'utf8')))

describe.each(examples)('examples/$name', ({ name, open, configAt }) => {
  const scripts = scriptsOf(name)
  let config: ConfigInput
  let service: AsyncDisposable
  beforeAll(async () => {
    const opened = await open()
    config = configAt(opened.url)
    service = opened
  })
  afterAll(async () => await service[Symbol.asyncDispose]())

  /** What comes otherwise than a transcript says; a configuration that does not start is told by its problems. */
  const differs = async (script: Script, input: ConfigInput): Promise<readonly string[]> => {
    try {
      return differenceOf(await room.rehearse(script, { against: { input: { ...input }, cwd: process.cwd() } }))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return error.problems.map(({ path, message }) => `${path}: ${message}`)
    }
  }

  test.each(scripts)('$file: $rule', async (script) => {
    expect(await differs(script, config)).toEqual([])
  })

  const rules = configAt('http://127.0.0.1:9').policies ?? []
  test.each(
    rules.map((rule, index) => ({ index, rule, what: `${rule.then} ${String(rule.action)} ${rule.reason?.code ?? ''}` })),
  )(
    'policies.$index ($what) is in a transcript: without it, one comes otherwise',
    async ({ index, rule }) => {
      const without = { ...config, policies: rules.toSpliced(index, 1) }
      const names = (script: Script) => script.lines.some((line) => line.includes(rule.reason?.message ?? String(rule.action)))
      // Those that tell its reason are the likeliest.
      const likeliest = [...scripts].sort((a, b) => Number(names(b)) - Number(names(a)))
      let noticed: string | undefined
      for (const script of likeliest) {
        if ((await differs(script, without)).length === 0) continue
        noticed = script.file
        break
      }
      expect(noticed).toBeDefined()
    },
    60_000,
  )
})
