// The gateway process, for whoever starts it without the command: `dale start` with the same options.
import { main } from './cli/program.ts'

await main(['start', ...process.argv.slice(2)])
