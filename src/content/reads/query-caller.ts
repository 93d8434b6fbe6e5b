/** From the caller of a request to the caller of its queries, which wait in a line for each caller. */
import { limitKey } from '../../http/client-address.ts'
import { classOf, type Caller } from '../../models/caller.ts'
import type { QueryCaller } from '../../store/query/find-query.ts'

/** The connection of a query, which is only read where the query waits. The signal aborts when the client has disconnected. */
export interface Connection {
  readonly signal: AbortSignal
  readonly clientAddress: string
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

  /** Anyone makes any number of guests: those of a client address are one group. */
  get group(): string | undefined {
    return this.class === 'guest' ? limitKey(this.#connection.clientAddress) : undefined
  }

  get signal(): AbortSignal {
    return this.#connection.signal
  }
}

export function queryCallerOf(caller: Caller, connection?: Connection): QueryCaller {
  const queryCaller = { id: caller.id, class: classOf(caller) }
  return connection === undefined ? queryCaller : new ConnectedCaller(queryCaller, connection)
}
