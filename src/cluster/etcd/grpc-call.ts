/**
 * Calls over a connection: one request with one response within a deadline, and a stream of messages in both
 * directions. Whether a failed call may have been carried out is part of its error: a stream that the server refused to
 * process (REFUSED_STREAM, RFC 9113 section 8.7), or that no connection carried, was not.
 */
import { constants, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2'
import type { GrpcConnection } from './grpc-connection.ts'
import { createFrameReader, frameOf } from './grpc-frames.ts'
import { codeOfHttpStatus, GrpcError, statusOf } from './grpc-status.ts'
import type { ProtoMessage } from './protobuf.ts'
import { describeTlsError } from './socket-error.ts'

export interface GrpcRequest {
  /** `/etcdserverpb.KV/Range` */
  readonly path: string
  readonly message: ProtoMessage
  readonly metadata: Readonly<Record<string, string>>
}

/** Sends a request and resolves with the only message of its response. Rejects with a GrpcError. */
export async function callUnary(connection: GrpcConnection, request: GrpcRequest, deadlineMs: number): Promise<Buffer> {
  await connection.opened
  const stream = connection.request(request.path, { ...request.metadata, 'grpc-timeout': `${deadlineMs}m` })
  const end = watchEnd(stream, connection)
  const late = setTimeout(() => {
    end.fail(new GrpcError('deadlineExceeded', `no response came within ${deadlineMs} ms`))
    cancel(stream)
  }, deadlineMs)
  stream.end(frameOf(request.message))
  try {
    const reader = createFrameReader()
    const messages: Buffer[] = []
    stream.on('data', (chunk: Buffer) => {
      try {
        messages.push(...reader.push(chunk))
        if (messages.length > 1) throw new GrpcError('internal', 'expected one message in the response, found more')
      } catch (error) {
        end.fail(error)
        cancel(stream)
      }
    })
    await end.status
    const [message] = messages
    if (message !== undefined && reader.isEmpty) return message
    throw new GrpcError('internal', 'expected a message in the response, found a part of one')
  } finally {
    clearTimeout(late)
  }
}

/** Opens a stream on which both sides send until one of them ends it. */
export async function openGrpcStream(connection: GrpcConnection, { path, message, metadata }: GrpcRequest) {
  await connection.opened
  const stream = connection.request(path, metadata)
  const end = watchEnd(stream, connection)
  end.status.catch(() => {})
  stream.write(frameOf(message))
  return {
    /**
     * The messages of the server, as fast as they are taken: flow control of HTTP/2 holds back the rest. Throws a
     * GrpcError where the stream ends with one, or after stop().
     */
    async *messages(): AsyncGenerator<Buffer, void> {
      const reader = createFrameReader()
      try {
        // An iterator that ends would destroy the stream immediately, inside of the frames that are being read.
        const chunks: AsyncIterable<Buffer> = stream.iterator({ destroyOnReturn: false })
        for await (const chunk of chunks) yield* reader.push(chunk)
      } catch (error) {
        cancel(stream)
        // The end of the stream says why; a premature close is only how it shows.
        if (error instanceof GrpcError) throw error
      }
      await end.status
    },
    stop(): void {
      end.fail(new GrpcError('cancelled', 'the stream was ended'))
      cancel(stream)
    },
  }
}

export type GrpcStream = Awaited<ReturnType<typeof openGrpcStream>>

/** Outside of the frames that are being read: see the end of a connection. */
function cancel(stream: ClientHttp2Stream): void {
  setImmediate(() => stream.close(constants.NGHTTP2_CANCEL))
}

/**
 * Observes how a stream ends: `status` resolves after `grpc-status: 0`, and rejects with a GrpcError after any other
 * end.
 */
function watchEnd(stream: ClientHttp2Stream, connection: GrpcConnection) {
  const { promise: status, resolve, reject } = Promise.withResolvers<void>()
  let failure: unknown
  let ended: ReturnType<typeof statusOf>
  const onHeaders = (headers: IncomingHttpHeaders): void => {
    ended ??= statusOf(headers)
    const http = Number(headers[':status'] ?? constants.HTTP_STATUS_OK)
    if (ended === undefined && http !== constants.HTTP_STATUS_OK) {
      const found = `expected etcd, found a server that responded with HTTP status ${http}`
      failure ??= new GrpcError(codeOfHttpStatus(http), found)
    }
  }
  stream.on('response', onHeaders)
  stream.on('trailers', onHeaders)
  stream.on('error', (error) => (failure ??= brokenStream(stream, error)))
  stream.once('close', () => {
    if (failure === undefined && ended?.code === 'ok') return resolve()
    if (ended !== undefined && ended.code !== 'ok') return reject(new GrpcError(ended.code, ended.text))
    reject(failure ?? brokenStream(stream, connection.failure))
  })
  return { status, fail: (error: unknown): void => void (failure ??= error) }
}

function brokenStream(stream: ClientHttp2Stream, cause: Error | undefined): GrpcError {
  const isSent = stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM
  // With TLS 1.3, a server refuses the certificate of a client after the client has begun to send.
  const message = (cause && describeTlsError(cause)) ?? `the response broke off (${cause?.message ?? `code ${stream.rstCode}`})`
  return new GrpcError('unavailable', message, { isSent, cause })
}
