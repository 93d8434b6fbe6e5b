/**
 * Throws away what a hostile client has sent already, without calling JavaScript for it.
 *
 * A parser that has read 64 KiB calls back for everything in them, also when the socket was destroyed meanwhile: ten
 * thousand chunks of one byte take 12 ms, two thousand requests more, and the sockets that are ready in one turn of the
 * event loop are read one after the other. Without its callbacks the parser skips the same in less than half a
 * millisecond. Node has no public way to take them away: where its internals differ, this does nothing, and the
 * connection costs what it costs until it ends.
 */
import type { Socket } from 'node:net'

/** Callbacks of node's HTTPParser, which are kept under the numbers that its constructor gives for these names. */
const CALLBACKS = ['kOnHeaders', 'kOnHeadersComplete', 'kOnBody', 'kOnMessageComplete'] as const

type Parser = Record<number, unknown> & { readonly constructor: Readonly<Record<string, unknown>> }

/** Has nothing more of the connection parsed. The caller ends the connection; it cannot be used again. */
export function abandonInput(socket: Socket & { readonly parser?: Parser | null }): void {
  const { parser } = socket
  if (parser === undefined || parser === null) return
  const taken = CALLBACKS.flatMap((name) => {
    const at = parser.constructor[name]
    if (typeof at !== 'number' || typeof parser[at] !== 'function') return []
    const callback = parser[at]
    parser[at] = undefined
    return [[at, callback] as const]
  })
  // Node uses the parsers of closed connections again.
  socket.once('close', () => {
    for (const [at, callback] of taken) parser[at] = callback
  })
}
