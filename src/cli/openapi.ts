import type { Command } from 'commander'
import { newVerb } from './verb.ts'
import { versionOf } from './version.ts'

/** `dale openapi`: the document of the HTTP API, as `/v1/openapi.json` serves it. */
export const openapi = (): Command =>
  newVerb('openapi', 'Print the OpenAPI 3.1 document of the HTTP API.', [
    ['dale openapi > dale.json', 'for whatever makes clients of it'],
  ])
    .option('--json', 'on one line')
    .action(async ({ json }: { readonly json?: true }) => {
      const { openApiDocument } = await import('../api/document.ts')
      process.stdout.write(`${JSON.stringify(openApiDocument(versionOf()), undefined, json ? undefined : 2)}\n`)
    })
