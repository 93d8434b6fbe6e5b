/** The limits of the server on this machine, and the part of each thread. */
import type { Log } from '../base/log.ts'
import { openFilesMax } from '../base/open-files.ts'
import type { Config } from '../config/settings.ts'
import { SERVER_LIMITS, type ServerLimits } from '../http/server-limits.ts'

/** Open files that are no connections of clients: the database in several threads, mail, backups, pipes. */
const FILES_RESERVED = 256
const CONNECTIONS_MIN = 64
/** As many connections as the process may have beside its files: a server that cannot open its database serves none. */
export function limitsInUse({ connectionsPerAddress }: Config, log: Log): ServerLimits {
  const connectionsPerAddressMax = connectionsPerAddress === 0 ? Infinity : connectionsPerAddress
  const openFiles = openFilesMax()
  const wanted = SERVER_LIMITS.connectionsMax
  if (openFiles === undefined || openFiles - FILES_RESERVED >= wanted) return { ...SERVER_LIMITS, connectionsPerAddressMax }
  const connectionsMax = Math.max(CONNECTIONS_MIN, openFiles - FILES_RESERVED)
  log.warn('connections.limited', { max: connectionsMax, openFiles, advice: `ulimit -n ${wanted + FILES_RESERVED}` })
  return { ...SERVER_LIMITS, connectionsPerAddressMax, connectionsMax }
}

/**
 * What clients may leave unfinished in one of so many threads. Connections are spread over them by a hash of their
 * addresses, and their numbers are counted together.
 */
export function limitsOfThread(limits: ServerLimits, threads: number): ServerLimits {
  const share = (of: number): number => Math.ceil(of / threads)
  return {
    ...limits,
    headsBytesMax: share(limits.headsBytesMax),
    heldBytesMax: share(limits.heldBytesMax),
  }
}
