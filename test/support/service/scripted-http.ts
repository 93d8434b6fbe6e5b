/** HTTP servers with scripted responses, in place of the service or a proxy before it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { portFor } from '../../../scripts/tools/listening.ts'
import type { Cleanup } from '../../../scripts/tools/temporary-directory.ts'

export interface ScriptedServer {
  readonly url: string
  /** The requests so far: `GET /path?query`, and what was sent after it where there was a body. */
  readonly seen: readonly string[]
}

export type RespondTo = (request: IncomingMessage, response: ServerResponse) => void

/** Starts a server on port 0 that responds to every request in one way, once it has read it. */
export async function serverThat(t: Cleanup, respond: RespondTo): Promise<ScriptedServer> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => void (body += chunk.toString()))
    request.on('end', () => {
      seen.push([request.method, request.url, ...(body === '' ? [] : [body])].join(' '))
      respond(request, response)
    })
  })
  return { url: `http://127.0.0.1:${await portFor(t, server)}`, seen }
}

/** A handler whose response is always the same. */
export function respondWith(
  status: number,
  body = '',
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): RespondTo {
  return (_request, response) => response.writeHead(status, headers).end(body)
}
