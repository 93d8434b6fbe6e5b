/**
 * The connection to another server: TCP to a checked address or to the proxy, the tunnel of the proxy for https (CONNECT,
 * RFC 9110 section 9.3.6), and TLS inside it.
 */
import { request } from 'node:http'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { certificateProblem } from '../base/peer-certificate.ts'
import { describeNetworkError, tlsError } from './outbound-advice.ts'
import { OutboundError } from './outbound-error.ts'
import { bareHost, type OutboundProxy } from './outbound-proxy.ts'
import { checkForProxy, type OutboundRules, permittedAddresses, type Resolve } from './outbound-rules.ts'

/** Time for one address of a host before the next is tried as well, in milliseconds (RFC 8305 says 250). */
const NEXT_ADDRESS_MS = 1_000
const HEAD_BYTES_MAX = 16 * 1024

export interface Connecting {
  readonly rules: OutboundRules
  readonly resolve: Resolve
  readonly secureContext: () => SecureContext
}

/**
 * Connects to the server of the URL. The caller destroys the socket. Rejects with an OutboundError, or with the reason of
 * the signal; no socket is then left open.
 */
export async function openOutbound(url: URL, connecting: Connecting, signal: AbortSignal): Promise<Socket> {
  const { rules, resolve, secureContext } = connecting
  const proxy = rules.proxyFor(url)
  const isTls = url.protocol === 'https:'
  if (proxy === undefined) {
    const addresses = await abortable(permittedAddresses(url, rules, resolve), signal)
    const tcp = await connected(openTcp(bareHost(url), portOf(url), addresses), bareHost(url), signal)
    return isTls ? secured(tcp, bareHost(url), secureContext(), signal) : tcp
  }
  checkForProxy(url, rules)
  const toProxy = await viaProxy(
    connected(connect({ host: proxy.host, port: proxy.port, noDelay: true, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS }), proxy.host, signal),
  )
  const plain = proxy.isTls ? await viaProxy(secured(toProxy, proxy.host, secureContext(), signal)) : toProxy
  return isTls ? secured(await tunnelled(plain, url, proxy, signal), bareHost(url), secureContext(), signal) : plain
}

/** A name is given to Node with its addresses, which it tries in turn, so that nothing is looked up again. */
function openTcp(host: string, port: number, addresses: readonly { readonly address: string; readonly family: number }[]): Socket {
  const [first] = addresses
  if (first === undefined) throw new Error('No address to connect to')
  if (addresses.length === 1) return connect({ host: first.address, port, noDelay: true })
  return connect({
    host,
    port,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    lookup: (_host, { all }, done) => {
      if (all === true) done(null, [...addresses])
      else done(null, first.address, first.family)
    },
  })
}

async function connected(socket: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  return opened(socket, 'connect', signal, (error) => new OutboundError('connect', describeNetworkError(error, host), error))
}

/** The certificate is checked here: a socket that rejects by itself hides the issuer. */
async function secured(tcp: Socket, host: string, secureContext: SecureContext, signal: AbortSignal): Promise<Socket> {
  const socket = connectTls({
    socket: tcp,
    host,
    // Server Name Indication takes no IP addresses (RFC 6066 section 3).
    servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
    secureContext,
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  })
  // The TCP socket below can report the same error.
  tcp.on('error', () => {})
  await opened(socket, 'secureConnect', signal, (error) => tlsError(error, host))
  const found = certificateProblem(socket, host)
  if (found === undefined) return socket
  socket.destroy()
  throw tlsError(found.cause, host, found.issuer)
}

/** Asks the proxy for a tunnel, and gives its socket back when that is open. */
function tunnelled(socket: Socket, url: URL, proxy: OutboundProxy, signal: AbortSignal): Promise<Socket> {
  const target = `${url.hostname}:${portOf(url)}`
  return new Promise((resolve, reject) => {
    const end = (error: unknown): void => {
      signal.removeEventListener('abort', abort)
      socket.destroy()
      reject(error)
    }
    const abort = (): void => end(signal.reason)
    const asking = request({
      createConnection: () => socket,
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...proxyHeaders(proxy) },
      maxHeaderSize: HEAD_BYTES_MAX,
    })
    asking.once('connect', ({ statusCode = 0 }, _socket, head) => {
      if (statusCode < 200 || statusCode > 299) return end(proxyRejected(statusCode))
      // Bytes ahead of the handshake are not those of the server.
      if (head.length > 0) return end(new OutboundError('proxy', 'The proxy sent more than its response: check --outbound-proxy'))
      signal.removeEventListener('abort', abort)
      resolve(socket)
    })
    // Anything but a response to CONNECT.
    asking.once('response', ({ statusCode = 0 }) => end(proxyRejected(statusCode)))
    asking.on('error', (error) => end(new OutboundError('proxy', 'The proxy does not open a tunnel: check --outbound-proxy', error)))
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    asking.end()
  })
}

export function proxyHeaders({ authorization }: OutboundProxy): Readonly<Record<string, string>> {
  return authorization === undefined ? {} : { 'proxy-authorization': authorization }
}

export function proxyRejected(status: number): OutboundError {
  const advice = status === 407 ? 'set user and password in --outbound-proxy' : 'see the log of the proxy, and whether it may connect there'
  return new OutboundError('proxy', `The proxy responded with ${status}: ${advice}`)
}

/** Makes an error with the proxy one of the proxy: its address is no part of the feed. */
async function viaProxy(socket: Promise<Socket>): Promise<Socket> {
  try {
    return await socket
  } catch (error) {
    if (!(error instanceof OutboundError) || error.kind === 'timeout' || error.kind === 'stopped') throw error
    throw new OutboundError('proxy', `The proxy cannot be used: ${error.message}; check --outbound-proxy`, error)
  }
}

/** Resolves at the event. An error before it, the end of the connection and an abort destroy the socket. */
function opened<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
  describe: (error: Error) => OutboundError,
): Promise<S> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      signal.removeEventListener('abort', abort)
      socket.off('close', close)
    }
    const abort = (): void => {
      settle()
      socket.destroy()
      reject(signal.reason)
    }
    const close = (): void => fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
    const fail = (error: Error): void => {
      settle()
      socket.destroy()
      reject(describe(error))
    }
    // Stays for later errors: an error without a listener would end the process.
    socket.on('error', fail)
    socket.once('close', close)
    socket.once(event, () => {
      settle()
      resolve(socket)
    })
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
  })
}

/** The promise, or the reason of the signal where that aborts first. A look-up itself cannot be aborted. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return Promise.race([promise, aborted.promise]).finally(() => signal.removeEventListener('abort', abort))
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}
