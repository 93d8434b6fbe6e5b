/**
 * node:http on one side, exchanges and responses on the other.
 *
 * Everything a hostile or a broken client can do to a connection ends here: slow and oversized requests, bodies nobody
 * reads, pipelining, half-closed sockets. The requests of one connection are served one after the other: pipelined
 * ones may depend on each other (RFC 9112 section 9.3.2), and one client must not get more than its turn.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import { fail } from '../../base/failure.ts'
import type { Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import { abandonInput } from '../guard/abandoned-input.ts'
import { createBodyMemory, type BodyMemory } from '../guard/body-memory.ts'
import { createBodyPace } from '../guard/body-pace.ts'
import { createBodyLane } from '../guard/body-lane.ts'
import type { Certificate } from './certificate.ts'
import { clientAddress, UNIX_PEER } from '../request/client-address.ts'
import type { TrustedProxies } from '../request/client-address.ts'
import { corsHeaders, originCheck } from '../guard/cors.ts'
import type { CorsPolicy } from '../guard/cors.ts'
import { foreignPageGuard, NO_GUARD } from '../guard/foreign-pages.ts'
import type { Connection } from './connection.ts'
import { createConnectionTable, type ConnectionTable } from '../guard/connection-table.ts'
import { idleSweep } from '../guard/idle-sweep.ts'
import { IncomingExchange } from '../request/incoming-exchange.ts'
import { bind, isLoopback } from './listening.ts'
import type { ListenAddress, Listening } from './listening.ts'
import { createNodeServer } from './node-server.ts'
import { parserFailure, failureMessage } from './parser-error.ts'
import type { Router } from './router.ts'
import { SERVER_LIMITS } from './server-limits.ts'
import type { ServerLimits } from './server-limits.ts'
import { serving, type ServedRequest } from './serving.ts'

/** Pipelined requests of one connection that wait for their turn. A client that sends more is disconnected. */
const PIPELINED_MAX = 100
/** What may wait of one response while the next request of its connection is served. */
const HELD_BYTES_MAX = 64 * 1024
/** What is still read from a connection after it was refused, so that the client gets to read why. */
const REFUSED_BYTES_MAX = 1024 * 1024

export interface ServerOptions {
  readonly router: Router
  /** Unique letters, digits and `-` for each call. */
  readonly newRequestId: () => string
  readonly now: Clock
  readonly log: Log
  readonly cors: CorsPolicy
  readonly proxies: TrustedProxies
  /** Fresh for each start of the program; stands on every response. */
  readonly instance: string
  /** Names that we go by beside those of this machine; see foreign-pages.ts. */
  readonly allowedHosts?: readonly string[]
  /** With one the server speaks TLS, and nothing else. */
  readonly certificate?: Certificate | undefined
  readonly limits?: Partial<ServerLimits>
  /** Milliseconds from any fixed moment, never going back; durations are measured with it. */
  readonly ticks?: () => number
  /** Called for every connection that is accepted. */
  readonly onConnection?: () => void
  /** Called for every request once its response is on its way. */
  readonly observe?: (served: ServedRequest) => void
}

export interface HttpServer {
  /** How many connections there are, and how many were ended or refused, by the reason. */
  readonly connections: Pick<ConnectionTable, 'size' | 'shed'>
  /** The bodies of requests in flight. */
  readonly bodies: Pick<BodyMemory, 'heldBytes' | 'refusals'>
  /** Starts to accept. Port 0 takes any free one. Rejects with ListenError or node's error, such as EADDRINUSE. */
  listen(address: ListenAddress): Promise<Listening>
  /** Takes another certificate for the connections to come. */
  setCertificate(certificate: Certificate): void
  /** Stops accepting, lets running requests finish, cuts them off after closeMs. May be called more than once. */
  close(): Promise<void>
}

export function createServer(options: ServerOptions): HttpServer {
  const { router, newRequestId, log, proxies, instance, onConnection = () => {} } = options
  const limits: ServerLimits = { ...SERVER_LIMITS, ...options.limits }
  const serve = serving({
    router,
    log,
    now: options.now,
    cors: corsHeaders(options.cors),
    guard: () => guard,
    instance,
    keepAliveSeconds: Math.floor(limits.keepAliveMs / 1000),
    lingerMs: limits.lingerMs,
    ticks: options.ticks ?? (() => performance.now()),
    observe: options.observe ?? (() => {}),
  })
  const bodyMemory = createBodyMemory(limits)
  const around = { ...limits, proxies, bodyMemory, bodyPace: createBodyPace(), bodyLane: createBodyLane() }
  const table = createConnectionTable({
    ...limits,
    // A Unix socket and a proxy of our own bring the connections of many clients.
    addressOf: (socket) => (isUnixSocket || proxies.isTrusted(clientOf(socket)) ? undefined : clientOf(socket)),
    looks: () => sweep.looks,
  })
  const sweep = idleSweep(table.all, limits)
  const [isCrowdedAgain, isAddressFullAgain, isFullAgain, isHeadsLongAgain] = [episode(), episode(), episode(), episode()]
  let sweeping: NodeJS.Timeout | undefined
  let guard = NO_GUARD
  /** Peers of a Unix socket have no address. */
  let isUnixSocket = false
  let closing: Promise<void> | undefined

  const { server, socketEvent, setCertificate } = createNodeServer(limits, options.certificate)
  const inHandshake = socketEvent === 'secureConnection'

  server.on('connection', (socket) => {
    onConnection()
    const { isTaken, endedOfAddress, endedOfAll } = table.add(socket, { inHandshake })
    if (!isTaken) socket.destroy()
    if (endedOfAll > 0 && isCrowdedAgain())
      log.info('connections.crowded', { ended: endedOfAll, max: limits.connectionsMax })
    if ((!isTaken || endedOfAddress > 0) && isAddressFullAgain())
      log.warn('connections.address_limit', { client: clientOf(socket), max: limits.connectionsPerAddressMax })
  })
  if (inHandshake) server.on(socketEvent, (socket) => table.secured(socket))
  server.on('drop', () => {
    table.countShed('full', 1)
    if (isFullAgain()) log.warn('connections.full', { max: limits.connectionsMax })
  })
  server.on('request', (request, response) => accept(request, response, false))
  server.on('checkContinue', (request, response) => accept(request, response, true))
  // An expectation we do not know may be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (request, response) => accept(request, response, false))
  server.on('connect', refuseConnect)
  server.on('clientError', onClientError)

  function look(): void {
    const ended = sweep.look()
    table.countShed('long_headers', ended)
    if (ended > 0 && isHeadsLongAgain()) log.warn('connections.long_headers', { ended, bytesMax: limits.headsBytesMax })
  }

  /** Gives a function that is true the first time, and after a look in which it was not called. */
  function episode(): () => boolean {
    let lastLook = Number.NEGATIVE_INFINITY
    return () => {
      const isNew = sweep.looks > lastLook + 1
      lastLook = sweep.looks
      return isNew
    }
  }

  function clientOf(socket: Socket): string {
    return clientAddress(isUnixSocket ? UNIX_PEER : socket.remoteAddress, undefined, proxies)
  }

  function accept(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    const connection = table.get(request.socket)
    if (connection === undefined || connection.isDone) return
    const exchange = new IncomingExchange(
      { request, response, expectsContinue, isUnixSocket, requestId: newRequestId() },
      around,
    )
    connection.last = exchange
    if (connection.current === undefined) {
      void serveInTurn(connection, exchange)
      return
    }
    // Its body may wait for long before the caller is known.
    exchange.ownBody()
    if (connection.waiting.push(exchange) > PIPELINED_MAX) {
      abandonInput(request.socket)
      request.socket.destroy()
    }
  }

  async function serveInTurn(connection: Connection, first: IncomingExchange): Promise<void> {
    for (let next: IncomingExchange | undefined = first; next !== undefined; next = connection.waiting.shift()) {
      connection.current = next
      connection.isDone = await serve(next, () => closing !== undefined)
      next.releaseBody()
      const { socket } = next.request
      const ended = sweep.handedOver(socket)
      table.countShed('unread_responses', ended)
      if (ended > 0) log.warn('responses.unread', { ended, bytesMax: limits.heldBytesMax })
      if (connection.isDone) break
      // A client that does not read a response does not get the next one, which would be held in memory beside it.
      if (socket.writableLength > HELD_BYTES_MAX) await taken(next.serverResponse)
      // Pipelined requests of one connection must not keep the event loop from all others.
      else if (connection.waiting.length > 0) await nextTurn()
    }
    for (const unserved of connection.waiting.splice(0)) unserved.releaseBody()
    connection.current = undefined
    connection.waitsSince = sweep.looks
  }

  function onClientError(error: NodeJS.ErrnoException, stream: Duplex): void {
    const socket = stream as Socket
    const connection = table.get(socket)
    if (connection === undefined || !socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const { last, refusedAtByte } = connection
    const failure = parserFailure(error, limits)
    const isLate = failure.code === 'requestTimeout'
    if (refusedAtByte !== undefined) {
      // Node reports every further piece of a request that is refused already.
      if (isLate || socket.bytesRead - refusedAtByte > REFUSED_BYTES_MAX) socket.destroy()
    } else if (last !== undefined && !last.request.complete) {
      // The body is late, malformed, or breaks off because the client left. Whoever reads it passes the failure on.
      if (last.serverResponse.headersSent || error.code === 'HPE_INVALID_EOF_STATE') socket.destroy()
      else last.interrupt(failure)
    } else if (last !== undefined && !last.serverResponse.writableFinished) {
      // What follows a request that is still being served: its response comes first.
      connection.refusedAtByte = socket.bytesRead
      last.serverResponse.once('finish', () => refuse(socket, connection, failure))
    } else {
      refuse(socket, connection, failure)
    }
  }

  function refuse(socket: Socket, connection: Connection, failure: Failure): void {
    if (!socket.writable) return
    const requestId = newRequestId()
    connection.isDone = true
    connection.refusedAtByte = socket.bytesRead
    socket.end(failureMessage(failure, { requestId, instance }))
    if (failure.code === 'requestTimeout') socket.destroySoon()
    const client = clientOf(socket)
    log.info('request.refused', { requestId, status: failure.status, code: failure.code, cause: failure.cause, client })
  }

  /** A tunnel is asked for with an authority in place of a path, so no route can answer it. */
  function refuseConnect(_request: IncomingMessage, stream: Duplex): void {
    const socket = stream as Socket
    const connection = table.get(socket)
    socket.on('error', () => socket.destroy())
    socket.resume()
    const failure = fail('methodNotAllowed', 'Cannot CONNECT: this server is no proxy', {
      headers: { Allow: router.methods },
    })
    if (connection !== undefined) refuse(socket, connection, failure)
    socket.destroySoon()
  }

  async function closeNow(): Promise<void> {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    server.close(() => resolve()) // Also ends the connections that wait for their next request.
    for (const { socket, inHandshake: isNew, current, last } of table.all()) {
      // Node takes a connection that never sent anything for a busy one.
      if (isNew || socket.bytesRead === 0) socket.destroy()
      else if (current === undefined || (current === last && current.serverResponse.writableEnded))
        last?.serverResponse.once('finish', () => socket.destroySoon())
    }
    const cut = setTimeout(() => server.closeAllConnections(), limits.closeMs)
    await closed
    clearTimeout(cut)
    clearInterval(sweeping)
  }

  return {
    connections: table,
    bodies: bodyMemory,
    async listen(address) {
      const listening = await bind(server, address)
      server.on('error', (error) => log.error('server.failed', { error }))
      sweeping = setInterval(look, limits.checkMs)
      sweeping.unref()
      isUnixSocket = listening.kind === 'unix'
      guard = foreignPageGuard({
        isLoopback: isLoopback(listening),
        boundName: address.kind === 'tcp' ? address.host : undefined,
        allowedHosts: options.allowedHosts ?? [],
        isAllowedOrigin: originCheck(options.cors),
      })
      return listening
    },
    setCertificate,
    async close() {
      closing ??= closeNow()
      await closing
    },
  }
}

/** Resolves when all of a response has left, or never will. */
function taken(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.writableFinished || response.destroyed) resolve()
    else response.once('finish', resolve).once('close', resolve)
  })
}
