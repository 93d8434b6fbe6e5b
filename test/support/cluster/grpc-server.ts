/** A server that responds to every gRPC call with what a test says, over real HTTP/2. */
import { createServer, type ServerHttp2Stream } from 'node:http2'
import { portFor } from '../../../scripts/tools/listening.ts'
import type { Cleanup } from '../../../scripts/tools/temporary-directory.ts'

export interface ScriptedResponse {
  readonly headers?: Readonly<Record<string, string | number>>
  readonly body?: Uint8Array
  /** `grpc-status: 0` by default. */
  readonly trailers?: Readonly<Record<string, string>>
}

export async function startGrpcServer(t: Cleanup, respond: () => ScriptedResponse): Promise<string> {
  const server = createServer()
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => {})
    const { headers = {}, body, trailers = { 'grpc-status': '0' } } = respond()
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...headers }, { waitForTrailers: true })
    stream.once('wantTrailers', () => stream.sendTrailers(trailers))
    stream.end(body)
  })
  return `http://127.0.0.1:${await portFor(t, server)}`
}

/** The frame of a message, with any flag, and with a length of its own where the test wants one. */
export function rawFrame(message: Uint8Array, { flag = 0, length = message.length } = {}): Buffer {
  const prefix = Buffer.alloc(5)
  prefix[0] = flag
  prefix.writeUInt32BE(length, 1)
  return Buffer.concat([prefix, message])
}
