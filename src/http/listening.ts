/**
 * Where the server listens: an address and a port, the path of a Unix socket, or an open socket that systemd bound and
 * passed to the program.
 */
import { once } from 'node:events'
import { accessSync, chmodSync, constants, lstatSync, unlinkSync } from 'node:fs'
import { connect, createServer, isIP, type AddressInfo, type Server } from 'node:net'
import { dirname, resolve } from 'node:path'
import { describe } from '../base/failure.ts'
import { systemReason } from '../base/system-error.ts'
import { hasOtherListener } from './port-listeners.ts'

/** The field of the kernel's address has 108 bytes on Linux and 104 elsewhere, the last of them zero (unix(7)). */
const UNIX_PATH_BYTES_MAX = process.platform === 'linux' ? 107 : 103
/** The owner and the group may connect, which is how a proxy gets in; the directory can narrow it further. */
const UNIX_SOCKET_MODE = 0o660
/**
 * Connections that the kernel queues until they are accepted; it may cap this. With a full queue a client retries after
 * a second, so that a burst of others would delay it: node's 511 are full within milliseconds.
 */
const BACKLOG = 4096

export interface TcpAddress {
  readonly kind: 'tcp'
  readonly host: string
  readonly port: number
  /** What the host, a name, was resolved to, where another thread listens already. */
  readonly resolved?: string
  /** Several threads listen on the port: the first, which makes sure that no other program does, or one more. */
  readonly sharing?: 'first' | 'next'
}

export type ListenAddress =
  | TcpAddress
  | { readonly kind: 'unix'; readonly path: string }
  /** An open descriptor of a listening socket. */
  | { readonly kind: 'inherited'; readonly descriptor: number }

export type Listening =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  /** Without a path where it was inherited. */
  | { readonly kind: 'unix'; readonly path: string | undefined }

/** An address that cannot be listened on; the message is one sentence for the operator. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}

/** Reads `unix:PATH` and resolves the path. Throws an Error that says what is wanted. */
export function parseUnixAddress(text: string): { readonly kind: 'unix'; readonly path: string } {
  const given = /^unix:(.+)$/s.exec(text)?.[1]
  if (given === undefined || given.includes('\0')) {
    throw new Error(`expected unix:PATH, found ${describe(text)}; for an address there are --host and --port`)
  }
  if (process.platform === 'win32') throw new Error('there are no Unix sockets on Windows: use --host and --port')
  const path = resolve(given)
  const bytes = Buffer.byteLength(path)
  if (bytes > UNIX_PATH_BYTES_MAX) {
    throw new Error(`expected a path of at most ${UNIX_PATH_BYTES_MAX} bytes for a socket, found ${bytes}`)
  }
  return { kind: 'unix', path }
}

/** Checks, before the service creates anything, that there is a directory for a socket. Throws ListenError. */
export function requireSocketDirectory(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK)
  } catch (error) {
    throw cannotListen(path, error)
  }
}

function cannotListen(path: string, cause: unknown): ListenError {
  return new ListenError(`Cannot listen on "unix:${path}": ${systemReason(cause)}`, { cause })
}

/** The URL for the ready line; `unix:PATH` where there is none. */
export function urlOf(listening: Listening, scheme: 'http' | 'https'): string {
  if (listening.kind === 'unix') return `unix:${listening.path ?? ''}`
  const { host, port } = listening
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Whether only this machine can reach it over the network. A Unix socket is not on a network. */
export function isLoopback(listening: Listening): boolean {
  if (listening.kind === 'unix') return false
  const { host } = listening
  return host === '::1' || host.startsWith('127.') || host.startsWith('::ffff:127.')
}

/** Starts to accept. Rejects with ListenError, or with node's error, such as EADDRINUSE. */
export async function bind(server: Server, address: ListenAddress): Promise<Listening> {
  switch (address.kind) {
    case 'tcp': {
      await bindPort(server, address)
      const { address: host, port } = server.address() as AddressInfo
      return { kind: 'tcp', host, port }
    }
    case 'unix':
      await bindUnix(server, address.path)
      return address
    case 'inherited': {
      try {
        await listen(server, { fd: address.descriptor })
      } catch (error) {
        throw new ListenError(`Cannot listen on descriptor ${address.descriptor}: ${systemReason(error)}`, {
          cause: error,
        })
      }
      const bound = server.address()
      if (bound === null || typeof bound === 'string') return { kind: 'unix', path: undefined }
      return { kind: 'tcp', host: bound.address, port: bound.port }
    }
  }
}

/**
 * Sockets with SO_REUSEPORT share a port (socket(7)), those of another service of the same user too: so the first one is
 * bound without it, which fails where any other program listens, and then bound again. What another service has bound in
 * between is looked for.
 */
async function bindPort(server: Server, address: TcpAddress): Promise<void> {
  const { host, port, sharing, resolved = host } = address
  if (sharing !== 'first' || port === 0) return await listen(server, { host: resolved, port, reusePort: sharing !== undefined })
  const alone = createServer()
  await listen(alone, { host, port })
  const bound = alone.address() as AddressInfo
  const closed = once(alone, 'close')
  alone.close()
  await closed
  await listen(server, { host: resolvedHost(address, bound.address), port, reusePort: true })
  if (!hasOtherListener(server)) return
  server.close()
  // As Node says it, with what tells the operator the address.
  const fields = { code: 'EADDRINUSE', syscall: 'listen', address: bound.address, port }
  throw Object.assign(new Error(`listen EADDRINUSE: address already in use ${bound.address}:${port}`), fields)
}

/** Where further threads listen when the first does. A name is not resolved again: it may have several addresses. */
export function addressOfNext(address: TcpAddress, { host, port }: Listening & { readonly kind: 'tcp' }): TcpAddress {
  return { ...address, port, resolved: resolvedHost(address, host), sharing: 'next' }
}

/** An address is kept as it was given, since the bound one lacks the zone (RFC 4007 section 11). */
function resolvedHost({ host }: TcpAddress, bound: string): string {
  return isIP(host) === 0 ? bound : host
}

type Bound = { host: string; port: number; reusePort?: boolean } | { path: string } | { fd: number }

async function listen(server: Server, options: Bound) {
  const { promise, resolve: done, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen({ ...options, backlog: BACKLOG }, done)
  await promise
  server.off('error', reject)
}

/** Node removes the file when the server closes. */
async function bindUnix(server: Server, path: string): Promise<void> {
  try {
    await removeStale(path)
    // The umask of the program gives the new file to its owner alone; only then the group gets access.
    await listen(server, { path })
    chmodSync(path, UNIX_SOCKET_MODE)
  } catch (error) {
    if (error instanceof ListenError) throw error
    throw cannotListen(path, error)
  }
}

/** A process that was killed leaves its socket behind: a file that refuses connections. Any other file stays. */
async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isSocket()) {
    throw new ListenError(`Cannot listen on "unix:${path}": a file of that name is there, and it is no socket`)
  }
  const reason = await connectError(path)
  if (reason === undefined) throw new ListenError(`Cannot listen on "unix:${path}": another program listens there`)
  if (reason !== 'ECONNREFUSED') {
    throw new ListenError(`Cannot listen on "unix:${path}": whether the socket there is in use cannot be determined`)
  }
  unlinkSync(path)
}

/** The error code of connecting, such as ECONNREFUSED; undefined where a program accepts. */
async function connectError(path: string): Promise<string | undefined> {
  const { promise, resolve: settle } = Promise.withResolvers<string | undefined>()
  const socket = connect({ path })
  socket.once('connect', () => settle(undefined)).once('error', (error: NodeJS.ErrnoException) => settle(error.code))
  const reason = await promise
  socket.destroy()
  return reason
}
