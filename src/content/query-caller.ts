/** From the caller of a request to the caller of its queries, which wait in a line for each caller. */
import { classOf, type Caller } from '../models/caller.ts'
import type { QueryCaller } from '../store/store.ts'

/** The connection of a query. The signal aborts when the client has disconnected, and is only read where the query waits. */
export interface Connection {
  readonly signal: AbortSignal
}

export function queryCallerOf(caller: Caller, connection?: Connection): QueryCaller {
  const queryCaller = { id: caller.id, class: classOf(caller) }
  if (connection === undefined) return queryCaller
  return {
    ...queryCaller,
    get signal() {
      return connection.signal
    },
  }
}
