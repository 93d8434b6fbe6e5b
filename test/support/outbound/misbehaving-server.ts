/**
 * A web server on a free port that writes what a script says, byte by byte where it must: responses that no library of
 * servers would send.
 */
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { portFor } from '../../../scripts/tools/listening.ts'
import type { Cleanup } from '../../../scripts/tools/temporary-directory.ts'

/** Writes to the connection, whose request has this head. */
export type Script = (socket: Socket, head: string) => void

export interface MisbehavingServer {
  readonly port: number
  /** Request lines and headers so far. */
  readonly heads: readonly string[]
  /** Connections at the same time, at most, and in all. */
  readonly open: { readonly most: number; readonly all: number }
}

/** Starts it on 127.0.0.1, with TLS where there are options for it. */
export async function misbehavingServer(t: Cleanup, script: Script, tls?: TlsOptions): Promise<MisbehavingServer> {
  const heads: string[] = []
  const open = { most: 0, all: 0 }
  let busy = 0
  const serve = (socket: Socket): void => {
    open.all++
    open.most = Math.max(open.most, ++busy)
    // A client may open the next connection as soon as it has read the end of this one.
    let isBusy = true
    const rest = (): void => {
      if (isBusy) busy--
      isBusy = false
    }
    socket.once('finish', rest)
    socket.once('close', rest)
    let read = ''
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      read += chunk.toString('latin1')
      // Once for each head: the bytes after a CONNECT are those of a tunnel.
      if (!read.includes('\r\n\r\n')) return
      heads.push(read.slice(0, read.indexOf('\r\n\r\n')))
      read = ''
      script(socket, heads.at(-1) ?? '')
    })
  }
  const server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve)
  // A client that rejects the certificate ends the handshake.
  server.on('tlsClientError', () => {})
  return { port: await portFor(t, server), heads, open }
}

/** A whole response, as a script. `Content-Length` is that of the body unless the headers have their own framing. */
export function respondWith(status: number, headers: Readonly<Record<string, string>> = {}, body: string | Buffer = ''): Script {
  return (socket) => void socket.end(responseBytes(status, headers, body))
}

export function responseBytes(status: number, headers: Readonly<Record<string, string>>, body: string | Buffer = ''): Buffer {
  const length = 'content-length' in headers || 'transfer-encoding' in headers ? [] : [`content-length: ${Buffer.byteLength(body)}`]
  const lines = [`HTTP/1.1 ${status} X`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), ...length]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body as Buffer)])
}
