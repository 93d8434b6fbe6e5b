/** HTTP servers that say what a test tells them to: what stands between a client and the service, or in its place. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Cleanup } from './service.ts'

export interface ScriptedServer {
  readonly url: string
  /** The requests so far: `GET /path?query`, and what was sent after it where there was a body. */
  readonly seen: readonly string[]
}

export type Answering = (request: IncomingMessage, response: ServerResponse) => void

/** Starts a server on port 0 that answers every request in one way, once it has read it. */
export async function serverThat(t: Cleanup, answer: Answering): Promise<ScriptedServer> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => void (body += chunk.toString()))
    request.on('end', () => {
      seen.push([request.method, request.url, ...(body === '' ? [] : [body])].join(' '))
      answer(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

/** An answer that is always the same. */
export function replying(
  status: number,
  body = '',
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): Answering {
  return (_request, response) => response.writeHead(status, headers).end(body)
}
