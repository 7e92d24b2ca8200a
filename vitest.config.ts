import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['dale-source'] },
  // The examples import the package by its name, as whoever copies them does.
  ssr: { resolve: { conditions: ['dale-source', 'node'] } },
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // Most of them wait for a database or another process: one more than there are processors keeps those busy.
    maxWorkers: Math.max(3, availableParallelism()),
    isolate: false,
    execArgv: ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--conditions=dale-source'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
