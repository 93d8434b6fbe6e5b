/**
 * Noticing that the program which started this one is gone, so that no orphan keeps its port and its data.
 *
 * An input that is a pipe ends when nobody holds its other end any more, however the parent died; that works on every
 * system. Elsewhere (a terminal, /dev/null) the input says nothing, but on POSIX an orphan gets another parent.
 */
import { fstatSync } from 'node:fs'
import type { Readable } from 'node:stream'

const LOOK_MS = 1_000
const STDIN = 0

export interface ParentWatch {
  /** Resolves with what was noticed. */
  readonly gone: Promise<string>
  stop(): void
}

export function watchParent(stdin: Readable): ParentWatch {
  const { promise: gone, resolve } = Promise.withResolvers<string>()
  const isListening = isPipe()
  if (isListening) {
    const ended = (): void => resolve('stdin closed')
    stdin.once('end', ended).once('error', ended).once('close', ended).resume()
  }
  const parent = process.ppid
  // Windows keeps telling the number of a parent that is gone.
  const timer = process.platform === 'win32' ? undefined : setInterval(look, LOOK_MS)
  timer?.unref()
  function look(): void {
    if (process.ppid !== parent) resolve('parent gone')
  }
  return {
    gone,
    stop() {
      clearInterval(timer)
      // A pipe that is read keeps the process alive.
      if (isListening) stdin.destroy()
    },
  }
}

/** Node gives its children sockets for pipes. */
function isPipe(): boolean {
  try {
    const stat = fstatSync(STDIN)
    return stat.isFIFO() || stat.isSocket()
  } catch {
    return false // Closed from the start.
  }
}
