/**
 * A request whose body goes to an IncomingBody while it is parsed.
 *
 * Node's parser makes a Buffer of every chunk, and a Readable keeps these objects until they are read: a chunk of one
 * byte, six on the wire, then costs 400. An IncomingBody copies the bytes it wants, and nothing else of a piece remains.
 */
import { IncomingMessage } from 'node:http'
import type { IncomingBody } from './incoming-body.ts'

export class PushedRequest extends IncomingMessage {
  /** Without one, the body is discarded. */
  sink: IncomingBody | undefined

  override push(piece: Buffer | null): boolean {
    if (piece !== null) return this.sink?.take(piece) ?? true
    this.sink?.end()
    return super.push(null)
  }
}
