/**
 * What a restore changes in the copy of a backup before the copy takes the place of the database.
 *
 * - What was committed after the backup is gone, and its places in the change log are taken by other changes: the log gets
 *   another identity. Off-site places have those changes, so that they begin again with a snapshot.
 * - What triggers keep is derived again from the documents, whatever the file says, and the statistics of the planner go,
 *   which an operator may have made.
 * - A token of the API or a passkey is nothing but its row: the author of a forged file could sign in with one that was
 *   planted there. Only those stay that the database in use has as well. Other ways to sign in need the file `secrets` or a
 *   mailbox.
 * - Sessions that ended since the backup stay ended (kept-sessions.ts). Publications keep the secret addresses that they have in
 *   the database in use: a former one was replaced since others got it.
 * - A sign-out of a time to come, which would end every new session of its user, is one of now.
 * - A role that does not go with the e-mail address of its account becomes the one that does: no other path stores one.
 */
import { EDITABLE_NAMES, type EditableName } from '../../models/editable-settings.ts'
import { rolesInPlace } from '../../models/guest.ts'
import type { Model } from '../../models/schema.ts'
import type { User } from '../../models/user.ts'
import { foldWal, openDatabase, type Database, type Row } from '../db/database.ts'
import { clearUnsyncedMark } from '../db/unsynced-mark.ts'
import { renameHistory } from '../history/change-log.ts'
import { forgetChain } from '../pending/pending-changes.ts'
import { putPublicationSecret } from '../publications/publication-rows.ts'
import { recount } from '../schema/derived-rows.ts'
import { STATISTICS } from '../schema/whole-schema.ts'
import { listSettings } from '../settings/setting-table.ts'
import { readInUse } from './database-in-use.ts'
import { keepSessions } from './kept-sessions.ts'

/** How many rows were removed, since the database in use does not have them. */
export interface RemovedCredentials {
  readonly apiTokens: number
  readonly passkeys: number
}

export const NONE_REMOVED: RemovedCredentials = { apiTokens: 0, passkeys: 0 }

/** What tells two rows apart; the rest changes with each use. */
const CREDENTIALS = {
  apiTokens: { table: 'api_token', columns: 'id, user_id, hash, name, limits, created_at, expires_at' },
  passkeys: { table: 'passkey', columns: 'id, user_id, origin, public_key, name, created_at' },
} as const

interface Preparation {
  readonly models: readonly Model[]
  /** The file of the database in use, which may be missing. */
  readonly inUse: string
  /** Whether tokens of the API and passkeys stay that the database in use does not have. */
  readonly keepsCredentials: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

export function prepareCopy(file: string, { models, inUse, keepsCredentials, now }: Preparation): RemovedCredentials {
  const database = openDatabase(file)
  try {
    for (const table of STATISTICS) database.exec(`DROP TABLE IF EXISTS ${table}`)
    database.exec('BEGIN IMMEDIATE')
    recount(database, models)
    renameHistory(database)
    forgetChain(database)
    clearUnsyncedMark(database)
    endFutureSignOuts(database, now)
    keepSessions(database, inUse, now)
    keepSecretAddresses(database, inUse)
    repairAppRoles(database)
    const removed = keepsCredentials ? NONE_REMOVED : removeUnknownOf(database, inUse)
    database.exec('COMMIT')
    return removed
  } finally {
    database.close()
    foldWal(file)
  }
}

function endFutureSignOuts(database: Database, now: number): void {
  const second = Math.floor(now / 1000)
  database.run('UPDATE signed_out SET before = ? WHERE before > ?', second, second)
}

/** A dashboard role stays: with it the last administrator could go, and it passes to no other account. */
function repairAppRoles(database: Database): void {
  const wrong: { readonly id: string; readonly role: string }[] = []
  for (const { id, doc } of database.iterate('SELECT id, doc FROM user')) {
    const [role] = rolesInPlace(JSON.parse(String(doc)) as User) ?? []
    if (role !== undefined) wrong.push({ id: String(id), role })
  }
  for (const { id, role } of wrong) database.run("UPDATE user SET doc = json_set(doc, '$.appRole', ?) WHERE id = ?", role, id)
}

function removeUnknownOf(copy: Database, inUse: string): RemovedCredentials {
  return { apiTokens: removeUnknown(copy, 'apiTokens', inUse), passkeys: removeUnknown(copy, 'passkeys', inUse) }
}

function removeUnknown(copy: Database, kind: keyof typeof CREDENTIALS, inUse: string): number {
  const { table, columns } = CREDENTIALS[kind]
  const found = copy.all(`SELECT ${columns} FROM ${table}`)
  if (found.length === 0) return 0
  const inUseRows = readInUse(inUse, (database) => database.all(`SELECT ${columns} FROM ${table}`)) ?? []
  const known = new Set(inUseRows.map(textOf))
  const unknown = found.filter((row) => !known.has(textOf(row)))
  for (const { id } of unknown) copy.run(`DELETE FROM ${table} WHERE id = ?`, id as string)
  return unknown.length
}

function keepSecretAddresses(copy: Database, inUse: string): void {
  const rows = readInUse(inUse, (database) => database.all('SELECT publication, hash FROM publication_secret'))
  for (const { publication, hash } of rows ?? []) putPublicationSecret(copy, publication as string, hash as Uint8Array)
}

const textOf = (row: Row): string => JSON.stringify(Object.values(row))

/*
 * What a restore keeps of a backup although its author may have planted it: administrators that the database in use does
 * not have, and other stored settings, such as the mail server that codes go through. Both may be right, so that they are
 * told and not removed.
 */

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

const presentState = (inUse: string) =>
  readInUse(inUse, (database) => {
    const rows = database.all(`SELECT doc ->> '$.email' AS email FROM user WHERE ${IS_ADMINISTRATOR}`)
    return { emails: rows.map(({ email }) => email), values: storedValues(database) }
  })

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
