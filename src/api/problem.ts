import type { Context } from 'hono'

/** What is wrong in a request, and where: a JSON pointer into the body, or the name of a parameter or header. */
export interface ProblemPart {
  readonly in: 'body' | 'query' | 'path' | 'header'
  readonly at: string
  readonly detail: string
}

/** A refusal as RFC 9457 has it. `code` is the machine's word, and the end of `type`. */
export interface Problem {
  readonly kind: 'problem'
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 422 | 429 | 500 | 503
  readonly code: string
  readonly title: string
  readonly detail?: string
  readonly errors?: readonly ProblemPart[]
  readonly headers?: Readonly<Record<string, string>>
}

/** A refusal, to be told by `problemResponse`. */
export const problem = (
  status: Problem['status'],
  code: string,
  title: string,
  more: Pick<Problem, 'detail' | 'errors' | 'headers'> = {},
): Problem => ({ kind: 'problem', status, code, title, ...more })

/** The answer that tells a refusal. */
export function problemResponse(c: Context, { status, code, title, detail, errors, headers = {} }: Problem): Response {
  const type = `urn:dale:problem:${code.replaceAll('_', '-')}`
  const body = {
    type,
    title,
    status,
    code,
    ...(detail === undefined ? {} : { detail }),
    ...(errors === undefined ? {} : { errors }),
  }
  return c.body(JSON.stringify(body), status, { 'content-type': 'application/problem+json', ...headers })
}

/** What is not here, or another tenant's. */
export const notFound = problem(404, 'not_found', 'There is nothing here by that name.')
