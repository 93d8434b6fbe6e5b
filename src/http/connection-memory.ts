/**
 * The memory that clients take by what they do not finish: headers that are incomplete, responses that are not read.
 * Where all of one kind together are over their limit, the connections that hold most end, until half of it is left.
 */
import type { Socket } from 'node:net'
import { incompleteHeaderBytes, type Connection } from './connection.ts'
import type { ServerLimits } from './server-limits.ts'

export function createConnectionMemory(
  all: () => readonly Connection[],
  { heldBytesMax, headsBytesMax }: ServerLimits,
) {
  /** The unread bytes when they were last counted, and all responses since. */
  let unreadBytes = 0
  return {
    /** Returns how many connections it ended. */
    boundHeaders: (): number => endLargest(all(), incompleteHeaderBytes, headsBytesMax).ended,
    /** To be called with the socket of each response that was queued. Returns how many connections it ended. */
    boundResponses(socket: Socket): number {
      unreadBytes += socket.writableLength
      if (unreadBytes <= heldBytesMax) return 0
      const { ended, bytesLeft } = endLargest(all(), bytesUnread, heldBytesMax)
      unreadBytes = bytesLeft
      return ended
    },
  }
}

function bytesUnread({ socket }: Connection): number {
  return socket.destroyed ? 0 : socket.writableLength
}

function endLargest(
  connections: readonly Connection[],
  bytesOf: (connection: Connection) => number,
  bytesMax: number,
): { ended: number; bytesLeft: number } {
  const held = connections
    .map((connection) => ({ connection, bytes: bytesOf(connection) }))
    .filter(({ bytes }) => bytes > 0)
  let bytesLeft = held.reduce((sum, { bytes }) => sum + bytes, 0)
  if (bytesLeft <= bytesMax) return { ended: 0, bytesLeft }
  let ended = 0
  for (const { connection, bytes } of held.sort((a, b) => b.bytes - a.bytes)) {
    if (bytesLeft <= bytesMax / 2) break
    bytesLeft -= bytes
    connection.socket.destroy()
    ended++
  }
  return { ended, bytesLeft }
}
