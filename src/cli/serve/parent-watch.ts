/**
 * Detects that the parent process is gone, so that no orphan keeps its port and its data. A stdin that is a pipe ends
 * however the parent died. With another stdin (a terminal, /dev/null), POSIX still gives an orphan another parent.
 */
import { fstatSync } from 'node:fs'
import type { Readable } from 'node:stream'

const POLL_MS = 1_000
const STDIN = 0

export function watchParent(stdin: Readable) {
  const { promise: gone, resolve } = Promise.withResolvers<string>()
  const isListening = isPipe()
  if (isListening) {
    const ended = (): void => resolve('stdin closed')
    stdin.once('end', ended).once('error', ended).once('close', ended).resume()
  }
  const parent = process.ppid
  // Windows still returns the id of a parent that is gone.
  const timer = process.platform === 'win32' ? undefined : setInterval(poll, POLL_MS)
  timer?.unref()
  function poll(): void {
    if (process.ppid !== parent) resolve('parent gone')
  }
  return {
    /** Resolves with the reason. */
    gone,
    stop(): void {
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
