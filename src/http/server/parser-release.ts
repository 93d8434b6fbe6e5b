/**
 * Takes a connection from node's HTTP server once the header of its last response was sent, as node does itself where a
 * request upgrades its connection (`onParserExecuteCommon` of lib/_http_server.js).
 *
 * Node keeps the parser of a connection (more than 8 KiB), the request and the response for as long as the connection is
 * open: of a stream that is idle for hours, most of its memory. There is no public way to release them: where the
 * internals of node differ, this does nothing, and the connection goes on as before.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Parser {
  readonly incoming: unknown
  _consumed: boolean
  unconsume(): void
  remove(): void
  close(): void
}

interface Internals {
  parser?: Parser | null
}

/** What node's server listens for on a socket, by the names of its functions. */
const LISTENERS = {
  data: 'bound socketOnData',
  end: 'bound socketOnEnd',
  close: 'bound socketOnClose',
  drain: 'bound socketOnDrain',
  pause: 'onSocketPause',
  resume: 'onSocketResume',
} as const

type Listener = (...values: unknown[]) => void

/**
 * Returns whether the connection is an ordinary socket now, which the caller reads, writes and ends. Not to be called by the
 * parser, and not while the client still sends the request or has sent another one.
 */
export function releaseParser(socket: Socket & Internals, response: ServerResponse): boolean {
  const { parser } = socket
  const request: typeof response.req & Internals = response.req
  if (socket.destroyed || parser === undefined || parser === null || parser.incoming !== request || !request.complete) return false
  if (socket.writableCorked > 0 || !isKnown(parser)) return false
  const found = Object.entries(LISTENERS).map(([event, name]) => {
    const listener = socket.listeners(event).find((one) => one.name === name)
    return [event, listener as Listener | undefined] as const
  })
  if (found.some(([, listener]) => listener === undefined)) return false
  for (const [event, listener] of found) if (listener !== undefined) socket.removeListener(event, listener)
  if (parser._consumed) parser.unconsume()
  parser._consumed = false
  parser.remove()
  parser.close()
  socket.parser = null
  request.parser = null
  response.detachSocket(socket)
  return true
}

function isKnown(parser: Parser): boolean {
  return [parser.unconsume, parser.remove, parser.close].every((method: unknown) => typeof method === 'function')
}
