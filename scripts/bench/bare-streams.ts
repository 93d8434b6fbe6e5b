/**
 * What node:http alone needs for streams, a program of its own: answers GET with a stream, and POST with an event on all of
 * them behind its response. Prints its port.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const EVENT = Buffer.from(`id: 1\ndata: ${JSON.stringify({ text: 'x'.repeat(400) })}\n\n`)
const streams: ServerResponse[] = []

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    streams.push(response.writeHead(200, { 'Content-Type': 'text/event-stream' }))
    response.write('retry: 2000\n\n')
  } else {
    response.writeHead(200, { 'Content-Length': 0 }).end()
    setImmediate(() => streams.forEach((stream) => stream.write(EVENT)))
  }
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
