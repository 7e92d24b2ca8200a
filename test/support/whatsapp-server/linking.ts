import { randomBytes } from 'node:crypto'
import type { BinaryNode } from 'baileys'
import type { Applicant } from './device.ts'
import type { Line } from './line.ts'
import { bytesOf, childOf, node, refusal, result } from './nodes.ts'
import type { Own } from './own-phone.ts'
import { entersCode, pairDevice, pairSuccess, readQr } from './pairing.ts'
import type { World } from './world.ts'

/** A client that waits to be linked. */
interface Waiting {
  readonly line: Line
  readonly applicant: Applicant
  readonly refs: readonly string[]
  /** Its hello, once it wants to be linked by code, and for which number. */
  hello?: { readonly jid: string; readonly node: BinaryNode; readonly ref: Buffer }
}

interface Answer {
  readonly line: Line
  readonly resolve: (iq: BinaryNode) => void
  readonly reject: (error: Error) => void
}

/** Clients become linked devices here: by the QR that they show, or by the code. */
export class Linking {
  readonly #world: World
  readonly #waiting = new Set<Waiting>()
  /** What a client is to answer, by what tells the answer. */
  readonly #answers = new Map<string, Answer>()

  constructor(world: World) {
    this.#world = world
  }

  /** A client without an account: it is given references for its QRs. */
  offers(line: Line, applicant: Applicant): void {
    const refs = Array.from({ length: 5 }, () => `2@${randomBytes(12).toString('base64url')}`)
    this.#waiting.add({ line, applicant, refs })
    line.sends(pairDevice(refs))
  }

  gone(line: Line): void {
    for (const waiting of this.#waiting) if (waiting.line === line) this.#waiting.delete(waiting)
    for (const [key, answer] of this.#answers)
      if (answer.line === line) {
        this.#answers.delete(key)
        answer.reject(new Error('The device went away while it was being linked.'))
      }
  }

  /** A stanza of a client that is not logged in. */
  hears(line: Line, stanza: BinaryNode): void {
    if (stanza.tag !== 'iq') return
    const waiting = [...this.#waiting].find((one) => one.line === line)
    const step = childOf(stanza, 'link_code_companion_reg')
    if (stanza.attrs.type === 'result') this.#hasAnswered(stanza.attrs.id ?? '', stanza)
    else if (step?.attrs.stage === 'companion_hello' && waiting !== undefined) {
      const ref = randomBytes(16)
      waiting.hello = { jid: step.attrs.jid ?? '', node: step, ref }
      line.sends(result(stanza, [node('link_code_companion_reg', {}, [node('link_code_pairing_ref', {}, ref)])]))
      this.#world.changed()
    } else if (step?.attrs.stage === 'companion_finish') {
      const key = Buffer.from(bytesOf(step, 'link_code_pairing_ref')).toString('hex')
      line.sends(this.#answers.has(key) ? result(stanza) : refusal(stanza, 404, 'item-not-found'))
      this.#hasAnswered(key, step)
    } else line.sends(result(stanza))
  }

  async scans(own: Own, qr: string): Promise<void> {
    const { ref, advSecret } = readQr(qr)
    const waiting = [...this.#waiting].find(({ refs }) => refs.includes(ref))
    if (waiting === undefined) throw new Error('The client that showed this QR is gone.')
    await this.#links(own, waiting, advSecret)
  }

  async enters(own: Own, code: string): Promise<void> {
    const find = () => [...this.#waiting].findLast(({ hello }) => hello?.jid === own.jid)
    await this.#world.until(() => find()?.hello !== undefined)
    const waiting = find()
    if (waiting?.hello === undefined) throw new Error(`No client waits to be linked to ${own.phone} by code.`)
    const entry = await entersCode(code, waiting.hello.node, waiting.hello.ref, own.signal.identity)
    const finish = this.#answer(waiting.line, waiting.hello.ref.toString('hex'))
    waiting.line.sends(entry.notification)
    const advSecret = entry.finishes(await finish, waiting.applicant)
    if (advSecret === undefined) throw new Error('The device shows another code.')
    await this.#links(own, waiting, advSecret)
  }

  /** The account vouches, the device signs, the server has it begin anew. */
  async #links(own: Own, { line, applicant }: Waiting, advSecret: Buffer): Promise<void> {
    const device = own.admits(applicant)
    const id = randomBytes(8).toString('hex')
    const reply = this.#answer(line, id)
    line.sends(pairSuccess(id, device, own.signal.identity, advSecret, this.#world.seconds()))
    if (!device.hasSigned(await reply, own.signal.identity.public))
      throw new Error('The device has not signed what the account vouched for.')
    own.links(device)
    line.sends(node('stream:error', { code: 515 }))
    await line.closes()
  }

  #answer(line: Line, key: string): Promise<BinaryNode> {
    return new Promise((resolve, reject) => this.#answers.set(key, { line, resolve, reject }))
  }

  #hasAnswered(key: string, stanza: BinaryNode): void {
    this.#answers.get(key)?.resolve(stanza)
    this.#answers.delete(key)
  }
}
