import type { Hono } from 'hono'
import type { Config } from '../config/config.ts'
import { phonesRoutes } from '../console/phones/routes.ts'
import type { House } from '../gateway/house.ts'
import type { SimulatorChannel } from '../ports/simulation.ts'

const loopback = ['127.0.0.1', 'localhost', '::1']

/** Who holds the simulated phone. */
const person = 'ana'

/**
 * Puts a phone for each simulated account on a page of its own, to try a configuration without a provider. Whoever opens it acts as
 * that person, so it is there only while every account is simulated and only this machine can open it. Returns its path.
 */
export function phonesFor(house: House, { accounts }: Config, host: string, app: Hono): string | undefined {
  if (!loopback.includes(host) || accounts.some(({ channel }) => channel !== 'simulator')) return undefined
  const channels = accounts.flatMap(({ name }) => {
    const channel = house.channels.get(name)
    return channel === undefined ? [] : [channel as SimulatorChannel]
  })
  const chats = accounts.map(({ name, locale }) => ({
    title: name,
    account: name,
    chat: person,
    person,
    role: 'customer' as const,
    locale,
  }))
  app.route('/phones/', phonesRoutes({ channels, chats, texts: house.texts }))
  return '/phones/'
}
