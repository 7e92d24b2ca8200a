import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['dale-source'] },
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    isolate: false,
    execArgv: ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--conditions=dale-source'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
