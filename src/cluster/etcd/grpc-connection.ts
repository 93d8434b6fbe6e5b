/**
 * One HTTP/2 connection to one etcd server (RFC 9113; gRPC over HTTP/2). It is opened by the first call, carries all
 * calls as streams, and is never repaired: what fails ends it, and the caller opens another one.
 *
 * A peer that is cut off says nothing, so a connection with streams is probed by PING (RFC 9113 section 6.7). etcd ends
 * connections with "too many pings" that send one more often than every 5 s (`--grpc-keepalive-min-time`) or while no
 * stream is open, so neither happens here. Calls have their own, shorter deadlines.
 */
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import type { EtcdTarget } from '../etcd-target.ts'
import { GrpcError } from './grpc-status.ts'
import { describeSocketError } from './socket-error.ts'

const PING_EVERY_MS = 6_000
const PING_WAIT_MS = 3_000
/** Bytes that a server may send ahead of what was read: on one stream, and on all of them. */
const STREAM_WINDOW_BYTES = 8 * 1024 * 1024
const SESSION_WINDOW_BYTES = 16 * 1024 * 1024
/**
 * Node ends a session that holds more than this, in MB: the windows, and requests of 8 MiB that wait for the server.
 */
const SESSION_MEMORY_MB = 96

export type TlsFiles = Pick<EtcdTarget, 'ca' | 'cert' | 'key'>

export function openGrpcConnection(url: string, { ca, cert, key }: TlsFiles, connectMs: number) {
  const session: ClientHttp2Session = connect(url, {
    settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
    maxSessionMemory: SESSION_MEMORY_MB,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  })
  let failure: GrpcError | undefined
  let streams = 0
  const opened = Promise.withResolvers<void>()
  // A caller that gave up waiting leaves the rejection to no handler.
  opened.promise.catch(() => {})

  /** Ends the connection and all its streams. The first reason stays. */
  const end = (error: GrpcError): void => {
    failure ??= error
    opened.reject(failure)
    // Outside of the frames that are being read: Node's accounting of their memory ends the process with an assertion
    // where a session goes while it reads RST_STREAM (nodejs/node issue 38964).
    setImmediate(() => session.destroy())
  }
  const late = setTimeout(() => end(unreachable(`no connection came about within ${connectMs} ms`)), connectMs)
  session.once('connect', () => {
    clearTimeout(late)
    session.setLocalWindowSize(SESSION_WINDOW_BYTES)
    opened.resolve()
  })
  session.on('error', (error) => end(unreachable(describeSocketError(error), error)))
  session.on('close', () => {
    clearTimeout(late)
    clearInterval(pings)
    end(unreachable('the server closed the connection'))
  })
  const pings = setInterval(() => {
    if (streams > 0 && failure === undefined) probe()
  }, PING_EVERY_MS).unref()
  const probe = (): void => {
    const reason = `no response to a PING came within ${PING_WAIT_MS} ms`
    const lost = setTimeout(() => end(unreachable(reason)), PING_WAIT_MS).unref()
    session.ping(() => clearTimeout(lost))
  }

  /** False after GOAWAY as well, while calls that are in flight end. */
  const isOpen = (): boolean => failure === undefined && !session.closed && !session.destroyed

  return {
    url,
    get isOpen(): boolean {
      return isOpen()
    },
    /** What ended the connection. */
    get failure(): GrpcError | undefined {
      return failure
    },
    /** Resolves when requests can be sent. Rejects with a GrpcError that says that nothing was sent. */
    opened: opened.promise,
    /** Opens a stream. Throws a GrpcError where the connection has ended. */
    request(path: string, metadata: Readonly<Record<string, string>>): ClientHttp2Stream {
      if (!isOpen()) throw failure ?? unreachable('the server closes the connection')
      const stream = session.request({
        [constants.HTTP2_HEADER_METHOD]: 'POST',
        [constants.HTTP2_HEADER_PATH]: path,
        te: 'trailers',
        'content-type': 'application/grpc',
        'user-agent': 'dateline',
        ...metadata,
      })
      streams++
      stream.once('close', () => streams--)
      return stream
    },
    end,
  }
}

export type GrpcConnection = ReturnType<typeof openGrpcConnection>

function unreachable(message: string, cause?: Error): GrpcError {
  return new GrpcError('unavailable', message, { isSent: false, cause })
}
