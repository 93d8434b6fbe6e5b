/** One keep-alive connection of the load generator, with one request in flight. */
import { createConnection } from 'node:net'

/**
 * Calls `onResponse` with the status when the last byte of a response is there. The head has to come in one piece with
 * a Content-Length, as all servers of the benchmarks send it; throws otherwise.
 */
export function connectTo(port: number, onResponse: (status: number) => void) {
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
    missing -= received
    if (missing === 0) onResponse(status)
  })
  return {
    send: (text: string) => void socket.write(text),
    close: () => void socket.destroy(),
  }
}

function lengthOf(head: string, status: number): number {
  if (status === 304 || status === 204) return 0
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? []
  if (length === undefined) throw new Error(`Cannot measure a response without Content-Length: ${head}`)
  return Number(length)
}
