/** What a check of `dateline check` is, and how checks read the database. */
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { restoreAdvice } from '../../store/backup/backup.ts'
import { databaseReason, isDamage, openDatabase, type Database } from '../../store/db/database.ts'

/** Something to do although the service can run. */
export interface Warning {
  readonly warning: string
}

/** Returns what was found. An error that it throws is a problem, with its message. */
export type Check = () => string | Warning | Promise<string | Warning>

/** A problem, with its remedy. */
export class Problem extends Error {}

/** A database that cannot be read is one problem, which the first check that meets it reports. */
export class Unreadable extends Problem {}
export const NOT_LOOKED_AT: Warning = { warning: 'not looked at: the database cannot be read, see above' }
export const NO_DATABASE = 'there is no database yet'

export type DatabaseCheck = (database: Database, file: string) => string | Warning

export function checksOfDatabase(file: string): (check: DatabaseCheck) => Check {
  let isUnreadable = false
  return (check) => () => {
    if (isUnreadable) return NOT_LOOKED_AT
    try {
      return withDatabase(file, check) ?? NO_DATABASE
    } catch (error) {
      isUnreadable = error instanceof Unreadable
      throw error
    }
  }
}

/** What is read of a database, for what stands behind those checks: undefined where there is none, `otherwise` where it cannot be read. */
export function ifReadable<T, U>(file: string, read: (database: Database, file: string) => T, otherwise: U): T | U | undefined {
  try {
    return withDatabase(file, read)
  } catch (error) {
    if (error instanceof Unreadable) return otherwise
    throw error
  }
}

/**
 * Undefined where there is none. All that `read` reads is of one moment: a service may write meanwhile, and an index read behind the
 * write would differ from documents read before it. Throws Unreadable, and a Problem that `read` throws.
 */
function withDatabase<T>(file: string, read: (database: Database, file: string) => T): T | undefined {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return undefined
  let database: Database | undefined
  try {
    database = openDatabase(file, { readOnly: true })
    database.exec('BEGIN')
    return read(database, file)
  } catch (error) {
    if (error instanceof Problem) throw error
    const remedy = isDamage(error) ? `: run ${restoreAdvice(dirname(file))}` : ''
    throw new Unreadable(`${file} cannot be read: ${databaseReason(error)}${remedy}`)
  } finally {
    database?.close()
  }
}
