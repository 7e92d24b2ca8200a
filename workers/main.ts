// The worker process, for whoever starts it without the command: `dale worker` with the same options.
import { main } from '../src/cli/program.ts'

await main(['worker', ...process.argv.slice(2)])
