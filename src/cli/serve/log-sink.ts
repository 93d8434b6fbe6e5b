/**
 * stderr as a sink for the log that never blocks the event loop, as Node does on terminals and files; for a pipe it
 * buffers without bound. What is not taken stays in log-output.ts. Files go through the thread pool, one write at a
 * time.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, write, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { promisify } from 'node:util'
import type { LogSink } from '../../base/log-output.ts'
import { errorCode } from '../../base/system-error.ts'

const STDERR = 2
const writeInPool = promisify(write)

/** Never throws: a descriptor that cannot be examined is treated as a file. */
export function openLogSink(of: number = STDERR): LogSink {
  const descriptor = neverBlocking(of)
  return descriptor === undefined ? pooled(of) : { write: writer(descriptor), writeAtExit: writer(descriptor) }
}

/** A descriptor of the same stream whose writes never block; undefined where there is none. */
function neverBlocking(descriptor: number): number | undefined {
  try {
    const stat = fstatSync(descriptor)
    const isPipe = stat.isFIFO()
    if (isPipe || isatty(descriptor)) return reopened(descriptor) ?? (isPipe ? nonBlocking(descriptor) : undefined)
    return stat.isSocket() ? nonBlocking(descriptor) : undefined
  } catch {
    return undefined
  }
}

/** On Linux, opens the pipe or terminal again: O_NONBLOCK is then not shared with other programs. */
function reopened(descriptor: number): number | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants
    const opened = openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY)
    if (isNonBlocking(opened)) return opened
    closeSync(opened)
  } catch {
    // The descriptor is used as it is.
  }
  return undefined
}

/** Node made pipes and sockets non-blocking when it opened process.stderr, but not on Windows. */
function nonBlocking(descriptor: number): number | undefined {
  return process.platform !== 'win32' && isNonBlocking(descriptor) ? descriptor : undefined
}

/** Reads it on Linux (proc_pid_fdinfo(5)); elsewhere it is assumed. */
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
      if (errorCode(error) === 'EAGAIN') return 0
      throw error
    }
  }
}

/** A write that never returns, as to a stopped terminal of another user, blocks one thread of the pool. */
function pooled(descriptor: number): LogSink {
  return {
    write: async (bytes) => (await writeInPool(descriptor, bytes)).bytesWritten,
    writeAtExit: (bytes) => (isatty(descriptor) ? 0 : writeSync(descriptor, bytes)),
  }
}
