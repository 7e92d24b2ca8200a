import type { ActionSource } from '../ports/action-source.ts'
import type { Read } from '../ports/read.ts'
import { type CheckedMcpOptions, checkMcpOptions, type McpOptions, nameOf } from './mcp-options.ts'
import { toolSchemaOf } from './mcp-schema.ts'
import type { OpenServer } from './mcp-server.ts'

/** A server in a configuration: itself among the `actions`, and `reads` among the reads of a model. */
export interface McpActions extends ActionSource {
  readonly reads: readonly Read[]
}

/**
 * Takes the tools of an MCP server as actions: those in `reads` the agent calls freely, every other one waits for a yes. Nothing is started
 * here. Throws `ConfigError` with every problem of the options; what is wrong with the server is told when Dale starts.
 */
export function mcpActions(given: McpOptions): McpActions {
  const checked = checkMcpOptions(given)
  const { name, server, reads, actions } = checked
  const secrets = Object.values('command' in server ? server.env : server.headers)
  const opened = new Set<OpenServer>()
  return {
    source: name,
    needs: secrets.flatMap((value) => (typeof value === 'string' ? [] : [value.env])),
    longestTimeoutMs: Math.max(checked.timeoutMs, ...Object.values(actions).map(({ timeoutMs = 0 }) => timeoutMs)),
    mayHave: (action) => action.startsWith(`${name}_`),
    reads: reads.map((tool) => readOf(checked, tool, () => [...opened].at(-1))),
    async open(around) {
      // Whoever has no server loads nothing of the protocol.
      const { OpenServer } = await import('./mcp-server.ts')
      const one = new OpenServer(checked, around, () => opened.delete(one))
      await one.open()
      opened.add(one)
      return one
    },
  }
}

/** A tool that the operator allowed to be called freely. What it is called with is the server's to check; what comes back is data. */
function readOf({ name: source }: CheckedMcpOptions, tool: string, server: () => OpenServer | undefined): Read {
  return {
    name: nameOf(source, tool),
    get description() {
      return server()?.tool(tool)?.description?.slice(0, 4_000) ?? tool
    },
    get input() {
      const read = toolSchemaOf(server()?.tool(tool)?.inputSchema)
      return read.ok ? read.schema : { type: 'object' }
    },
    async run(args, context) {
      const open = server()
      if (open === undefined) throw new Error(`${source} is not open: put it among the actions of the configuration too`)
      return await open.read(tool, args, context)
    },
  }
}
