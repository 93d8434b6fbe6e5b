/**
 * What becomes an entry of the log, and the sealing that encrypts it: the engine stores entries that it cannot read. The
 * store knows no keys; `src/cluster/sealing` keeps them.
 */

/** What the first entry of a log has in the place of the id of the one before it. */
export const NO_ENTRY = '0'.repeat(32)

export interface LogRecord {
  /** Number of the schema in which the changeset was recorded. */
  readonly schema: number
  /** The node that wrote it: 16 lowercase hexadecimal digits. */
  readonly node: string
  /** Random, 32 lowercase hexadecimal digits: the writer recognizes its own entry where the response was lost. */
  readonly id: string
  /** The id of the entry before it; NO_ENTRY in the first one. */
  readonly previous: string
  /** A changeset of SQLite's session extension; empty in an entry that only changes the schema number. */
  readonly changeset: Uint8Array
}

export interface Sealer {
  /** Encrypts with the newest key. Two calls with the same record return different bytes. */
  seal(record: LogRecord): Uint8Array
  /** Throws RecordUnreadable. */
  open(body: Uint8Array): LogRecord
}

/**
 * The entry cannot be read by this node: `damaged` was changed or is of another site; `unknown-format` is of a newer
 * program; `unknown-key` is sealed with a key that this node does not have yet; `destroyed` with one that no node has.
 */
export class RecordUnreadable extends Error {
  readonly reason: 'damaged' | 'unknown-format' | 'unknown-key' | 'destroyed'

  constructor(reason: RecordUnreadable['reason'], message: string) {
    super(message)
    this.name = 'RecordUnreadable'
    this.reason = reason
  }
}
