import type { ConfigInput } from './config.ts'

/**
 * Types a configuration: `export default defineConfig({ … })` in `dale.config.mts`. It only gives the value back; what is wrong with
 * it is told, all at once, when the process starts.
 */
export const defineConfig = (config: ConfigInput): ConfigInput => Object.freeze(config)
