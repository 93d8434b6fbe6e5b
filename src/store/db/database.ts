/**
 * One connection to the SQLite file, set up the way this service needs it.
 *
 * Where we differ from SQLite's defaults (sqlite.org/pragma.html):
 * - `journal_mode=WAL`: readers in other threads and processes never wait for the writer.
 * - `synchronous=FULL` (in WAL mode the default would be the same, but builds differ): a commit is on disk when it
 *   returns, so an acknowledged write survives a power cut.
 * - `wal_autocheckpoint=0`: checkpoints.ts moves the WAL into the database, and blanks what is deleted.
 * - `secure_delete=ON`: deleted content is overwritten with zeroes; a deleted account must not be readable in the file.
 * - `trusted_schema=OFF` and defensive mode: a tampered schema cannot call functions or rewrite the file's internals.
 * - `foreign_keys=ON`: what an account owns cannot outlive it.
 */
import {
  backup,
  constants,
  DatabaseSync,
  type Session,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite'
import { fail } from '../../base/failure.ts'
import { systemReason } from '../../base/system-error.ts'
import { createIdleStatements, keptStatements } from './kept-statements.ts'

/** How long a connection waits for the lock of another one. */
export const BUSY_TIMEOUT_MS = 5_000
const CACHE_KIB = 32 * 1024
/** A connection that only scans reads each page once. */
const SCAN_CACHE_KIB = 4 * 1024
/** After a checkpoint the WAL file is cut back to this size. */
const WAL_BYTES_KEPT = 16 * 1024 * 1024

export type Row = Record<string, SQLOutputValue>
export type RawRow = readonly SQLOutputValue[]
export interface RowCursor {
  next(): RawRow | undefined
  close(): void
}

export type Database = ReturnType<typeof openDatabase>

interface OpenOptions {
  readonly readOnly?: boolean
  /** Kept in memory. */
  readonly cacheKib?: number
  /** For a connection that reads no row and writes none: it is open in a tenth of the time, since SQLite reads the schema for settings. */
  readonly isPlain?: boolean
}

/** Opens the file, creating it where `readOnly` is not set. Throws what node:sqlite throws. */
export function openDatabase(file: string, { readOnly = false, cacheKib, isPlain = false }: OpenOptions = {}) {
  const connection = new DatabaseSync(file, {
    readOnly,
    timeout: BUSY_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
    defensive: true,
  })
  if (!isPlain) connection.exec(`
    PRAGMA trusted_schema = OFF;
    PRAGMA cache_size = -${cacheKib ?? (readOnly ? SCAN_CACHE_KIB : CACHE_KIB)};
    PRAGMA temp_store = MEMORY;
  `)
  if (!isPlain && !readOnly) {
    connection.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA wal_autocheckpoint = 0;
      PRAGMA synchronous = FULL;
      PRAGMA secure_delete = ON;
      PRAGMA journal_size_limit = ${WAL_BYTES_KEPT};
    `)
  }
  const prepared = new Map<string, StatementSync>()
  let ahead: (() => void) | undefined
  const statement = (sql: string): StatementSync => {
    ahead?.()
    return preparedOf(sql)
  }
  const preparedOf = (sql: string): StatementSync => {
    let found = prepared.get(sql)
    if (found === undefined) prepared.set(sql, (found = connection.prepare(sql)))
    return found
  }
  const kept = keptStatements(connection)
  const idle = createIdleStatements(connection)
  return {
    /** Runs a statement and returns its first row. Statements are prepared once per text. */
    get: (sql: string, ...values: SQLInputValue[]): Row | undefined => statement(sql).get(...values),
    all: (sql: string, ...values: SQLInputValue[]): Row[] => statement(sql).all(...values),
    /**
     * Rows one by one; only the current one is held. Stop early by leaving the loop. A statement can only be stepped by one
     * loop at a time, so each prepares its own.
     */
    iterate(sql: string, ...values: SQLInputValue[]): Iterable<Row> {
      ahead?.()
      return connection.prepare(sql).iterate(...values)
    },
    /** Has this done ahead of each statement but those of `getApart`; undefined ends that. */
    setAhead: (work: (() => void) | undefined): void => void (ahead = work),
    /** The first row of a query that does not see what is done ahead of statements. */
    getApart: (sql: string, ...values: SQLInputValue[]): Row | undefined => preparedOf(sql).get(...values),
    /** The same with rows as arrays, any number of them open at once over one prepared text. Close each. */
    cursor(sql: string, values: readonly SQLInputValue[]): RowCursor {
      ahead?.()
      const statement = idle.take(sql)
      const rows = statement.iterate(...values) as unknown as Iterator<RawRow>
      return {
        next() {
          const { done, value } = rows.next()
          return done === true ? undefined : value
        },
        close() {
          rows.return?.()
          idle.giveBack(sql, statement)
        },
      }
    },
    /** All rows as arrays, for statements of which clients cause many texts: the latest stay prepared. */
    rows(sql: string, values: readonly SQLInputValue[]): readonly RawRow[] {
      ahead?.()
      return kept(sql).all(...values) as unknown as readonly RawRow[]
    },
    /** Runs a statement and returns the number of rows that it changed. */
    run: (sql: string, ...values: SQLInputValue[]): number => Number(statement(sql).run(...values).changes),
    /**
     * Runs an INSERT of one row and returns its rowid; undefined where a conflict left the table as it was. Costs less than
     * a `RETURNING` clause, which SQLite runs as a trigger (sqlite.org/lang_returning.html).
     */
    insert(sql: string, ...values: SQLInputValue[]): number | undefined {
      const { changes, lastInsertRowid } = statement(sql).run(...values)
      return changes === 0 ? undefined : Number(lastInsertRowid)
    },
    /** Defines a function of SQL, which only statements and TEMP triggers of this connection may call. */
    define: (name: string, work: (...values: SQLOutputValue[]) => SQLInputValue): void =>
      connection.function(name, work),
    /** Runs several statements without values, for schema and transaction control. */
    exec(sql: string): void {
      ahead?.()
      connection.exec(sql)
    },
    get inTransaction(): boolean {
      return connection.isTransaction
    },
    /** Records what changes in a table from now on (sqlite.org/sessionintro.html). Close it. */
    recordChanges: (table: string): Session => connection.createSession({ table }),
    /** Applies a recorded changeset as a whole. Returns why nothing of it was applied; undefined where all was. */
    applyChangeset(changeset: Uint8Array): string | undefined {
      let conflict: number | undefined
      const isApplied = connection.applyChangeset(changeset, {
        onConflict(kind) {
          conflict = kind
          return constants.SQLITE_CHANGESET_ABORT
        },
      })
      return isApplied && conflict === undefined ? undefined : CONFLICTS.get(conflict ?? 0)
    },
    /**
     * Copies the database to a file, `pages` at a time, beside other work of the process (sqlite.org/backup.html).
     * `onStep` is called between two steps; what it throws ends the copy. Within a read transaction, the copy is of its
     * snapshot.
     */
    async copyTo(
      file: string,
      pages: number,
      onStep: (step: { readonly totalPages: number; readonly remainingPages: number }) => void,
    ): Promise<void> {
      await backup(connection, file, { rate: pages, progress: onStep })
    },
    /** May be called more than once. */
    close(): void {
      if (connection.isOpen) connection.close()
    },
  }
}

/** Why a changeset does not fit (sqlite.org/session/c_changeset_conflict.html). */
const CONFLICTS: ReadonlyMap<number, string> = new Map([
  [0, 'it was not applied'],
  [constants.SQLITE_CHANGESET_DATA, 'a row has other values than it had where it was changed'],
  [constants.SQLITE_CHANGESET_NOTFOUND, 'a row is missing'],
  [constants.SQLITE_CHANGESET_CONFLICT, 'a row with the same key is there already'],
  // SQLITE_CHANGESET_CONSTRAINT, which node:sqlite has no name for.
  [4, 'a row breaks a constraint'],
  [constants.SQLITE_CHANGESET_FOREIGN_KEY, 'a row refers to one that is missing'],
])

/** Opens a file for reading alone, and closes it after the work. Throws what openDatabase() and the work throw. */
export function lookInto<T>(file: string, look: (database: Database) => T): T {
  const database = openDatabase(file, { readOnly: true })
  try {
    return look(database)
  } finally {
    database.close()
  }
}

/**
 * Folds the WAL of a database into its file and removes it, so that a later file of that name cannot take it for its own.
 * Throws where another connection has the file open, and what node:sqlite throws.
 */
export function foldWal(file: string): void {
  const connection = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    connection.exec('PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE')
  } finally {
    connection.close()
  }
}

/** Primary result codes (sqlite.org/rescode.html) whose cause is the disk or another process. */
const UNAVAILABLE = new Map([
  [5, 'it is busy'],
  [6, 'it is locked'],
  [8, 'it cannot be written'],
  [10, 'the disk reported an error'],
  [11, 'it is damaged'],
  [13, 'the disk is full'],
  [14, 'it cannot be opened'],
  [26, 'it is damaged'],
])
const CONSTRAINT_FOREIGN_KEY = 787

/** A 503 for an error of the disk or of another process; any other error unchanged. */
export function asStoreFailure(error: unknown): unknown {
  const reason = UNAVAILABLE.get(errorCode(error) & 0xff)
  if (reason === undefined) return error
  return fail('networkError', `The database cannot be used now: ${reason}`, { cause: error })
}

/** Why a database file cannot be used, for the operator; the message of an error that is not SQLite's. */
export function databaseReason(error: unknown): string {
  if (isDamage(error)) return 'the file is damaged, or is no database of SQLite'
  return UNAVAILABLE.get(errorCode(error) & 0xff) ?? systemReason(error)
}

/** Whether the file is no database, or one that was damaged (SQLITE_CORRUPT, SQLITE_NOTADB). */
export function isDamage(error: unknown): boolean {
  return [11, 26].includes(errorCode(error) & 0xff)
}

/** Whether another connection has the lock (SQLITE_BUSY). */
export function isBusy(error: unknown): boolean {
  return (errorCode(error) & 0xff) === 5
}

export function isForeignKeyError(error: unknown): boolean {
  return errorCode(error) === CONSTRAINT_FOREIGN_KEY
}

function errorCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0
}
