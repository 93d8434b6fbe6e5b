/**
 * Makes the schema of a new file, and brings a file of an earlier release to that of this program, in one transaction.
 *
 * `user_version` is the number of a schema. Whatever changes in tables.ts, search-tables.ts, indexes.ts, triggers.ts or in the
 * indexes of a model makes a schema with the next number, and a step that raises the one before it. A file with a higher number
 * was written by a newer program and is left alone.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncDirectory } from '../../base/directory.ts'
import type { Model } from '../../models/schema.ts'
import { databaseReason, openDatabase, type Database } from '../db/database.ts'
import { createSchema, remakeDerived } from './whole-schema.ts'

/** "DLN1" in the file's header identifies the database as dateline's. */
const APPLICATION_ID = 0x444c4e31

/** The schema of the first release. Lower numbers are those of development states, which no program reads any more. */
export const FIRST_SCHEMA = 24

/** What raises a schema to the next one. It does the same on every node of a cluster. */
export interface Migration {
  /** The digest of the schema that it raises: a backup of that schema is compared with it (schema-check.ts). */
  readonly from: string
  /** SQL, or what changes stored rows. Indexes and triggers of the models need no step of their own. */
  readonly raise: string | ((database: Database) => void)
}

/** Append only: a released migration never changes. The first raises FIRST_SCHEMA. */
export const MIGRATIONS: readonly Migration[] = []

/** The schema of a program with these migrations. */
export function schemaOf(migrations: readonly Migration[]): number {
  return FIRST_SCHEMA + migrations.length
}

/** The schema of this program. */
export const SCHEMA = schemaOf(MIGRATIONS)

export interface MigrationOptions {
  readonly models: readonly Model[]
  readonly version: string
  readonly migrations?: readonly Migration[]
  /** The schema to raise to, where a cluster is not yet at that of this program. */
  readonly to?: number
  /** The name of the copy that is kept before migrations run; the number of its schema is appended. */
  readonly backup: string
  /** Called at the end of the transaction. */
  readonly finish?: () => void
}

/** A database that this program must not touch; the message says what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}

export interface FileFacts {
  /** Whether dateline wrote the file. */
  readonly isOurs: boolean
  /** Whether it has no table. */
  readonly isEmpty: boolean
  /** The number of its schema; 0 for a new file. */
  readonly schema: number
  /** The version of dateline that prepared the file last. */
  readonly version: string | undefined
}

export function fileFacts(database: Database): FileFacts {
  const isOurs = Number(database.get('PRAGMA application_id')?.['application_id']) === APPLICATION_ID
  const version = isOurs ? database.get("SELECT value FROM meta WHERE name = 'version'")?.['value'] : undefined
  return {
    isOurs,
    isEmpty: Number(database.get('SELECT count(*) AS n FROM sqlite_schema')?.['n']) === 0,
    schema: Number(database.get('PRAGMA user_version')?.['user_version']),
    version: version === undefined ? undefined : String(version),
  }
}

/**
 * Throws SchemaError for a file of dateline that this program cannot bring to its schema: one of a newer program, or of a
 * development state before the first release. `what` begins the sentence.
 */
export function requireReadable(what: string, { schema, version }: FileFacts, ours: string, known = SCHEMA): void {
  if (schema >= FIRST_SCHEMA && schema <= known) return
  const found = `${what} has schema ${schema}, written by dateline ${version ?? 'of another version'}`
  if (schema > known) {
    throw new SchemaError(
      `${found}; this is dateline ${ours}, which knows schema ${known}: install that version or a newer one`,
    )
  }
  throw new SchemaError(
    `${found} before its first release; this is dateline ${ours}, which reads schema ${FIRST_SCHEMA} and later: ` +
      'run "dateline export" of that program for each model, and "dateline import" of this one into a new data directory',
  )
}

/** The schema of a file, 0 for a new one. Throws SchemaError where the file is not ours, and as requireReadable() does. */
export function schemaVersion(database: Database, options: Pick<MigrationOptions, 'version' | 'migrations'>): number {
  const { migrations = MIGRATIONS, version } = options
  const facts = fileFacts(database)
  if (!facts.isOurs && (facts.schema !== 0 || !facts.isEmpty)) {
    throw new SchemaError('The file dateline.db was not written by dateline: choose another data directory')
  }
  if (!facts.isEmpty) requireReadable('The database', facts, version, schemaOf(migrations))
  return facts.schema
}

/** The same of a database file that may be in use. */
export function schemaOfFile(file: string, version: string): number {
  const database = openDatabase(file, { readOnly: true })
  try {
    return schemaVersion(database, { version })
  } finally {
    database.close()
  }
}

/** Runs what is missing. Throws SchemaError; anything else that fails leaves the file as it was. */
export function migrate(database: Database, options: MigrationOptions): void {
  const { models, version, migrations = MIGRATIONS, to = schemaOf(migrations), backup, finish } = options
  const from = schemaVersion(database, options)
  if (from > 0 && from < to) keepCopy(database, `${backup}-${from}`)
  database.exec('BEGIN IMMEDIATE')
  try {
    if (from === 0) createSchema(database, models)
    else raise(database, migrations.slice(from - FIRST_SCHEMA, to - FIRST_SCHEMA))
    // Before, a table of a model may be missing.
    if (from > 0 && to === schemaOf(migrations)) remakeDerived(database, models)
    database.run(
      "INSERT INTO meta VALUES ('version', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      version,
    )
    database.exec(`PRAGMA user_version = ${to}; PRAGMA application_id = ${APPLICATION_ID}`)
    finish?.()
    database.exec('COMMIT')
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK')
    throw error
  }
}

function raise(database: Database, migrations: readonly Migration[]): void {
  for (const { raise: step } of migrations) {
    if (typeof step === 'string') database.exec(step)
    else step(database)
  }
}

/**
 * VACUUM INTO writes a consistent copy (sqlite.org/lang_vacuum.html). It gets its name when it is whole and on disk. The
 * remains of an earlier attempt are replaced.
 */
function keepCopy(database: Database, file: string): void {
  const partial = `${file}.partial`
  for (const stray of [partial, `${partial}-journal`]) rmSync(stray, { force: true })
  try {
    writeFileSync(partial, '', { mode: 0o600 })
    database.run('VACUUM INTO ?', partial)
    renameSync(partial, file)
    syncDirectory(dirname(file))
  } catch (error) {
    rmSync(partial, { force: true })
    throw new SchemaError(
      `Cannot keep a copy of the database as "${file}" before its schema changes: ${databaseReason(error)}: ` +
        'fix that, or stay with the version that was in use',
      { cause: error },
    )
  }
}
