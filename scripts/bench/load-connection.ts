/** One keep-alive connection of the load generator, with one request in flight. */
import { createConnection } from 'node:net'

const CHUNKED = -1
const LAST_CHUNK = '0\r\n\r\n'

/**
 * Calls `onResponse` with the status when the last byte of a response is there, and with the last piece of the response.
 * The head has to come in one piece. A body in chunks ends where a piece ends as a last chunk does: no JSON text of a
 * server has such line ends.
 */
export function connectTo(port: number, onResponse: (status: number, last: Buffer) => void) {
  const socket = createConnection({ port, host: '127.0.0.1', noDelay: true })
  let [missing, status] = [0, 0]
  socket.on('data', (chunk: Buffer) => {
    let received = chunk.length
    if (missing === 0) {
      const end = chunk.indexOf('\r\n\r\n')
      const head = chunk.toString('latin1', 0, end)
      status = Number(head.slice(9, 12))
      missing = lengthOf(head, status)
      received -= end + 4
    }
    if (missing === CHUNKED) missing = chunk.toString('latin1', chunk.length - LAST_CHUNK.length) === LAST_CHUNK ? 0 : CHUNKED
    else missing -= received
    if (missing === 0) onResponse(status, chunk)
  })
  return {
    send: (text: string) => void socket.write(text),
    close: () => void socket.destroy(),
  }
}

function lengthOf(head: string, status: number): number {
  if (status === 304 || status === 204) return 0
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? []
  if (length === undefined && /\r\ntransfer-encoding: *chunked/i.test(head)) return CHUNKED
  if (length === undefined) throw new Error(`Cannot measure a response without Content-Length: ${head}`)
  return Number(length)
}
