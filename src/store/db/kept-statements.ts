/**
 * Prepared statements of texts that clients cause with their filters and sorts. The latest stay prepared; the others are
 * closed immediately. Left to the garbage collector, which does not see the 20 to 120 KiB that SQLite holds for each, they took
 * hundreds of MiB before it came round.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** `close` is in Node 26.10; its types do not have it yet. */
type Statement = StatementSync & { close(): void }

/** Characters of the statements that are kept for pages: a character takes about 20 to 60 bytes of SQLite's memory. */
const KEPT_CHARS_MAX = 150_000
/** Statements of one text that wait for the next cursor. */
const IDLE_STATEMENTS_MAX = 64
/** Texts whose statements wait for the next cursor. */
const IDLE_TEXTS_MAX = 200

/** Returns a function that prepares statements with rows as arrays. Use one before the next is asked for. */
export function keptStatements(connection: DatabaseSync): (sql: string) => Statement {
  const statements = new Map<string, Statement>()
  let chars = 0
  return (sql) => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = prepareArrays(connection, sql)
    statements.set(sql, statement)
    chars += sql.length
    for (const [oldest, evicted] of statements) {
      if (chars <= KEPT_CHARS_MAX || oldest === sql) break
      statements.delete(oldest)
      chars -= oldest.length
      evicted.close()
    }
    return statement
  }
}

/** Statements with rows as arrays, of which any number of one text are in use at once. */
export function createIdleStatements(connection: DatabaseSync) {
  const idle = new Map<string, Statement[]>()
  return {
    take: (sql: string): Statement => idle.get(sql)?.pop() ?? prepareArrays(connection, sql),
    /** For a statement that is not stepped any more. */
    giveBack(sql: string, statement: Statement): void {
      const free = idle.get(sql) ?? []
      if (free.length < IDLE_STATEMENTS_MAX) free.push(statement)
      else statement.close()
      // The newest stands last: a Map iterates in the order of insertion.
      idle.delete(sql)
      idle.set(sql, free)
      if (idle.size <= IDLE_TEXTS_MAX) return
      const [oldest, evicted] = idle.entries().next().value as [string, Statement[]]
      idle.delete(oldest)
      for (const each of evicted) each.close()
    },
  }
}

function prepareArrays(connection: DatabaseSync, sql: string): Statement {
  const statement = connection.prepare(sql) as Statement
  statement.setReturnArrays(true)
  return statement
}
