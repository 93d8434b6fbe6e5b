/**
 * What a restore keeps of a backup although its author may have planted it: administrators that the database in use does
 * not have, and other stored settings, such as the mail server that codes go through. Both may be right, so that they are
 * told and not removed.
 */
import { existsSync } from 'node:fs'
import { EDITABLE_NAMES, type EditableName } from '../../models/editable-settings.ts'
import { openDatabase, type Database } from '../db/database.ts'
import { listSettings } from '../settings/setting-table.ts'

/** Those that are told: a forged file may have any number. */
export const ADMINISTRATORS_TOLD_MAX = 10

export interface CopyDifferences {
  /** E-mail addresses of administrators that the database in use does not have, the first ten. */
  readonly administrators: readonly string[]
  /** Settings whose stored values differ, or that one of the two has not stored. */
  readonly settings: readonly EditableName[]
}

const NONE: CopyDifferences = { administrators: [], settings: [] }

/** Compares a checked copy with the database in use; where that is missing or damaged, there is nothing to compare with. */
export function copyDifferences(file: string, inUse: string): CopyDifferences {
  const present = presentState(inUse)
  if (present === undefined) return NONE
  const copy = openDatabase(file, { readOnly: true })
  try {
    const values = storedValues(copy)
    return {
      administrators: administratorsBeyond(present.emails, copy),
      settings: EDITABLE_NAMES.filter((name) => values.get(name) !== present.values.get(name)),
    }
  } finally {
    copy.close()
  }
}

const IS_ADMINISTRATOR = "doc ->> '$.dashboardRole' = 'admin'"

function presentState(inUse: string) {
  if (!existsSync(inUse)) return undefined
  let database: Database | undefined
  try {
    database = openDatabase(inUse, { readOnly: true })
    const rows = database.all(`SELECT doc ->> '$.email' AS email FROM user WHERE ${IS_ADMINISTRATOR}`)
    return { emails: rows.map(({ email }) => email), values: storedValues(database) }
  } catch {
    return undefined
  } finally {
    database?.close()
  }
}

function administratorsBeyond(emails: readonly unknown[], copy: Database): readonly string[] {
  const rows = copy.all(
    `SELECT doc ->> '$.email' AS email FROM user WHERE ${IS_ADMINISTRATOR}
        AND doc ->> '$.email' NOT IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?`,
    JSON.stringify(emails),
    ADMINISTRATORS_TOLD_MAX,
  )
  return rows.map(({ email }) => String(email))
}

const storedValues = (database: Database): ReadonlyMap<string, string> => new Map(listSettings(database).map(({ name, value }) => [name, value]))
