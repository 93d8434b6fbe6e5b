/** What the clients of the drill did and saw: the history, one operation a line. */
import { appendFileSync } from 'node:fs'

/** `unknown`: no response, or one that says that it may have happened. `failed`: it certainly changed nothing. */
export type Outcome = 'ok' | 'failed' | 'unknown'

/**
 * | kind | key | value |
 * |---|---|---|
 * | `write` | id of a document | its new value; `expected` is the value that If-Match named |
 * | `append` | id of a document | the entry that was added; `list` is what it was added to |
 * | `strongRead`, `sessionRead`, `plainRead` | id of a document | found; `list` where it is a list of appends |
 * | `insert` | text that only this document has | |
 * | `useCode` | email and code | id of the account that signed in |
 * | `addUser` | email | id of the new account |
 * | `convert` | id of the guest | email of the account |
 * | `setLimit` | name of the limit | items that are allowed |
 * | `follow` | name of the limit | items that were sent |
 */
export interface Operation {
  readonly kind:
    | 'write'
    | 'append'
    | 'strongRead'
    | 'sessionRead'
    | 'plainRead'
    | 'insert'
    | 'useCode'
    | 'addUser'
    | 'convert'
    | 'setLimit'
    | 'follow'
  readonly client: number
  readonly node: number
  /** Milliseconds of one clock for all clients: when the request was sent, and when the response was read. */
  readonly start: number
  readonly end: number
  readonly key: string
  readonly outcome: Outcome
  /** Of the response; 0 where there was none. */
  readonly status: number
  readonly value?: string | undefined
  readonly expected?: string | undefined
  readonly list?: readonly string[] | undefined
  /** The position that the request carried, and the one of the response. */
  readonly sent?: number | undefined
  readonly position?: number | undefined
}

/** What the cluster holds after the last operation, read once all nodes have the same position. */
export interface FinalState {
  /** The lists of appends by document. */
  readonly lists: ReadonlyMap<string, readonly string[]>
  /** How many documents have each text of an insert. */
  readonly inserted: ReadonlyMap<string, number>
  /** The accounts with each email. */
  readonly accounts: ReadonlyMap<string, readonly string[]>
}

export function writeHistory(file: string, history: readonly Operation[]): void {
  appendFileSync(file, history.map((operation) => `${JSON.stringify(operation)}\n`).join(''))
}
