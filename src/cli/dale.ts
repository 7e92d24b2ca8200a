// The command `dale`. The cache is on before anything large is loaded.
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { main } = await import('./program.ts')
await main(process.argv.slice(2))
