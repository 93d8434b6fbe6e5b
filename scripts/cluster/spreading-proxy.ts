/**
 * An HTTP proxy that spreads requests over the nodes of a cluster in turn. It sends the newest position that it has
 * seen with each request, as a client does, so that a request reads what those before it wrote.
 */
import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { POSITION_HEADER } from './cluster-client.ts'

const BAD_GATEWAY = 502
/** Above the limit of a node, which answers itself. */
const HEADER_BYTES_MAX = 1024 * 1024

/** Returns its URL. It ends with the process. */
export async function openSpreadingProxy(ports: readonly number[]): Promise<string> {
  let [turn, newest] = [0, -1]
  const server = createServer({ requestTimeout: 0, headersTimeout: 0, maxHeaderSize: HEADER_BYTES_MAX }, (incoming, response) => {
    const port = ports[turn++ % ports.length] ?? 0
    const see = (position: number): void => void (newest = Math.max(newest, position))
    pass(incoming, response, { port, newest, see })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Passage {
  readonly port: number
  /** The newest position that was seen; -1 before the first one. */
  readonly newest: number
  readonly see: (position: number) => void
}

function pass(incoming: IncomingMessage, response: ServerResponse, { port, newest, see }: Passage): void {
  const { method, url: path, rawHeaders } = incoming
  const own = Number(incoming.headers[POSITION_HEADER] ?? -1)
  const position = String(Math.max(own, newest))
  const others = rawHeaders.filter((_, i) => rawHeaders[i - (i % 2)]?.toLowerCase() !== POSITION_HEADER)
  const headers = position === '-1' ? rawHeaders : [...others, POSITION_HEADER, position]
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers, setHost: false, agent: false })
  outgoing.on('error', () => {
    if (!response.headersSent) response.writeHead(BAD_GATEWAY)
    response.end()
  })
  outgoing.on('response', (found) => {
    const position = Number(found.headers[POSITION_HEADER] ?? -1)
    see(position)
    response.writeHead(found.statusCode ?? BAD_GATEWAY, found.rawHeaders)
    found.pipe(response)
    found.on('error', () => response.destroy())
  })
  response.on('close', () => outgoing.destroy())
  incoming.pipe(outgoing)
}
