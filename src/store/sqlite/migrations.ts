/**
 * Brings a database file to the schema of this program, in one transaction.
 *
 * `user_version` counts the migrations that have run. Tables and indexes of the models are not numbered: they are
 * created from the declarations where they are missing, and indexes that no declaration names any more are dropped; so are
 * search indexes that were declared otherwise.
 * A file with a higher number was written by a newer program and is left alone.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncDirectory } from '../../base/directory.ts'
import type { Model } from '../../models/schema.ts'
import { user } from '../../models/user.ts'
import { databaseReason, type Database } from './database.ts'
import {
  hasWordIndex,
  hourAt,
  modelSchema,
  pendingMark,
  pendingTable,
  searchTables,
  SHARED_SCHEMA,
  tableOf,
  trigramTable,
  valueAt,
  vocabularyTable,
  wordTable,
} from './schema-sql.ts'
import { addLogoUrls } from './logo-urls.ts'
import { addPublicationDates } from './publication-dates.ts'
import { addChangeLog, CHANGES_BY_MODEL, DELTAS_IN_THE_LOG, ONE_STATUS } from '../changes/change-schema.ts'
import { indexListedCopies, listedCopyTrigger, REFERENCE_SCHEMA } from '../references/reference-schema.ts'
import { API_TOKEN_SCHEMA } from '../tables/api-token-table.ts'
import { guestTrigger, recountGuests } from '../tables/guest-storage.ts'
import { REVIEW_NOTE_SCHEMA } from '../tables/review-notes.ts'
import { SETTING_SCHEMA } from '../tables/setting-table.ts'
import { PASSKEY_SCHEMA } from '../tables/passkey-table.ts'
import { TRY_SCHEMA } from '../tables/rate-table.ts'
import { SAVED_VIEW_SCHEMA } from '../tables/saved-view-table.ts'
import { takeOverPending } from '../tables/search-changes.ts'
import { indexTexts } from '../tables/trigram-index.ts'
import { fillVocabulary, indexWords } from '../tables/word-index.ts'

/** "DLN1" in the file's header identifies the database as dateline's. */
const APPLICATION_ID = 0x444c4e31

/** SQL, or what changes stored documents. Either does the same on every node of a cluster. */
export type Migration = string | ((database: Database) => void)

/** Append only: a released migration never changes. */
export const MIGRATIONS: readonly Migration[] = [
  `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  -- One pending sign-in code per address; mac is HMAC(purpose, email, code).
  CREATE TABLE code (
    email TEXT PRIMARY KEY, mac BLOB NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX code_expiry ON code (expires_at);

  -- Tokens that were signed out before they expired.
  CREATE TABLE revoked_token (jti TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX revoked_token_expiry ON revoked_token (expires_at);

  -- Accepted requests of rate limits that survive a restart; key is an HMAC of the address or e-mail.
  CREATE TABLE rate_hit (key BLOB NOT NULL, at INTEGER NOT NULL, expires_at INTEGER NOT NULL);
  CREATE INDEX rate_hit_key ON rate_hit (key, at);
  CREATE INDEX rate_hit_expiry ON rate_hit (expires_at);

  -- Mail on its way. The content is sealed and erased when the message is done.
  CREATE TABLE outbox (
    id TEXT PRIMARY KEY, address TEXT NOT NULL, sealed BLOB, state TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, created_at INTEGER NOT NULL, done_at INTEGER, reply TEXT
  ) WITHOUT ROWID;
  CREATE INDEX outbox_due ON outbox (state, due_at);
  CREATE INDEX outbox_address ON outbox (address);

  CREATE TABLE status_count (model TEXT NOT NULL, status TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (model, status))
    WITHOUT ROWID;

  -- How many active documents have a value at an indexed path.
  CREATE TABLE key_count (
    model TEXT NOT NULL, path TEXT NOT NULL, value TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (model, path, value)
  ) WITHOUT ROWID;
  `,
  `
  -- Tokens that were issued, so that they can be seen and ended.
  CREATE TABLE session (
    jti TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE, label TEXT NOT NULL,
    created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX session_user ON session (user_id, created_at);
  CREATE INDEX session_expiry ON session (expires_at);

  -- Tokens of a user that were issued before this time, in seconds, do not hold.
  CREATE TABLE signed_out (
    user_id TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE, before INTEGER NOT NULL
  ) WITHOUT ROWID;
  `,
  `
  -- A message keeps its time while it is taken, and the operator sees when it was tried.
  ALTER TABLE outbox ADD COLUMN lease_until INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE outbox ADD COLUMN tried_at INTEGER;
  -- For the records whose time to be kept is over.
  CREATE INDEX outbox_done ON outbox (done_at) WHERE done_at IS NOT NULL;
  -- For the messages whose code is about to expire.
  CREATE INDEX outbox_expiry ON outbox (expires_at) WHERE state = 'waiting';
  `,
  `
  -- When a guest was last here, so that those who stay away can be removed.
  CREATE TABLE guest_seen (user_id TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE, at INTEGER NOT NULL)
    WITHOUT ROWID;
  CREATE INDEX guest_seen_at ON guest_seen (at);
  `,
  `
  -- How many documents of a model with a timeline there are of each hour: 2026-03-01T12, in UTC.
  CREATE TABLE hour_count (model TEXT NOT NULL, hour TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (model, hour))
    WITHOUT ROWID;
  `,
  `
  -- When a session was last used, to within a few minutes.
  ALTER TABLE session ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0;
  UPDATE session SET used_at = created_at;

  -- For each address at most one code that was mailed and one that the operator made; wrong counts the tries of all
  -- clients. A code that is live stays so.
  ALTER TABLE code RENAME TO replaced_code;
  CREATE TABLE code (
    email TEXT NOT NULL, maker TEXT NOT NULL, mac BLOB NOT NULL, wrong INTEGER NOT NULL DEFAULT 0,
    expires_at INTEGER NOT NULL, PRIMARY KEY (email, maker)
  ) WITHOUT ROWID;
  INSERT INTO code (email, maker, mac, wrong, expires_at) SELECT email, 'mail', mac, attempts, expires_at
    FROM replaced_code;
  DROP TABLE replaced_code;
  CREATE INDEX code_expiry ON code (expires_at);
  -- Wrong tries of one client at a code; client is an HMAC of its address.
  CREATE TABLE code_try (
    email TEXT NOT NULL, maker TEXT NOT NULL, client BLOB NOT NULL, wrong INTEGER NOT NULL,
    PRIMARY KEY (email, maker, client), FOREIGN KEY (email, maker) REFERENCES code (email, maker) ON DELETE CASCADE
  ) WITHOUT ROWID;
  `,
  `
  -- A table that is replicated needs a primary key. This one counts upward, as the row ids did.
  ALTER TABLE rate_hit RENAME TO replaced_rate_hit;
  CREATE TABLE rate_hit (
    seq INTEGER PRIMARY KEY, key BLOB NOT NULL, at INTEGER NOT NULL, expires_at INTEGER NOT NULL
  );
  INSERT INTO rate_hit SELECT rowid, key, at, expires_at FROM replaced_rate_hit;
  DROP TABLE replaced_rate_hit;
  CREATE INDEX rate_hit_key ON rate_hit (key, at);
  CREATE INDEX rate_hit_expiry ON rate_hit (expires_at);

  -- The last entry of the cluster's log that this file contains; no row where it belongs to no cluster.
  CREATE TABLE log_position (one INTEGER PRIMARY KEY CHECK (one = 1), site TEXT NOT NULL, position INTEGER NOT NULL);
  `,
  addLogoUrls,
  `
  -- First responses to requests with an Idempotency-Key, for repetitions; fingerprint is a hash of the request.
  CREATE TABLE first_response (
    seq INTEGER PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE, key TEXT NOT NULL,
    fingerprint BLOB NOT NULL, status INTEGER NOT NULL, data TEXT NOT NULL, bytes INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, UNIQUE (user_id, key)
  );
  CREATE INDEX first_response_user ON first_response (user_id, expires_at, bytes);
  CREATE INDEX first_response_expiry ON first_response (expires_at);
  `,
  addChangeLog,
  API_TOKEN_SCHEMA,
  DELTAS_IN_THE_LOG,
  SETTING_SCHEMA,
  PASSKEY_SCHEMA,
  REFERENCE_SCHEMA,
  addPublicationDates,
  ONE_STATUS,
  `
  -- What a mail brings: a sign-in code or an invitation.
  ALTER TABLE outbox ADD COLUMN kind TEXT NOT NULL DEFAULT 'code';
  `,
  SAVED_VIEW_SCHEMA,
  REVIEW_NOTE_SCHEMA,
  CHANGES_BY_MODEL,
  TRY_SCHEMA,
]

export interface MigrationOptions {
  readonly models: readonly Model[]
  readonly version: string
  readonly migrations?: readonly Migration[]
  /** The name of the copy that is kept before migrations run; the number of its schema is appended. */
  readonly backup: string
  /** Whether no table of a model is made, as on a node of a cluster: what is written there would reach older programs. */
  readonly keepsTables?: boolean
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
  /** How many migrations have run. */
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

/** The sentence for a file of a newer program. */
export function tooNew(what: string, { schema, version }: FileFacts, ours: string): SchemaError {
  return new SchemaError(
    `${what} has schema ${schema}, written by dateline ${version ?? 'of a newer version'}; this is ` +
      `dateline ${ours}, which knows schema ${MIGRATIONS.length}: install that version or a newer one`,
  )
}

/** How many migrations have run; throws SchemaError where the file is not ours or is newer than this program. */
export function schemaVersion(database: Database, options: Pick<MigrationOptions, 'version' | 'migrations'>): number {
  const { migrations = MIGRATIONS, version } = options
  const facts = fileFacts(database)
  if (!facts.isOurs && (facts.schema !== 0 || !facts.isEmpty)) {
    throw new SchemaError('The file dateline.db was not written by dateline: choose another data directory')
  }
  if (facts.schema > migrations.length) throw tooNew('The database', facts, version)
  return facts.schema
}

/** Whether opening this file would change its schema. */
export function needsMigration(database: Database, options: MigrationOptions): boolean {
  const { migrations = MIGRATIONS } = options
  if (schemaVersion(database, options) < migrations.length) return true
  const plan = schemaPlan(database, options)
  return plan.missing.length > 0 || plan.obsolete.length > 0
}

/** Runs what is missing. Throws SchemaError; anything else that fails leaves the file as it was. */
export function migrate(database: Database, options: MigrationOptions): void {
  const { models, version, migrations = MIGRATIONS, backup, finish } = options
  const from = schemaVersion(database, options)
  if (from > 0 && from < migrations.length) keepCopy(database, `${backup}-${from}`)
  database.exec('BEGIN IMMEDIATE')
  try {
    for (const step of migrations.slice(from)) {
      if (typeof step === 'string') database.exec(step)
      else step(database)
    }
    const { missing, obsolete } = schemaPlan(database, options)
    for (const { type, name } of obsolete) database.exec(`DROP ${type.toUpperCase()} "${name}"`)
    for (const { sql } of missing) database.exec(sql)
    const isNew = (name: string): boolean => missing.some((entry) => entry.name === name)
    for (const model of models) {
      if (isNew(`${model.name}/count INSERT`)) recount(database, model)
      if (model.timeline !== undefined && isNew(`${model.name}/hours INSERT`)) {
        recountHours(database, model, model.timeline)
      }
      if (model.trigrams !== undefined && isNew(trigramTable(model))) indexTexts(database, model)
      if (hasWordIndex(model) && isNew(wordTable(model))) indexWords(database, model)
      if (hasWordIndex(model) && isNew(vocabularyTable(model))) fillVocabulary(database, model)
      if (model.trigrams !== undefined && isNew(pendingMark(model))) takeOverPending(database, model)
      if (isNew(listedCopyTrigger(model))) indexListedCopies(database, model)
    }
    if (isNew(guestTrigger(user, 'INSERT'))) recountGuests(database)
    database.run(
      "INSERT INTO meta VALUES ('version', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      version,
    )
    database.exec(`PRAGMA user_version = ${migrations.length}; PRAGMA application_id = ${APPLICATION_ID}`)
    finish?.()
    database.exec('COMMIT')
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/** What the declarations name and the file lacks, and the indexes and triggers that no declaration names any more. */
function schemaPlan(database: Database, { models, keepsTables = false }: Pick<MigrationOptions, 'models' | 'keepsTables'>) {
  const found = database
    .all('SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL')
    .map(({ type, name, sql }) => ({ type: String(type), name: String(name), sql: String(sql) }))
  const hasTable = (model: Model): boolean => found.some(({ type, name }) => type === 'table' && name === model.name)
  const declared = keepsTables ? models.filter(hasTable) : models
  const wanted = [...SHARED_SCHEMA, ...declared.flatMap(modelSchema)]
  const isOther = ({ name, sql }: (typeof found)[number]): boolean => wanted.find((entry) => entry.name === name)?.sql !== sql
  // Where a search index has other columns than it needs by now, all of those of its model are made again, with what waits for them.
  const outdated = declared.filter((model) => found.some((entry) => searchTables(model).includes(entry.name) && isOther(entry)))
  const search = new Set(outdated.flatMap((model) => [...searchTables(model), pendingTable(model), pendingMark(model), vocabularyTable(model)]))
  // A slash is only in names that came from declarations. Indexes come first: they would go with their tables.
  const obsolete = found
    .filter((entry) => search.has(entry.name) || (entry.type !== 'table' && entry.name.includes('/') && isOther(entry)))
    .toSorted((a, b) => Number(a.type === 'table') - Number(b.type === 'table'))
  const kept = new Set(found.filter((entry) => !obsolete.includes(entry)).map(({ name }) => name))
  return { missing: wanted.filter(({ name }) => !kept.has(name)), obsolete }
}

function recount(database: Database, model: Model): void {
  const [table, status] = [tableOf(model), valueAt('status')]
  database.run('DELETE FROM status_count WHERE model = ?', model.name)
  database.run(`INSERT INTO status_count SELECT ?, ${status}, count(*) FROM ${table} GROUP BY 2`, model.name)
  database.run('DELETE FROM key_count WHERE model = ?', model.name)
  for (const path of model.tallied ?? []) {
    database.run(
      `INSERT INTO key_count SELECT ?, ?, ${valueAt(path)}, count(*) FROM ${table} WHERE ${status} = 'active' GROUP BY 3`,
      model.name,
      path,
    )
  }
}

/** In one pass over the table. */
function recountHours(database: Database, model: Model, path: string): void {
  const hour = hourAt(path)
  database.run('DELETE FROM hour_count WHERE model = ?', model.name)
  database.run(
    `INSERT INTO hour_count SELECT ?, ${hour}, count(*) FROM ${tableOf(model)} WHERE ${hour} IS NOT NULL GROUP BY 2`,
    model.name,
  )
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
