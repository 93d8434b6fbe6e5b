/**
 * A request whose body goes to a sink while it is parsed.
 *
 * Node's parser makes a Buffer of every chunk, and a Readable keeps these objects until they are read: a chunk of one
 * byte, six on the wire, then costs 400. A sink copies the bytes it wants, and nothing else remains of a piece.
 */
import { IncomingMessage } from 'node:http'

export interface BodySink {
  /** Takes a piece, which must be copied to be kept. Returns false to have no more read until the socket is resumed. */
  take(piece: Buffer): boolean
  /** The body is complete. */
  end(): void
}

export class PushedRequest extends IncomingMessage {
  /** Without one, the body is thrown away. */
  sink: BodySink | undefined

  override push(piece: Buffer | null): boolean {
    if (piece !== null) return this.sink?.take(piece) ?? true
    this.sink?.end()
    return super.push(null)
  }
}
