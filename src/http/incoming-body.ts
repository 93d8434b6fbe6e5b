/**
 * The body of one request while it arrives, in one growing buffer.
 *
 * It costs its bytes, whatever pieces they come in, and they count in body-limits.ts from the first. Before a handler
 * reads the body, only the beginning is taken, and then the socket is not read: the caller is not known yet.
 * A body in a flood of tiny chunks costs the parser far more than its bytes; such a connection is cut off.
 */
import { IncomingMessage } from 'node:http'
import { fail, type Failure } from '../base/failure.ts'
import { abandonInput } from './node-internals.ts'
import type { BodyMemory, BodyOwner, BodyPace } from './body-limits.ts'

/** What is taken of a body before a handler reads it, beside the rest of the piece that the socket delivered. */
const UNREAD_BYTES_MAX = 16 * 1024
const BUFFER_BYTES_MIN = 256
/** A chunked body may have so many chunks, and one more for each so many bytes. */
const CHUNKS_FREE = 300
const CHUNK_BYTES_MIN = 256

/** The client disconnected in the middle of its request: no response can be sent. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export interface BodyReading {
  readonly bytesMax: number
  /** The kind of caller that has this limit, such as `a guest`; undefined where every client has. */
  readonly from: string | undefined
  readonly owner: BodyOwner
  /** Called with the bytes of the body, and how many of them it was called with before. May throw to reject them. */
  readonly weigh: (bytes: number, before: number) => void
  /** Called before the first byte is awaited: a client may wait for a `100 Continue` with its body. */
  readonly onStart: () => void
}

export interface BodyOptions {
  readonly bodyMemory: BodyMemory
  readonly bodyPace: BodyPace
}

interface Reader extends BodyReading {
  readonly resolve: (bytes: Buffer) => void
  readonly reject: (reason: unknown) => void
}

const NOTHING = Buffer.alloc(0)
/** Made once: the stack of an error costs more than all else of a small body. */
const AFTER_RESPONSE = new Error('Cannot read a request body after its response')

function resume({ socket }: IncomingMessage): void {
  if (socket.isPaused()) socket.resume()
}

/** Whether a body follows the header: it then has a length, or comes in chunks (RFC 9112 section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) !== 0)
}

export class IncomingBody {
  readonly #request: IncomingMessage
  readonly #memory: BodyMemory
  readonly #pace: BodyPace
  readonly #onFlood: (failure: Failure) => void
  /** Undefined of a chunked body. */
  readonly #announced: number | undefined
  #buffer = NOTHING
  /** The bytes that are counted for it: those of the buffer, also once a reader has handed that over. */
  #held = 0
  #received = 0
  #chunks = 0
  #isWhole = false
  #awaitsTurn = false
  #owner: BodyOwner | undefined
  #reader: Reader | undefined
  /** Why it cannot be read any further. What arrives from then on is discarded. */
  #failure: unknown
  #rest: { bytesLeft: number; readonly onPassed: () => void } | undefined

  /** `onFlood` is called when the connection has to end: its parsing has stopped. */
  constructor(
    request: IncomingMessage,
    { bodyMemory, bodyPace }: BodyOptions,
    onFlood: (failure: Failure) => void,
  ) {
    const { 'content-length': length } = request.headers
    this.#request = request
    this.#memory = bodyMemory
    this.#pace = bodyPace
    this.#onFlood = onFlood
    this.#announced = length === undefined ? undefined : Number(length)
  }

  /** How many bytes it has, once it is complete. Node may hide the end of one that is discarded. */
  get bytes(): number {
    return this.#announced ?? this.#received
  }

  /** All of it has arrived. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  /**
   * All of it, once; the buffer is the reader's, and counts until release(). Throws payloadTooLarge past the limit, networkError where there is no memory for it, ClientGone
   * where the client leaves before its end, and what `weigh` throws.
   */
  async read(reading: BodyReading): Promise<Buffer> {
    if (this.#failure !== undefined) throw this.#failure
    try {
      this.#admit(reading)
    } catch (error) {
      this.fail(error)
      throw error
    }
    reading.onStart()
    if (this.#isWhole) return this.#bytes()
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    this.#reader = { ...reading, resolve, reject }
    const gone = (): void => this.fail(new ClientGone('the connection ended before the request body did'))
    if (this.#request.destroyed) gone()
    this.#request.once('close', gone)
    if (this.#takesMore) resume(this.#request)
    try {
      return await promise
    } finally {
      this.#request.off('close', gone)
    }
  }

  /** Counts its bytes for this owner before it is read. Reading fails where the owner may not hold them. */
  assign(owner: BodyOwner): void {
    try {
      this.#assign(owner, 0)
    } catch (error) {
      this.fail(error)
    }
  }

  /** Takes a piece, which must be copied to be kept. Returns false to have no more read until the socket is resumed. */
  take(piece: Buffer): boolean {
    this.#received += piece.length
    if (this.#announced === undefined && ++this.#chunks > CHUNKS_FREE + this.#received / CHUNK_BYTES_MIN) this.#cutOff()
    else if (this.#failure === undefined) this.#keepOrFail(piece)
    else if (this.#rest !== undefined && (this.#rest.bytesLeft -= piece.length) < 0) this.#rest.onPassed()
    if (this.#pace.isExceededBy(piece.length)) this.#waitForTurn()
    return this.#takesMore
  }

  /** The body is complete. */
  end(): void {
    this.#isWhole = true
    this.#reader?.resolve(this.#bytes())
    this.#rest?.onPassed()
  }

  /** Makes reading it fail, now or later, and releases its memory. */
  fail(reason: unknown): void {
    this.#failure ??= reason
    this.#memory.hold(-this.#held, this.#owner)
    this.#held = 0
    this.#buffer = NOTHING
    this.#reader?.reject(this.#failure)
  }

  /** Releases its memory, and discards what arrives from now on. Called when the response is made. */
  release(): void {
    this.fail(AFTER_RESPONSE)
  }

  /** The same; calls `onPassed` after so many bytes, after the last one, and when the client disconnects. */
  discard(bytesMax: number, onPassed: () => void): void {
    this.#rest = { bytesLeft: bytesMax, onPassed }
    this.#request.once('close', onPassed)
    this.release()
    if (this.#takesMore) resume(this.#request)
  }

  get #takesMore(): boolean {
    if (this.#awaitsTurn) return false
    return this.#reader !== undefined || this.#failure !== undefined || this.#received < UNREAD_BYTES_MAX
  }

  #waitForTurn(): void {
    if (this.#awaitsTurn) return
    this.#awaitsTurn = true
    void this.#pace.turn().then(() => {
      this.#awaitsTurn = false
      if (this.#takesMore) resume(this.#request)
    })
  }

  #admit({ bytesMax, from, owner, weigh }: BodyReading): void {
    const bytes = this.#announced ?? this.#received
    if (bytes > bytesMax) throw this.#tooLarge(bytesMax, from)
    this.#assign(owner, bytes)
    weigh(bytes, 0)
  }

  /** Counts what it holds for this owner. Throws networkError where the owner may not hold so many bytes. */
  #assign(owner: BodyOwner, bytes: number): void {
    const held = this.#held
    this.#memory.hold(-held, this.#owner)
    const lack = this.#memory.lackOfRoom(Math.max(held, bytes), owner)
    this.#memory.hold(held, owner)
    this.#owner = owner
    if (lack !== undefined) throw this.#noRoom(lack)
  }

  #keepOrFail(piece: Buffer): void {
    try {
      this.#keep(piece)
    } catch (error) {
      this.fail(error)
    }
  }

  #keep(piece: Buffer): void {
    const before = this.#received - piece.length
    if (this.#reader !== undefined && this.#announced === undefined) {
      const { bytesMax, from, weigh } = this.#reader
      if (this.#received > bytesMax) throw this.#tooLarge(bytesMax, from)
      weigh(this.#received, before)
    }
    if (this.#received > this.#buffer.length) this.#grow(before)
    piece.copy(this.#buffer, before)
  }

  /** Makes room for all that was received; the first `filled` bytes are in use. */
  #grow(filled: number): void {
    const doubled = Math.max(BUFFER_BYTES_MIN, 2 * this.#buffer.length)
    const bytes = Math.max(this.#received, Math.min(doubled, this.#announced ?? doubled))
    const more = bytes - this.#buffer.length
    const lack = this.#memory.lackOfRoom(more, this.#owner)
    if (lack !== undefined) throw this.#noRoom(lack)
    const buffer = Buffer.allocUnsafeSlow(bytes)
    this.#buffer.copy(buffer, 0, 0, filled)
    this.#buffer = buffer
    this.#held += more
    this.#memory.hold(more, this.#owner)
  }

  #bytes(): Buffer {
    return this.#buffer.subarray(0, this.#received)
  }

  #tooLarge(bytesMax: number, from: string | undefined): Failure {
    this.#memory.countRejection('too_long')
    const whose = from === undefined ? '' : ` from ${from}`
    return fail('payloadTooLarge', `Cannot take a request body of this size: expected at most ${bytesMax} bytes${whose}`)
  }

  #noRoom(lack: Failure): Failure {
    this.#memory.countRejection('no_room')
    return lack
  }

  #cutOff(): void {
    this.#memory.countRejection('tiny_pieces')
    abandonInput(this.#request.socket)
    const failure = fail(
      'payloadTooLarge',
      `Cannot take a request body in chunks this small: expected ${CHUNK_BYTES_MIN} bytes or more in most of them`,
    )
    this.fail(failure)
    this.#onFlood(failure)
  }
}

/**
 * A request whose body goes to an IncomingBody while it is parsed.
 *
 * Node's parser makes a Buffer of every chunk, and a Readable keeps these objects until they are read: a chunk of one
 * byte, six on the wire, then costs 400. An IncomingBody copies the bytes it wants, and nothing else of a piece remains.
 */
export class PushedRequest extends IncomingMessage {
  /** Without one, the body is discarded. */
  sink: IncomingBody | undefined

  override push(piece: Buffer | null): boolean {
    if (piece !== null) return this.sink?.take(piece) ?? true
    this.sink?.end()
    return super.push(null)
  }
}
