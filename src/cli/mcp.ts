import type { Command } from 'commander'
import { type ConfiguredOptions, Failure, newVerb, withConfig } from './verb.ts'

interface McpOptions extends ConfiguredOptions {
  readonly as: string
}

/** `dale mcp`: an MCP server on stdin and stdout, for an agent on this machine. */
export const mcp = (): Command =>
  withConfig(
    newVerb('mcp', 'Be an MCP server on stdin and stdout: an agent proposes actions, and people decide them in their chats.', [
      ['dale mcp', 'beside dale start, as the command of an MCP client'],
      ['dale mcp --as planner', 'proposes under that name, and withdraws only what it asked for itself'],
    ]),
  )
    .option('--as <name>', 'what the agent is called where it is told who proposed', readName, 'local')
    .action(async (options: McpOptions) => {
      const { serveMcp } = await import('./serve-mcp.ts')
      await serveMcp(options, `mcp:${options.as}`)
    })

function readName(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(text)) throw new Failure('--as is letters, digits, _, . and -, 64 at most')
  return text
}
