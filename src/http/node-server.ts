/** Node's HTTP or HTTPS server with our limits; both behave alike from the first request on. */
import { createServer as createPlain, type Server as PlainServer } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import { TLS_VERSION_MIN, type Certificate } from './certificate.ts'
import { allowHalfOpen } from './node-internals.ts'
import { PushedRequest } from './incoming-body.ts'
import type { ServerLimits } from './server-limits.ts'

export interface NodeServer {
  readonly server: PlainServer | SecureServer
  /** The event with the socket of requests: after the handshake where there is one. */
  readonly socketEvent: 'connection' | 'secureConnection'
  /** For new connections; open ones keep theirs. */
  setCertificate(certificate: Certificate): void
}

export function createNodeServer(limits: ServerLimits, certificate: Certificate | undefined): NodeServer {
  const options = {
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: 0, // connection.ts ends idle connections.
    connectionsCheckingInterval: limits.checkMs,
    noDelay: true,
    requireHostHeader: false, // serving.ts checks it, so that its response has the format of every other.
    optimizeEmptyRequests: true,
    IncomingMessage: PushedRequest,
  }
  if (certificate === undefined) {
    return { server: prepared(createPlain(options), limits), socketEvent: 'connection', setCertificate: () => {} }
  }
  const secure = { ...pemOf(certificate), handshakeTimeout: limits.headersMs, ALPNProtocols: ['http/1.1'] }
  // Loaded only where it is used, as in certificate.ts.
  const { createServer: createSecure } = process.getBuiltinModule('node:https')
  const server = prepared(createSecure({ ...options, ...secure }), limits)
  return {
    server,
    socketEvent: 'secureConnection',
    setCertificate: (next) => server.setSecureContext(pemOf(next)),
  }
}

function prepared<S extends PlainServer | SecureServer>(server: S, limits: ServerLimits): S {
  server.maxConnections = limits.connectionsMax
  allowHalfOpen(server)
  return server
}

function pemOf({ cert, key }: Certificate): { cert: string; key: string; minVersion: typeof TLS_VERSION_MIN } {
  return { cert, key, minVersion: TLS_VERSION_MIN }
}
