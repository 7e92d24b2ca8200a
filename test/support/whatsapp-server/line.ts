import type { BinaryNode, proto } from 'baileys'
import type { WebSocket } from 'ws'
import { type certified, NoiseResponder } from './noise.ts'

/** What a connection tells whoever listens. */
interface Listener {
  /** The handshake is over: who it is. */
  opened(payload: proto.ClientPayload, noiseKey: Uint8Array): void
  /** One stanza. The next one is read when this is done. */
  heard(node: BinaryNode): Promise<void> | void
  gone(): void
  /** The client sent what cannot be read, or could not be answered; the connection is cut. */
  broke(error: Error): void
}

/** One WebSocket of a client: its bytes become nodes, and nodes its bytes. */
export class Line {
  readonly #socket: WebSocket
  readonly #noise: NoiseResponder
  readonly #gone: Promise<void>
  #stage: 'hello' | 'finish' | 'nodes' = 'hello'
  /** Nothing is read and nothing answered any more, and the client is not told. */
  silent = false

  constructor(socket: WebSocket, certificate: ReturnType<typeof certified>, listener: Listener) {
    this.#socket = socket
    this.#noise = new NoiseResponder(certificate)
    this.#gone = new Promise((resolve) => socket.once('close', () => resolve()))
    let reading = Promise.resolve()
    socket.on('message', (data: Buffer) => {
      reading = reading
        .then(() => this.#read(data, listener))
        .catch((error: unknown) => {
          listener.broke(error instanceof Error ? error : new Error(String(error)))
          void this.cuts()
        })
    })
    // A reset ends in 'close' too; without a listener it would end the process.
    socket.on('error', () => undefined)
    socket.once('close', () => listener.gone())
  }

  async #read(data: Buffer, listener: Listener): Promise<void> {
    if (this.silent) return
    for (const frame of this.#noise.frames(data)) {
      switch (this.#stage) {
        case 'hello':
          this.#stage = 'finish'
          this.#socket.send(this.#noise.hello(frame))
          break
        case 'finish': {
          const { payload, noiseKey } = this.#noise.finish(frame)
          this.#stage = 'nodes'
          listener.opened(payload, noiseKey)
          break
        }
        case 'nodes':
          await listener.heard(await this.#noise.opens(frame))
          break
      }
    }
  }

  /** What is sent on a line that is closed or silent is lost, as on any network. */
  sends(node: BinaryNode): void {
    if (this.silent || this.#stage !== 'nodes' || this.#socket.readyState !== this.#socket.OPEN) return
    this.#socket.send(this.#noise.seals(node))
  }

  /** Closes it in good form; resolves when it is closed. */
  closes(): Promise<void> {
    this.#socket.close()
    return this.#gone
  }

  /** The line is gone, without a word. */
  cuts(): Promise<void> {
    this.#socket.terminate()
    return this.#gone
  }
}
