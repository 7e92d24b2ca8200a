import type { Hono } from 'hono'
import { gatewayApp } from '../../src/console/app.ts'
import { openMetrics } from '../../src/metrics.ts'

/** The gateway's addresses with nothing behind them but an API. */
export const gatewayAppOf = (api: (request: Request) => Response | Promise<Response>): Hono =>
  gatewayApp({
    log: { info: () => {}, warn: () => {}, error: () => {} },
    readiness: async () => ({ ok: true, parts: {} }),
    metrics: openMetrics(),
    api,
  })
