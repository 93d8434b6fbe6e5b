/**
 * What a replicated store needs from a log: a total order of entries, and an append that succeeds only behind the entry
 * that its writer has applied (compare-and-append, as in optimistic concurrency control). The store knows no engine;
 * `src/cluster` keeps the log in etcd, and the tests keep one in memory under the same contract.
 *
 * Positions grow with the order of the entries and need not be dense: in etcd a position is the revision of the store in
 * which the log key was written. The position before the first entry is 0.
 */
/** Maximum length of an entry: etcd takes requests of 8 MiB, which hold keys and comparison as well. */
export const ENTRY_BYTES_MAX = 8 * 1024 * 1024 - 64 * 1024

export interface LogEntry {
  readonly position: number
  readonly body: Uint8Array
}

export type Appended = { readonly kind: 'appended'; readonly position: number } | { readonly kind: 'lost' }

export interface LogReader {
  /** Called once for each entry behind the position, in order, entries of this node included. The next one waits for a promise. */
  entry(entry: LogEntry): void | Promise<void>
  /** The last call: entries behind the position were trimmed before they were read. `reason` is a sentence for the log. */
  gap(reason: string): void
}

export interface CommitLog {
  /**
   * Appends where the last entry stands at `after`; 'lost' where another entry came first. Rejects with LogUnavailable
   * where the outcome is unknown or the log was not asked, and with a RangeError past ENTRY_BYTES_MAX. The same body may be
   * appended again behind the same position: at most one of the attempts becomes an entry.
   */
  append(after: number, body: Uint8Array): Promise<Appended>
  /** The position of the last entry, linearizable: no earlier than any append that ended before. Rejects with LogUnavailable. */
  last(): Promise<number>
  /** Delivers each entry behind `after` in order, over reconnects, until stop() or a gap. */
  follow(after: number, reader: LogReader): { stop(): void }
  /** Removes entries before a position; that one and later ones stay. Rejects with LogUnavailable. */
  trim(before: number): Promise<void>
  /** Ends all followers. */
  close(): Promise<void>
}

/** The log cannot be reached or has no quorum. */
export class LogUnavailable extends Error {
  /** Whether the request may have been carried out: it was sent, and no response came. */
  readonly sent: boolean

  constructor(message: string, { sent, cause }: { readonly sent: boolean; readonly cause?: unknown }) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'LogUnavailable'
    this.sent = sent
  }
}

/*
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
  /** Encrypts. Two calls with the same record return different bytes. */
  seal(record: LogRecord): Uint8Array
  /** Throws RecordUnreadable. */
  open(body: Uint8Array): LogRecord
}

/**
 * The entry cannot be read by this node: `damaged` was changed or is of another site; `unknown-format` is of a newer
 * program; `unknown-key` is sealed with a key that this node does not have.
 */
export class RecordUnreadable extends Error {
  readonly reason: 'damaged' | 'unknown-format' | 'unknown-key'

  constructor(reason: RecordUnreadable['reason'], message: string) {
    super(message)
    this.name = 'RecordUnreadable'
    this.reason = reason
  }
}
