/**
 * The body of one request while it arrives, in one growing buffer.
 *
 * It costs its bytes, whatever pieces they come in, and they count in body-memory.ts from the first. Before a handler
 * asks for the body, only the beginning is taken, and then the socket is not read: who is calling is not known yet.
 * A body in a flood of tiny chunks costs the parser far more than its bytes; such a connection is cut off.
 */
import type { IncomingMessage } from 'node:http'
import { fail, type Failure } from '../../base/failure.ts'
import { abandonInput } from '../guard/abandoned-input.ts'
import type { BodyMemory, BodyOwner } from '../guard/body-memory.ts'
import type { BodyPace } from '../guard/body-pace.ts'
import type { BodySink } from './pushed-request.ts'

/** What is taken of a body before a handler asks for it; what was read with it from the socket comes on top. */
const UNREAD_BYTES_MAX = 16 * 1024
const BUFFER_BYTES_MIN = 256
/** A chunked body may have so many chunks, and one more for each so many bytes. */
const CHUNKS_FREE = 300
const CHUNK_BYTES_MIN = 256

/** The client disconnected in the middle of its request: no response can be sent, and nothing is to be repaired. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export interface BodyReading {
  readonly bytesMax: number
  /** Whose limit it is, where not that of every client. */
  readonly from: string | undefined
  readonly owner: BodyOwner
  /** Told how many bytes the body has, and how many of them it was told before. May refuse them by what it throws. */
  readonly weigh: (bytes: number, before: number) => void
  /** Called before the first byte is awaited: a client may wait for a `100 Continue` with its body. */
  readonly onStart: () => void
}

export interface BodySurroundings {
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

export class IncomingBody implements BodySink {
  readonly #request: IncomingMessage
  readonly #memory: BodyMemory
  readonly #pace: BodyPace
  readonly #onFlood: (failure: Failure) => void
  /** Undefined of a chunked body. */
  readonly #announced: number | undefined
  #buffer = NOTHING
  #received = 0
  #chunks = 0
  #isWhole = false
  #awaitsTurn = false
  #owner: BodyOwner | undefined
  #reader: Reader | undefined
  /** Why it cannot be read, or read on. What arrives is thrown away from then on. */
  #failure: unknown
  #rest: { bytesLeft: number; readonly onPassed: () => void } | undefined

  /** `onFlood` is called when the connection has to end, since nothing more of it is parsed. */
  constructor(
    request: IncomingMessage,
    { bodyMemory, bodyPace }: BodySurroundings,
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

  /** Nothing of it is still to come. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  /**
   * All of it, once. Throws payloadTooLarge past the limit, networkError where there is no memory for it, ClientGone
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

  /** Counts its bytes for this owner before it is read. Where the owner may not hold them, reading it fails. */
  assign(owner: BodyOwner): void {
    try {
      this.#assign(owner, 0)
    } catch (error) {
      this.fail(error)
    }
  }

  take(piece: Buffer): boolean {
    this.#received += piece.length
    if (this.#announced === undefined && ++this.#chunks > CHUNKS_FREE + this.#received / CHUNK_BYTES_MIN) this.#cutOff()
    else if (this.#failure === undefined) this.#keepOrFail(piece)
    else if (this.#rest !== undefined && (this.#rest.bytesLeft -= piece.length) < 0) this.#rest.onPassed()
    if (this.#pace.isExceededBy(piece.length)) this.#waitForTurn()
    return this.#takesMore
  }

  end(): void {
    this.#isWhole = true
    this.#reader?.resolve(this.#bytes())
    this.#rest?.onPassed()
  }

  /** Makes reading it fail, now or when it is asked for, and gives its memory back. */
  fail(reason: unknown): void {
    this.#failure ??= reason
    this.#memory.hold(-this.#buffer.length, this.#owner)
    this.#buffer = NOTHING
    this.#reader?.reject(this.#failure)
  }

  /** Gives its memory back, and throws away what is still to come. Called when the response is made. */
  release(): void {
    this.fail(AFTER_RESPONSE)
  }

  /** The same, with calls when more than so many bytes came, when the last one did, and when the client left. */
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
    const held = this.#buffer.length
    this.#memory.hold(-held, this.#owner)
    const refusal = this.#memory.refusal(Math.max(held, bytes), owner)
    this.#memory.hold(held, owner)
    this.#owner = owner
    if (refusal !== undefined) throw this.#noRoom(refusal)
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
    const refusal = this.#memory.refusal(more, this.#owner)
    if (refusal !== undefined) throw this.#noRoom(refusal)
    const buffer = Buffer.allocUnsafeSlow(bytes)
    this.#buffer.copy(buffer, 0, 0, filled)
    this.#buffer = buffer
    this.#memory.hold(more, this.#owner)
  }

  #bytes(): Buffer {
    return this.#buffer.subarray(0, this.#received)
  }

  #tooLarge(bytesMax: number, from: string | undefined): Failure {
    this.#memory.countRefusal('too_long')
    const whose = from === undefined ? '' : ` from ${from}`
    return fail('payloadTooLarge', `Cannot take a request body of this size: expected at most ${bytesMax} bytes${whose}`)
  }

  #noRoom(refusal: Failure): Failure {
    this.#memory.countRefusal('no_room')
    return refusal
  }

  #cutOff(): void {
    this.#memory.countRefusal('tiny_pieces')
    abandonInput(this.#request.socket)
    const failure = fail(
      'payloadTooLarge',
      `Cannot take a request body in chunks this small: expected ${CHUNK_BYTES_MIN} bytes or more in most of them`,
    )
    this.fail(failure)
    this.#onFlood(failure)
  }
}
