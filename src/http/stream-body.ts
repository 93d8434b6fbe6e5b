/**
 * The body of a response that stays open, such as server-sent events: it has no length, and ends with its connection.
 *
 * A chunked body would let the client tell a cut from an end, which no reader of events asks for: it connects again in both
 * cases. Without chunks, one buffer is written to many connections as it is, and proxies that speak HTTP/1.0 pass it on.
 */
import type { ServerResponse } from 'node:http'
import type { OpenStream, StreamSink } from './exchange.ts'
import type { IncomingExchange } from './incoming-exchange.ts'
import { releaseParser } from './node-internals.ts'

/** What is discarded of what a client sends beside its request; past it, the connection ends. */
const SENT_BYTES_MAX = 1024

/**
 * Sends the header, and resolves when the stream has ended. The connection serves no further request, and becomes an
 * ordinary socket as soon as the parser of the request has returned (node-internals.ts).
 */
export function sendStream(
  exchange: IncomingExchange,
  open: OpenStream,
): Promise<{ readonly bodyBytes: number; readonly isLast: true }> {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  let [bodyBytes, isOpen] = [0, true]
  const { socket } = exchange.request
  let response: ServerResponse | undefined = exchange.serverResponse
  const sink: StreamSink = {
    get unread() {
      return socket.writableLength
    },
    write(bytes) {
      if (!isOpen) return
      bodyBytes += bytes.length
      const target = response ?? socket
      target.write(bytes)
    },
    whenDrained(proceed) {
      if (socket.writableNeedDrain) socket.once('drain', proceed)
      else setImmediate(proceed)
    },
    end() {
      if (!isOpen) return
      if (response === undefined) socket.destroySoon()
      else response.end()
    },
    cut: () => void socket.destroy(),
  }
  const onClosed = openBeforeHeader()
  const close = (): void => {
    if (!isOpen) return
    isOpen = false
    onClosed()
    resolve()
  }
  // A client that closes its half has left: what it wants is all in the request.
  const leave = (): void => void socket.destroy()
  socket.once('end', leave).once('close', close)
  if (socket.destroyed) close()
  else if (socket.readableEnded) leave()
  else
    setImmediate(() => {
      if (!isOpen || response === undefined || !releaseParser(socket, response)) return
      response = undefined
      exchange.releaseRequest()
      let sent = 0
      socket.on('data', (bytes: Buffer) => {
        sent += bytes.length
        if (sent > SENT_BYTES_MAX) socket.destroy()
      })
    })
  return closed.then(() => ({ bodyBytes, isLast: true }))

  /** A client that has the header may rely on the stream: on its place among the changes, and on its slot. */
  function openBeforeHeader(): () => void {
    socket.cork()
    try {
      exchange.serverResponse.flushHeaders()
      return open(sink)
    } finally {
      socket.uncork()
    }
  }
}
