import { describe, expect, it, vi } from 'vitest'
import { aFolder, runToEnd, started } from '../support/command.ts'
import { payConfig } from './configurations.ts'

// Processes start here, which takes as long as the machine is busy.
vi.setConfig({ testTimeout: 90_000 })

describe('dale keys, beside a running gateway on its own database', () => {
  it('shows a key once, lists it without its secret, and ends it in the running process', async () => {
    await using folder = await aFolder({ 'dale.config.mts': payConfig })
    await using gateway = await started(['start'], { cwd: folder.path })
    const dale = async (...args: readonly string[]) => await runToEnd(args, { cwd: folder.path })
    const created = await dale('keys', 'create', 'erp', '--scope', 'propose,read', '--days', '30', '--by', 'ana', '--json')
    const { key, id, ...kept } = JSON.parse(created.stdout)
    expect(kept).toMatchObject({ name: 'erp', scopes: ['propose', 'read'], by: 'ana', tenant: 'default' })
    expect(kept.expiresAtMs - kept.createdAtMs).toBe(30 * 24 * 3_600_000)
    const status = async () => (await fetch(`${gateway.url}/v1/actions`, { headers: { authorization: `Bearer ${key}` } })).status
    expect(await status()).toBe(200)

    const listed = await dale('keys', 'list')
    expect(listed.stdout).toMatch(new RegExp(`${id} +erp +propose,read .* by ana .* UTC +until`))
    expect(listed.stdout + gateway.output()).not.toContain(key.slice(-43))

    const refused = await dale('keys', 'create', 'erp', '--scope', 'read,decide', '--by', 'ana')
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('There is no scope decide; no key decides.')])

    expect((await dale('keys', 'revoke', id, '--by', 'eva')).stdout).toBe(`${id} is revoked.\n`)
    expect(await status()).toBe(401)
    const again = await dale('keys', 'revoke', id, '--by', 'eva')
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`There is no key ${id} that holds`)])
    expect((await dale('webhooks', 'list')).stdout).toBe('None.\n')
    expect((await dale('webhooks', 'replay', 'https://erp.example.com/')).code).toBe(1)
  })
})

describe('dale openapi', () => {
  it('prints the document, with nothing around', async () => {
    await using folder = await aFolder()
    const { code, stdout } = await runToEnd(['openapi', '--json'], { cwd: folder.path })
    expect([code, JSON.parse(stdout).openapi, stdout.split('\n').length]).toEqual([0, '3.1.0', 2])
  })
})
