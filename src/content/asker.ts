/** From a caller to the place that its queries have among those of others. */
import { classOf, type Caller } from '../models/caller.ts'
import type { Asker } from '../store/store.ts'

/** What a query is asked over: the signal aborts when the client is gone. Only read where the query has to wait. */
export interface Connection {
  readonly signal: AbortSignal
}

export function askerOf(caller: Caller, connection?: Connection): Asker {
  const asker = { id: caller.id, class: classOf(caller) }
  if (connection === undefined) return asker
  return {
    ...asker,
    get signal() {
      return connection.signal
    },
  }
}
