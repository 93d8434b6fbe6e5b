/**
 * The position of a database file: the last entry of its cluster's log that it contains. It is written in the transaction
 * that applies the entry, so a copy of the file, such as a backup, has its position with it.
 *
 * `site` identifies the log. A file without a position belongs to no cluster, and one with a position opens with its log only.
 */
import { open } from 'node:fs/promises'
import { errorCode } from '../../base/system-error.ts'
import { DataDirError, type DataDir, type Owner } from '../db/data-dir.ts'
import { openDatabase, type Database } from '../db/database.ts'
import { clearUnsyncedMark } from '../db/unsynced-mark.ts'
import { renameHistory } from '../history/change-log.ts'
import { fileFacts, FIRST_SCHEMA } from '../schema/migrate.ts'
import { NO_ENTRY } from './commit-log.ts'

/** The last entry that a database contains. */
export interface LastEntry {
  readonly position: number
  /** Its id; NO_ENTRY at position 0. */
  readonly entry: string
}

export interface FilePosition extends LastEntry {
  readonly site: string
}

/** The position of an open database; undefined where it belongs to no cluster. */
export function readPosition(database: Database): FilePosition | undefined {
  // A new file has no table, and one that this program cannot read is refused elsewhere.
  const { isOurs, schema } = fileFacts(database)
  if (!isOurs || schema < FIRST_SCHEMA) return undefined
  const row = database.get('SELECT site, position, entry FROM log_position')
  if (row === undefined) return undefined
  return { site: String(row['site']), position: Number(row['position']), entry: String(row['entry']) }
}

/** The position of a database file that may be in use. Throws what node:sqlite throws. */
export function filePosition(file: string): FilePosition | undefined {
  const database = openDatabase(file, { readOnly: true })
  try {
    return readPosition(database)
  } finally {
    database.close()
  }
}

/** What the triggers of one entry may add to the version of a model: an entry has fewer rows. */
const VERSIONS_OF_ENTRY = 2 ** 20

/** Moves the position, in the transaction that applies the entry there. */
export function movePosition(database: Database, { position, entry }: LastEntry): void {
  database.run('UPDATE log_position SET position = ?, entry = ?', position, entry)
  stampVersions(database, position)
}

/**
 * Makes the position of an entry the version of all models that it changed. The node that wrote it may have changed a row
 * more often than those that apply it, and versions have to be the same on all nodes: ETags are made of them.
 */
export function stampVersions(database: Database, position: number): void {
  const version = position * VERSIONS_OF_ENTRY
  database.run(`UPDATE model_version SET version = ? WHERE version % ${VERSIONS_OF_ENTRY} <> 0`, version)
}

/** Makes a file of this schema part of a cluster, ahead of the first entry of its log. No other process may have the file open. */
export function startOfLog(file: string, site: string): void {
  const database = openDatabase(file)
  try {
    database.run('BEGIN IMMEDIATE')
    database.run('DELETE FROM log_position')
    database.run('INSERT INTO log_position (one, site, position, entry) VALUES (1, ?, 0, ?)', site, NO_ENTRY)
    // Those of a service that ran alone are not positions.
    database.run('UPDATE model_version SET version = 0')
    // Only a service that runs alone records changes for off-site backups.
    database.exec('DELETE FROM pending_change; DELETE FROM change_chain; DELETE FROM backup_place')
    clearUnsyncedMark(database)
    renameHistory(database, site)
    database.run('COMMIT')
  } finally {
    database.close()
  }
}

/** Takes a file out of its cluster, so that it can be used by one process again. */
export function forgetPosition(file: string): void {
  const database = openDatabase(file)
  try {
    database.run('DELETE FROM log_position')
    renameHistory(database)
  } finally {
    database.close()
  }
}

interface PlaceWanted {
  readonly dir: DataDir
  readonly owner?: Owner
  readonly cluster?: { readonly site: string }
}

/**
 * The place of the database in the log of its cluster; undefined where it belongs to none. Throws DataDirError where
 * it would be used without its log, or with another one: its data would no longer be that of the other nodes.
 */
export function requirePlace(database: Database, { dir, owner, cluster }: PlaceWanted): FilePosition | undefined {
  const place = readPosition(database)
  const cannot = `Cannot use the data directory "${dir.path}"`
  if (cluster === undefined) {
    if (place === undefined || owner === undefined) return place
    throw new DataDirError(`${cannot} without its cluster: start the service with --cluster`)
  }
  if (place === undefined) {
    throw new DataDirError(`${cannot} in a cluster: it belongs to none: run dateline cluster init or dateline cluster join`)
  }
  if (place.site === cluster.site) return place
  throw new DataDirError(`${cannot} in this cluster: it belongs to another one: choose another --data-dir, and run dateline cluster join`)
}

/*
 * The position that a power cut cannot set back. Commits of a node are not synced, as the log is the durable copy
 * (`synchronous=NORMAL`: sqlite.org/pragma.html#pragma_synchronous): so the log may be trimmed only behind this one.
 *
 * What is committed is in the WAL, or was moved to the database by a checkpoint, which syncs both: once the WAL is synced,
 * all of it is durable. SQLite holds no locks on the WAL file, so closing a descriptor of it gives none up.
 */

/** `file` is the database; `position` is that of its last commit. */
export function createDurablePosition(file: string, position: () => number) {
  let durable = 0
  return {
    position: (): number => durable,
    /** Makes what is committed now durable. Rejects with the error of the file system. */
    async sync(): Promise<void> {
      const reached = position()
      if (reached === durable) return
      await syncFile(`${file}-wal`)
      durable = reached
    },
  }
}

async function syncFile(path: string): Promise<void> {
  try {
    await using file = await open(path, 'r+')
    await file.datasync()
  } catch (error) {
    // Closing the database moves all of the WAL and removes it.
    if (errorCode(error) !== 'ENOENT') throw error
  }
}
