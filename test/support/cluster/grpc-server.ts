/** A server that responds to every gRPC call with what a test says, over real HTTP/2. */
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { Cleanup } from '../../../scripts/tools/temporary-directory.ts'

export interface ScriptedResponse {
  readonly headers?: Readonly<Record<string, string | number>>
  readonly body?: Uint8Array
  /** `grpc-status: 0` by default. */
  readonly trailers?: Readonly<Record<string, string>>
}

export async function startGrpcServer(t: Cleanup, respond: () => ScriptedResponse): Promise<string> {
  const sessions = new Set<ServerHttp2Session>()
  const server = createServer()
  server.on('session', (session) => void sessions.add(session))
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => {})
    const { headers = {}, body, trailers = { 'grpc-status': '0' } } = respond()
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...headers }, { waitForTrailers: true })
    stream.once('wantTrailers', () => stream.sendTrailers(trailers))
    stream.end(body)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const session of sessions) session.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The frame of a message, with any flag, and with a length of its own where the test wants one. */
export function rawFrame(message: Uint8Array, { flag = 0, length = message.length } = {}): Buffer {
  const prefix = Buffer.alloc(5)
  prefix[0] = flag
  prefix.writeUInt32BE(length, 1)
  return Buffer.concat([prefix, message])
}
