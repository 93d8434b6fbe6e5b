/** Which data directories may be opened with which log. */
import { DataDirError, type DataDir, type Owner } from '../db/data-dir.ts'
import type { Database } from '../db/database.ts'
import { readPosition, type FilePosition } from './position-table.ts'

export interface PlaceWanted {
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
