import type { BinaryNode, proto } from 'baileys'
import type { WebSocket } from 'ws'
import { applicantOf, type Device } from './device.ts'
import { ends, lastWords } from './endings.ts'
import { answerTo } from './iq.ts'
import { Line } from './line.ts'
import { Linking } from './linking.ts'
import { childOf, node } from './nodes.ts'
import { certified } from './noise.ts'
import type { Own } from './own-phone.ts'
import { Post } from './sending.ts'
import { World } from './world.ts'

/** Who is logged in on a line. */
interface Session {
  readonly own: Own
  readonly device: Device
}

type Version = readonly [number, number, number]

const isOlder = (version: proto.ClientPayload.UserAgent.IAppVersion | null | undefined, than: Version): boolean => {
  const numbers = [version?.primary ?? 0, version?.secondary ?? 0, version?.tertiary ?? 0]
  const index = numbers.findIndex((number, at) => number !== than[at])
  return index >= 0 && (numbers[index] ?? 0) < (than[index] ?? 0)
}

/** The server itself: who may connect, and where each stanza goes. */
export class Server {
  readonly world = new World()
  readonly linking = new Linking(this.world)
  readonly post = new Post(this.world)
  readonly lines = new Set<Line>()
  oldest: Version = [0, 0, 0]
  readonly #certificate = certified()
  readonly #sessions = new Map<Line, Session>()

  accepts(socket: WebSocket): void {
    const line: Line = new Line(socket, this.#certificate, {
      opened: (payload, noiseKey) => this.#opened(line, payload, noiseKey),
      heard: (stanza) => this.#heard(line, stanza),
      gone: () => this.#gone(line),
      broke: (error) => this.world.fails(error, 'a connection broke'),
    })
    this.lines.add(line)
  }

  #refuses(line: Line, how: 401 | 405): void {
    line.sends(how === 405 ? lastWords(405) : node('failure', { reason: 401, location: 'tst' }))
    void line.closes()
  }

  #opened(line: Line, payload: proto.ClientPayload, noiseKey: Uint8Array): void {
    if (isOlder(payload.userAgent?.appVersion, this.oldest)) this.#refuses(line, 405)
    else if (payload.devicePairingData) this.linking.offers(line, applicantOf(payload.devicePairingData, noiseKey))
    else this.#logsIn(line, payload, noiseKey)
  }

  #logsIn(line: Line, payload: proto.ClientPayload, noiseKey: Uint8Array): void {
    const own = this.world.numbers.get(String(payload.username))
    const device = own?.devices.get(payload.device ?? 0)
    if (own === undefined || device === undefined || !Buffer.from(device.noiseKey).equals(noiseKey)) {
      this.#refuses(line, 401)
      return
    }
    const older = device.line
    device.line = line
    device.active = false
    this.#sessions.set(line, { own, device })
    own.logsIn(line)
    if (older !== undefined) void ends(older, 440)
    line.sends(node('success', { t: this.world.seconds(), lid: device.lid, location: 'tst' }))
    this.world.changed()
  }

  #gone(line: Line): void {
    this.lines.delete(line)
    this.linking.gone(line)
    const session = this.#sessions.get(line)
    this.#sessions.delete(line)
    session?.own.lines.delete(line)
    if (session?.device.line === line) {
      session.device.line = undefined
      session.device.active = false
    }
    this.world.changed()
  }

  #heard(line: Line, stanza: BinaryNode): void {
    const session = this.#sessions.get(line)
    if (session === undefined) this.linking.hears(line, stanza)
    // A device that was replaced is told so; what it still says counts for nothing.
    else if (session.device.line === line) this.#stanza(line, stanza, session)
    this.world.changed()
  }

  #stanza(line: Line, stanza: BinaryNode, { own, device }: Session): void {
    switch (stanza.tag) {
      case 'iq':
        this.#iq(line, stanza, { own, device })
        break
      case 'message':
        this.post.takes(stanza, own, device)
        break
      case 'ack':
        device.acknowledged(stanza)
        break
      case 'receipt':
        this.#receipt(line, stanza, device)
        break
      case 'ib':
        if (childOf(stanza, 'offline_batch')) this.#catchesUp(own, device)
        break
      case 'presence':
      case 'chatstate':
        break
      default:
        this.world.fails('it is not written what it means', `<${stanza.tag}>`)
    }
  }

  #iq(line: Line, iq: BinaryNode, { own, device }: Session): void {
    if (childOf(iq, 'remove-companion-device')) {
      line.sends(node('iq', { from: '@s.whatsapp.net', id: iq.attrs.id, type: 'result' }))
      own.devices.delete(device.id)
      return
    }
    line.sends(answerTo({ iq, own, device, world: this.world }))
    if (iq.attrs.xmlns !== 'passive' || !childOf(iq, 'active')) return
    const { message, receipt, notification } = device.backlog()
    const count = message + receipt + notification
    if (count === 0) this.#catchesUp(own, device)
    else line.sends(node('ib', {}, [node('offline_preview', { count, message, receipt, notification, appdata: 0 })]))
  }

  #catchesUp(own: Own, device: Device): void {
    device.catchesUp()
    if (!device.synced) own.syncs(device)
  }

  #receipt(line: Line, stanza: BinaryNode, device: Device): void {
    const { id, type, to = '', participant } = stanza.attrs
    line.sends(node('ack', { class: 'receipt', id, from: to, type, participant }))
    device.acknowledged(stanza)
    if (type === 'retry') this.world.whoIs(participant ?? to)?.sendsAgain(stanza, device)
  }
}
