import { OpenAPIHono } from '@hono/zod-openapi'
import type { House } from '../gateway/house.ts'
import { brakeEndpoints } from './brakes.ts'
import type { Api, ApiEnv } from './endpoint.ts'
import { lookEndpoints } from './looks.ts'
import { peopleEndpoints } from './people.ts'
import { proposalEndpoints } from './proposals.ts'
import { describeStream } from './stream.ts'

/** Serves everything that is in the document. */
export function serveEndpoints(api: Api, house: House): void {
  proposalEndpoints(api, house)
  describeStream(api)
  lookEndpoints(api, house)
  peopleEndpoints(api, house)
  brakeEndpoints(api, house)
  api.openAPIRegistry.registerComponent('securitySchemes', 'key', {
    type: 'http',
    scheme: 'bearer',
    description: 'A key of `dale keys create`. No key decides.',
  })
}

/** The document of an API. */
export const writeDocument = (api: Api, version: string): object =>
  api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Dale',
      version,
      description: 'Ask for actions that people approve in their chat, and learn what became of them.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
  })

/** The document without a house: nothing in it depends on one. */
export function openApiDocument(version: string): object {
  const api: Api = new OpenAPIHono<ApiEnv>()
  serveEndpoints(api, {} as House)
  return writeDocument(api, version)
}
