/** How many threads serve requests. */
import { availableParallelism, totalmem } from 'node:os'
import type { ListenAddress } from '../../http/listening.ts'

const THREADS_AUTO_MAX = 4
/** A thread takes some 12 MiB when it is idle, and its part of everything when it is not. */
const MEMORY_MIN = 512 * 1024 * 1024
/** Where sockets with SO_REUSEPORT get their shares of new connections; Node refuses elsewhere. */
const PLATFORMS: readonly string[] = ['linux', 'freebsd', 'dragonfly', 'sunos', 'aix']

export interface ThreadCount {
  readonly threads: number
  /** Why there is one, where that is not what the operator says. */
  readonly reason: string | undefined
}

export interface Machine {
  readonly platform: string
  readonly cores: number
  readonly memoryBytes: number
}

export interface Served {
  readonly address: ListenAddress
  /** A node of a cluster: what its responses say of the log is known to the main thread alone. */
  readonly isNode: boolean
}

export function threadCount(wanted: number | 'auto', served: Served, machine = thisMachine()): ThreadCount {
  const reason = reasonForOne(served, machine)
  if (reason !== undefined) return { threads: 1, reason: wanted === 1 ? undefined : reason }
  if (wanted !== 'auto') return { threads: wanted, reason: undefined }
  const threads = machine.memoryBytes < MEMORY_MIN ? 1 : Math.min(machine.cores, THREADS_AUTO_MAX)
  return { threads, reason: undefined }
}

function reasonForOne({ address: { kind }, isNode }: Served, { platform }: Machine): string | undefined {
  if (isNode) return 'a node of a cluster has one thread'
  if (kind === 'unix') return 'a Unix socket belongs to one thread'
  if (kind === 'inherited') return 'a socket that was handed over belongs to one thread'
  return PLATFORMS.includes(platform) ? undefined : 'threads cannot share a port on this system'
}

/** The memory is that of the control group, where that has less than the machine. */
function thisMachine(): Machine {
  const limit = process.constrainedMemory()
  const total = totalmem()
  return {
    platform: process.platform,
    cores: availableParallelism(),
    memoryBytes: limit > 0 && limit < total ? limit : total,
  }
}
