/**
 * Discards what a hostile client has sent already, without calling JavaScript for it.
 *
 * A parser that has read 64 KiB calls back for everything in them, also when the socket was destroyed meanwhile: ten
 * thousand chunks of one byte take 12 ms, two thousand requests more, and the sockets that are ready in one turn of the
 * event loop are read one after the other. Without its callbacks the parser skips the same in less than half a
 * millisecond. Node has no public way to remove them: where its internals differ, this does nothing.
 */
import type { Socket } from 'node:net'

/** Callbacks of node's HTTPParser, which are kept under the numbers that its constructor gives for these names. */
const CALLBACKS = ['kOnHeaders', 'kOnHeadersComplete', 'kOnBody', 'kOnMessageComplete'] as const

type Parser = Record<number, unknown> & { readonly constructor: Readonly<Record<string, unknown>> }

/** Stops the parsing of a connection. The caller ends it; it cannot be used again. */
export function abandonInput(socket: Socket & { readonly parser?: Parser | null }): void {
  const { parser } = socket
  if (parser === undefined || parser === null) return
  const removed = CALLBACKS.flatMap((name) => {
    const at = parser.constructor[name]
    if (typeof at !== 'number' || typeof parser[at] !== 'function') return []
    const callback = parser[at]
    parser[at] = undefined
    return [[at, callback] as const]
  })
  // Node reuses the parsers of closed connections.
  socket.once('close', () => {
    for (const [at, callback] of removed) parser[at] = callback
  })
}
