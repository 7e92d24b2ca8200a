import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { ends } from './endings.ts'
import type { Ending, OwnPhone, WhatsAppServer } from './index.ts'
import { trust } from './noise.ts'
import { Own } from './own-phone.ts'
import { Person } from './person.ts'
import { Server } from './server.ts'
import { jidOf } from './world.ts'

/** The phone of a number, in a test's hands. */
function handle(own: Own, { linking, world }: Server): OwnPhone {
  return {
    phone: own.phone,
    jid: own.jid,
    lid: own.lid,
    scans: (qr) => linking.scans(own, qr),
    enters: (code) => linking.enters(own, code.replace(/\W/g, '')),
    async types(to, text, about) {
      const id = typeof to !== 'string' ? ('members' in to ? to.id : to.lid) : to
      const target = world.groups.get(id) ?? world.whoIs(id)
      if (target === undefined || target instanceof Own) throw new Error(`${id} is no person and no group of this server.`)
      return await own.types(target, text, about)
    },
    unlinks: () => closes(own, 401),
    sees: () => own.sees(),
    until: (isSo) => own.until(isSo),
  }
}

async function closes(own: Own, how: Ending): Promise<void> {
  if (how === 401) own.devices.clear()
  await Promise.all([...own.lines].map((line) => ends(line, how)))
}

/** Starts a server; see `startWhatsAppServer`. */
export async function serve(): Promise<WhatsAppServer> {
  const server = new Server()
  const { world, post } = server
  const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await new Promise<void>((resolve) => sockets.once('listening', resolve))
  sockets.on('connection', (socket) => server.accepts(socket))
  const { port } = sockets.address() as AddressInfo
  let lastLid = 88_100_000_000

  const known = (phone: string): Own => world.numberOf(phone)
  const phones = new Map<Own, OwnPhone>()

  return {
    url: `ws://127.0.0.1:${port}/ws/chat`,
    trust,
    get clock() {
      return world.clock
    },
    set clock(clock) {
      world.clock = clock
    },
    async number(phone) {
      const digits = phone.replace(/\D/g, '')
      const own = world.numbers.get(digits) ?? new Own(world, digits, `${++lastLid}@lid`)
      world.numbers.set(digits, own)
      const made = phones.get(own) ?? handle(own, server)
      phones.set(own, made)
      return made
    },
    async person(name, { lid, phone }) {
      const jid = phone === undefined ? undefined : jidOf(phone, 's.whatsapp.net')
      const person = world.people.get(name) ?? new Person(world, name, jidOf(lid, 'lid'), jid)
      world.people.set(name, person)
      return person
    },
    async group(id, members, addressing = 'lid') {
      const group = { id: jidOf(id, 'g.us'), members: members as readonly Person[], addressing }
      world.groups.set(group.id, group)
      return group
    },
    sockets: (phone) => known(phone).sockets(),
    connected: (phone) => world.until(() => [...known(phone).devices.values()].some(({ active }) => active)),
    closes: (phone, how) => closes(known(phone), how),
    requires(version) {
      server.oldest = version
    },
    answers: (rule) => post.answers(rule),
    releases: () => post.releases(),
    sendings: world.sendings,
    acknowledged: (id) => world.acknowledged(id),
    until: (isSo) => world.until(isSo),
    problems: world.problems,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => sockets.close(() => resolve()))
      await Promise.all([...server.lines].map((line) => line.cuts()))
      await closed
      for (const who of [...world.people.values(), ...world.numbers.values()]) who.signal.closes()
    },
  }
}
