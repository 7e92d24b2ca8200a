import { tmpdir } from 'node:os'
import { describe, expect, it, vi } from 'vitest'
import { runToEnd } from '../support/command.ts'

// Each starts a whole house and waits for its review time, which takes as long as the machine is busy.
vi.setConfig({ testTimeout: 60_000 })

const conversations = [
  ['es', 'abrí un plan de 3 cuotas para el cliente 42', 'dale', /^bot: Hecho: Abrir un plan de 3 cuotas para Ana Gómez/],
  ['pt-BR', 'abre um plano de 3 parcelas para o cliente 42', 'sim', /^bot: Feito: Abrir um plano de 3 parcelas para Ana Gómez/],
  ['en', 'open a plan of 3 instalments for customer 42', 'yes', /^bot: Done: Open a plan of 3 instalments for Ana Gómez/],
] as const

describe('dale demo without a terminal', () => {
  it.each(conversations)(
    'in %s plays the debt, the card, the receipt and the outcome, and counts one effect',
    async (locale, asks, yes, done) => {
      const { code, stdout } = await runToEnd(['demo', '--locale', locale], { cwd: tmpdir() }, `${asks}\n${yes}\n`)
      const lines = stdout.trimEnd().split('\n')
      expect(code).toBe(0)
      expect(lines.at(-1)).toBe('effects: 1')
      expect(lines).toContain(`ana: ${yes}`)
      expect(stdout).toMatch(/184[.,]000[.,]00/)
      expect(stdout).toMatch(/ {2}\[\S+\] \[\S+\] {2}#[0-9A-Z]{4}\n/)
      expect(lines.some((line) => done.test(line))).toBe(true)
    },
  )

  it('does nothing on a yes with a but, which the agent answers', async () => {
    const { code, stdout } = await runToEnd(
      ['demo', '--json'],
      { cwd: tmpdir() },
      'abrí un plan de 3 cuotas para el cliente 42\nbueno dale pero cambiame la cantidad\n',
    )
    const told = JSON.parse(stdout) as { readonly conversation: readonly string[]; readonly effects: number }
    expect(code).toBe(0)
    expect(told.effects).toBe(0)
    const answered = told.conversation.slice(told.conversation.indexOf('ana: bueno dale pero cambiame la cantidad') + 1)
    expect(answered[0]).toMatch(/^bot: Entendido/)
  })
})
