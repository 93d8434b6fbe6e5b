/**
 * The HTTP server: node:http on one side, exchanges and responses on the other.
 *
 * All that a hostile or a broken client can do to a connection is handled at this layer: slow and oversized requests,
 * bodies that no handler reads, pipelining, half-closed sockets.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { countsOfOneThread, type SharedCounts } from '../base/shared-counts.ts'
import { createBodyLane } from './body-lane.ts'
import { createBodyMemory, createBodyPace } from './body-limits.ts'
import { createConnectionGuard, type ConnectionGuard, type SharedConnections } from './connection-guard.ts'
import { corsHeaders, originCheck, type CorsPolicy } from './cors.ts'
import { foreignPageGuard, NO_GUARD, type ForeignPageGuard } from './foreign-pages.ts'
import { firstOfDay, warnOfForwards, type UntrustedForward } from './untrusted-forwards.ts'
import { clientAddress, UNIX_PEER, type TrustedProxies } from './client-address.ts'
import { IncomingExchange } from './incoming-exchange.ts'
import type { Certificate } from './certificate.ts'
import { bind, isLoopback, type ListenAddress, type Listening } from './listening.ts'
import { createNodeServer, type NodeServer } from './node-server.ts'
import { createInputRejection } from './rejected-input.ts'
import { createRequestTurns } from './connection.ts'
import type { Router } from './router.ts'
import { COUNTED_CLIENTS_MAX, SERVER_LIMITS, type ServerLimits } from './server-limits.ts'
import { createServe, type ServedRequest } from './serving.ts'

interface SharedByThreads {
  readonly bodies: SharedCounts
  readonly connections: SharedConnections
}

export interface ServerOptions {
  readonly router: Router
  /** Unique letters, digits and `-` for each call. */
  readonly newRequestId: () => string
  readonly now: Clock
  readonly log: Log
  readonly cors: CorsPolicy
  readonly proxies: TrustedProxies
  /** Called once a day at most, with an address that is no trusted proxy and sends X-Forwarded-For; without it, that is logged. */
  readonly onUntrustedForward?: UntrustedForward
  /** Fresh for each start of the program; stands on every response. */
  readonly instance: string
  /** A path as the log has it: without what only its reader may know. */
  readonly loggedPath?: ((path: string) => string) | undefined
  /** Headers of the responses of a route, names and values in turn, as they are when the response is written. */
  readonly routeHeaders?: ((route: string) => readonly string[]) | undefined
  /** Host names of this service beside those of this machine; see foreign-pages.ts. */
  readonly allowedHosts?: readonly string[]
  /** Whether a name is one of these by another setting, such as the public URL. */
  readonly isOwnHost?: ((name: string) => boolean) | undefined
  /** With one the server speaks TLS, and nothing else. */
  readonly certificate?: Certificate | undefined
  readonly limits?: Partial<ServerLimits>
  /** Milliseconds from any fixed moment, never going back; durations are measured with it. */
  readonly ticks?: () => number
  /** Called for every connection that is accepted. */
  readonly onConnection?: () => void
  /** Called for every request once its response is queued. */
  readonly observe?: (served: ServedRequest) => void
  /** Where several threads serve: what all of them hold. */
  readonly shared?: SharedByThreads | undefined
}

export type HttpServer = ReturnType<typeof createServer>

export function createServer(options: ServerOptions) {
  const { router, newRequestId, log, proxies, instance, onConnection = () => {}, shared = sharedByOne() } = options
  const limits: ServerLimits = { ...SERVER_LIMITS, ...options.limits }
  /** Peers of a Unix socket have no address. */
  let isUnixSocket = false
  let foreignPages = NO_GUARD
  let closing: Promise<void> | undefined

  const clientAddressOf = (socket: Socket): string =>
    clientAddress(isUnixSocket ? UNIX_PEER : socket.remoteAddress, undefined, proxies)
  const peerOf = (socket: Socket) => {
    const address = clientAddressOf(socket)
    return { address, isProxy: isUnixSocket || proxies.isTrusted(address) }
  }
  const guard = createConnectionGuard({ limits, peerOf, log, shared: shared.connections })
  const connectionOf = guard.table.get
  const serve = createServe({
    router,
    log,
    now: options.now,
    cors: corsHeaders(options.cors),
    guard: () => foreignPages,
    instance,
    routeHeaders: options.routeHeaders,
    loggedPath: options.loggedPath,
    keepAliveSeconds: Math.floor(limits.keepAliveMs / 1000),
    lingerMs: limits.lingerMs,
    isClosing: () => closing !== undefined,
    ticks: options.ticks ?? (() => performance.now()),
    observe: options.observe ?? (() => {}),
  })
  const takeRequest = createRequestTurns(serve, guard)
  const bodyMemory = createBodyMemory(limits, shared.bodies)
  const onUntrustedForward = firstOfDay(options.now, options.onUntrustedForward ?? warnOfForwards(log))
  const bodyLane = createBodyLane()
  const exchangeOptions = { ...limits, proxies, onUntrustedForward, bodyMemory, bodyPace: createBodyPace(), bodyLane }

  function onRequest(request: IncomingMessage, response: ServerResponse, expectsContinue = false): void {
    const connection = connectionOf(request.socket)
    if (connection === undefined || connection.isDone) return
    const incoming = { request, response, expectsContinue, peer: connection.peer, requestId: newRequestId() }
    takeRequest(connection, new IncomingExchange(incoming, exchangeOptions))
  }

  const node = createNodeServer(limits, options.certificate)
  const { server } = node
  const inHandshake = node.socketEvent === 'secureConnection'
  server.on('connection', (socket) => {
    onConnection()
    guard.admit(socket, { inHandshake })
  })
  if (inHandshake) server.on(node.socketEvent, guard.secured)
  server.on('drop', guard.dropped)
  server.on('request', (request, response) => onRequest(request, response))
  server.on('checkContinue', (request, response) => onRequest(request, response, true))
  // An expectation we do not know may be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (request, response) => onRequest(request, response))
  const { methods } = router
  const rejection = createInputRejection({ limits, instance, methods, newRequestId, log, connectionOf, clientAddressOf })
  server.on('connect', rejection.onConnect)
  server.on('clientError', rejection.onClientError)

  return {
    /** How many connections there are, and how many were ended or refused, by the reason. */
    connections: guard.table as Pick<typeof guard.table, 'size' | 'shed'>,
    /** Ends a connection of a client that is not being served; false where there is none. */
    endOneOf: guard.table.endOneOf,
    /** The bodies of requests in flight. */
    bodies: bodyMemory as Pick<typeof bodyMemory, 'heldBytes' | 'rejections'>,
    /** For long bodies that other threads forward to this one: they and its own have the lane in turn. */
    bodyLane,
    /** Starts to accept. Port 0 takes any free one. Rejects with ListenError or node's error, such as EADDRINUSE. */
    async listen(address: ListenAddress): Promise<Listening> {
      const listening = await bind(server, address)
      server.on('error', (error) => log.error('server.failed', { error }))
      guard.start()
      isUnixSocket = listening.kind === 'unix'
      foreignPages = foreignPagesOf(listening, address, options)
      return listening
    },
    /** Takes another certificate for the connections to come. */
    setCertificate: node.setCertificate,
    /** Stops accepting, lets running requests finish, cuts them off after closeMs. May be called more than once. */
    close: (): Promise<void> => (closing ??= close(server, guard, limits.closeMs)),
  }
}

/** Where one thread serves. */
function sharedByOne(): SharedByThreads {
  const [bodies, counts] = [countsOfOneThread(COUNTED_CLIENTS_MAX), countsOfOneThread(COUNTED_CLIENTS_MAX)]
  return { bodies, connections: { counts, endElsewhere: async () => false } }
}

function foreignPagesOf(
  listening: Listening,
  address: ListenAddress,
  { allowedHosts = [], isOwnHost, cors }: Pick<ServerOptions, 'allowedHosts' | 'isOwnHost' | 'cors'>,
): ForeignPageGuard {
  return foreignPageGuard({
    isLoopback: isLoopback(listening),
    boundName: address.kind === 'tcp' ? address.host : undefined,
    ...{ allowedHosts, isOwnHost },
    isAllowedOrigin: originCheck(cors),
  })
}

async function close(server: NodeServer['server'], guard: ConnectionGuard, closeMs: number): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve()) // Also ends the connections that wait for their next request.
  for (const { socket, inHandshake, current, last } of guard.table.all()) {
    // For node a connection that never sent anything is a busy one.
    if (inHandshake || socket.bytesRead === 0) socket.destroy()
    else if (current === undefined || (current === last && current.serverResponse.writableEnded))
      last?.serverResponse.once('finish', () => socket.destroySoon())
  }
  // Node forgets a connection once CONNECT has come over it.
  const cut = setTimeout(() => guard.table.all().forEach(({ socket }) => socket.destroy()), closeMs)
  await closed
  clearTimeout(cut)
  guard.stop()
}
