/**
 * Which connections end first so that a new client is served.
 *
 * A connection costs its client nothing while the server waits for it: first those go whose request is incomplete, then
 * those between two requests, then those that do not read their response. One that is being served is never ended.
 */
import { stateOf, type Connection } from './connection.ts'

const SHED_ORDER = { incomplete: 0, idle: 1, unread: 2 } as const

/** Of the connections of one client, the oldest of those to end first; undefined where all are being served. */
export function oldestToShed(connections: Iterable<Connection>): Connection | undefined {
  let idle: Connection | undefined
  let unread: Connection | undefined
  for (const connection of connections) {
    const state = stateOf(connection)
    if (state === 'incomplete') return connection
    if (state === 'idle') idle ??= connection
    else if (state === 'unread') unread ??= connection
  }
  return idle ?? unread
}

/** All that may be ended, the first to go first: the client with the most incomplete ones, and its oldest. */
export function inShedOrder(oldestFirst: readonly Connection[]): readonly Connection[] {
  const newer = new Map<string, number>()
  return oldestFirst
    .toReversed()
    .flatMap((connection) => {
      const state = stateOf(connection)
      if (state === 'busy') return []
      const { clientKey } = connection
      // How many newer ones of its client are incomplete too: the client with the most has the highest.
      const depth = state === 'incomplete' && clientKey !== undefined ? (newer.get(clientKey) ?? 0) : 0
      if (state === 'incomplete' && clientKey !== undefined) newer.set(clientKey, depth + 1)
      return [{ connection, order: SHED_ORDER[state], depth }]
    })
    .toReversed()
    .sort((a, b) => a.order - b.order || b.depth - a.depth || a.connection.idleSinceCheck - b.connection.idleSinceCheck)
    .map(({ connection }) => connection)
}
