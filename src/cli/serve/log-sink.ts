/**
 * stderr as a place for the log that never holds up the event loop.
 *
 * Node writes to terminals and files with calls that wait, and keeps in memory what a pipe does not take. Here pipes,
 * sockets and terminals are written to without waiting; what they do not take stays with log-output.ts, which bounds it.
 * Files go through the thread pool, one write at a time.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, write, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { promisify } from 'node:util'
import type { LogSink } from '../../base/log-output.ts'

const STDERR = 2
const writeInPool = promisify(write)

/** Throws nothing: what cannot be found out about the descriptor makes it a file. */
export function openLogSink(of: number = STDERR): LogSink {
  const descriptor = withoutWaiting(of)
  return descriptor === undefined ? pooled(of) : { write: writer(descriptor), writeAtExit: writer(descriptor) }
}

/** A descriptor of the same stream whose writes never wait; undefined where there is none. */
function withoutWaiting(descriptor: number): number | undefined {
  try {
    const stat = fstatSync(descriptor)
    const isPipe = stat.isFIFO()
    if (isPipe || isatty(descriptor)) return reopened(descriptor) ?? (isPipe ? nonBlocking(descriptor) : undefined)
    return stat.isSocket() ? nonBlocking(descriptor) : undefined
  } catch {
    return undefined
  }
}

/**
 * Linux opens the pipe or terminal behind a descriptor again: what is set there is not set for other programs that share
 * it, and they cannot take it back. Not where it belongs to another user.
 */
function reopened(descriptor: number): number | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants
    const opened = openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY)
    if (isNonBlocking(opened)) return opened
    closeSync(opened)
  } catch {
    // As it is, then.
  }
  return undefined
}

/** Node has set pipes and sockets so when it opened process.stderr, but not on Windows. */
function nonBlocking(descriptor: number): number | undefined {
  return process.platform !== 'win32' && isNonBlocking(descriptor) ? descriptor : undefined
}

/** Asks Linux (proc_pid_fdinfo(5)); elsewhere it is taken for granted. */
function isNonBlocking(descriptor: number): boolean {
  if (process.platform !== 'linux') return true
  const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1]
  return flags !== undefined && (Number.parseInt(flags, 8) & constants.O_NONBLOCK) !== 0
}

function writer(descriptor: number): (bytes: Uint8Array) => number {
  return (bytes) => {
    try {
      return writeSync(descriptor, bytes)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 0
      throw error
    }
  }
}

/** A write that never returns, as to a terminal of another user that is stopped, takes one thread of the pool. */
function pooled(descriptor: number): LogSink {
  return {
    write: async (bytes) => (await writeInPool(descriptor, bytes)).bytesWritten,
    writeAtExit: (bytes) => (isatty(descriptor) ? 0 : writeSync(descriptor, bytes)),
  }
}
