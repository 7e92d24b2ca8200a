import { compileFunction } from 'node:vm'

/** A node of a workflow, as far as the recipe's nodes go. https://docs.n8n.io/workflows/export-import/ */
interface Node {
  readonly name: string
  readonly type: string
  readonly parameters: Readonly<Record<string, unknown>>
}

/** A workflow as n8n imports it. */
export interface Workflow {
  readonly nodes: readonly Node[]
  readonly connections: Readonly<
    Record<string, { readonly main: readonly (readonly { readonly node: string; readonly index: number }[])[] }>
  >
}

type Json = Readonly<Record<string, unknown>>

/**
 * Walks a workflow as n8n's documentation says: a value that begins with `=` is a template whose `{{ … }}` see `$json` (what the node before
 * gave), `$env` and `$('Node').item.json`; what is nothing but one such place keeps its type. Knows the nodes that the recipe uses.
 * https://docs.n8n.io/code/expressions/
 */
export async function walk(workflow: Workflow, input: Json, env: Json, authorization: string): Promise<Json> {
  const given = new Map<string, Json>()
  const [first] = workflow.nodes
  if (first?.type !== 'n8n-nodes-base.webhook') throw new Error('it begins with no webhook')
  let at: Node | undefined = first
  let json: Json = { body: input }
  for (let steps = 0; at !== undefined; steps += 1) {
    if (steps > 1_000) throw new Error('it never ends')
    const value = (text: unknown, about: Json = json): unknown => read(text, { json: about, env, given })
    let output = 0
    switch (at.type) {
      case 'n8n-nodes-base.webhook':
        break
      case 'n8n-nodes-base.httpRequest':
        json = await request(at.parameters, value, authorization)
        break
      case 'n8n-nodes-base.if': {
        const { conditions } = at.parameters.conditions as { readonly conditions: readonly { readonly leftValue: unknown }[] }
        const read = conditions.map(({ leftValue }) => value(leftValue))
        // Strict types: what is no boolean is an error there.
        if (read.some((one) => typeof one !== 'boolean')) throw new Error(`${at.name} reads ${JSON.stringify(read)}`)
        output = read.every((one) => one === true) ? 0 : 1
        break
      }
      case 'n8n-nodes-base.set': {
        const { assignments } = at.parameters.assignments as {
          readonly assignments: readonly { readonly name: string; readonly value: unknown }[]
        }
        const before = json
        json = Object.fromEntries(assignments.map((one) => [one.name, value(one.value, before)]))
        break
      }
      default:
        throw new Error(`no such node: ${at.type}`)
    }
    given.set(at.name, json)
    const next: string | undefined = workflow.connections[at.name]?.main[output]?.[0]?.node
    at = next === undefined ? undefined : workflow.nodes.find(({ name }) => name === next)
    if (next !== undefined && at === undefined) throw new Error(`no node is called ${next}`)
  }
  return json
}

interface Around {
  readonly json: Json
  readonly env: Json
  readonly given: ReadonlyMap<string, Json>
}

function read(text: unknown, { json, env, given }: Around): unknown {
  if (typeof text !== 'string' || !text.startsWith('=')) return text
  const template = text.slice(1)
  const evaluate = (code: string): unknown =>
    compileFunction(`return (${code})`, ['$json', '$env', '$'])(json, env, (name: string) => ({
      item: { json: given.get(name) },
    }))
  const whole = /^\{\{([^{}]*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}[^{}]*)*)\}\}$/.exec(template)
  if (whole?.[1] !== undefined) return evaluate(whole[1])
  return template.replace(/\{\{(.*?)\}\}/g, (_, code: string) => String(evaluate(code)))
}

async function request(parameters: Json, value: (text: unknown) => unknown, authorization: string): Promise<Json> {
  const { parameters: headers = [] } = (parameters.headerParameters ?? {}) as {
    readonly parameters?: readonly { readonly name: string; readonly value: unknown }[]
  }
  const response = await fetch(String(value(parameters.url)), {
    method: String(parameters.method),
    headers: {
      authorization,
      ...(parameters.sendBody === true ? { 'content-type': 'application/json' } : {}),
      ...Object.fromEntries(headers.map((header) => [header.name, String(value(header.value))])),
    },
    ...(parameters.sendBody === true ? { body: String(value(parameters.jsonBody)) } : {}),
  })
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  return (await response.json()) as Json
}
