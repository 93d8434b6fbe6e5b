/** From the caller of a request to the caller of its queries, which wait in a line for each caller. */
import { classOf, type Caller } from '../../models/caller.ts'
import type { QueryCaller } from '../../store/query/find-query.ts'

/** The connection of a query. The signal aborts when the client has disconnected, and is only read where the query waits. */
export interface Connection {
  readonly signal: AbortSignal
}

// A class: see store/query/find-query.ts.
class ConnectedCaller implements QueryCaller {
  readonly id: string
  readonly class: QueryCaller['class']
  readonly #connection: Connection

  constructor({ id, class: name }: QueryCaller, connection: Connection) {
    this.id = id
    this.class = name
    this.#connection = connection
  }

  get signal(): AbortSignal {
    return this.#connection.signal
  }
}

export function queryCallerOf(caller: Caller, connection?: Connection): QueryCaller {
  const queryCaller = { id: caller.id, class: classOf(caller) }
  return connection === undefined ? queryCaller : new ConnectedCaller(queryCaller, connection)
}
