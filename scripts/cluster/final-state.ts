/** What the nodes have on their disks when all are at one position, and whether it is the same. */
import { setTimeout as pause } from 'node:timers/promises'
import { faultsOf } from '../../src/store/schema/database-check.ts'
import { databaseFile } from '../../src/store/db/data-dir.ts'
import { readDatabase } from '../tools/read-database.ts'
import type { FinalState } from './operation.ts'
import type { RunningCluster } from './running-cluster.ts'
import { differencesOf, hashTables } from './table-hashes.ts'

/** Nodes that were replaced or cut off catch up first. */
const ATTEMPTS_MAX = 240
const ATTEMPT_MS = 500

export interface Inspected {
  readonly faults: readonly string[]
  readonly differences: readonly string[]
  readonly state: FinalState
}

/** Ends the nodes, which are killed so that no last write of one moves it away from the others. */
export async function inspectNodes({ nodes }: RunningCluster, lists: readonly string[]): Promise<Inspected> {
  const directories = nodes.urls.map((_, i) => nodes.dataDir(i))
  const positions = (): readonly number[] => directories.map(positionOf)
  const isAlike = (): boolean => new Set(positions()).size === 1
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    if (isAlike()) {
      nodes.urls.forEach((_, i) => nodes.pause(i))
      if (isAlike()) break
      nodes.urls.forEach((_, i) => nodes.resume(i))
    }
    await pause(ATTEMPT_MS)
  }
  await nodes.stop()
  const faults = isAlike() ? [] : [`the nodes do not come to one position: ${positions().join(', ')}`]
  // Where a node is behind, only the others can tell what was lost.
  const newest = positions().indexOf(Math.max(...positions()))
  const unsound = directories.flatMap((data, i) => readDatabase(data, faultsOf).map((fault) => `node ${i}: ${fault}`))
  const differences = faults.length > 0 ? [] : differencesOf(directories.map((data, i) => hashTables(i, databaseFile(data))))
  return { faults: [...faults, ...unsound], differences, state: stateOf(directories[newest] ?? '', lists) }
}

function positionOf(data: string): number {
  return Number(readDatabase(data, (database) => database.get('SELECT position FROM log_position')?.['position'] ?? -1))
}

function stateOf(data: string, lists: readonly string[]): FinalState {
  return readDatabase(data, (database) => {
    const texts = (sql: string, ...values: string[]): readonly (readonly [string, string])[] =>
      database.all(sql, ...values).map(({ key, value }) => [String(key), String(value)])
    const entries = lists.flatMap((id) => texts("SELECT id AS key, doc ->> '$.entries' AS value FROM topic WHERE id = ?", id))
    const inserted = texts("SELECT doc ->> '$.title' AS key, count(*) AS value FROM headline GROUP BY key")
    const accounts = texts("SELECT doc ->> '$.email' AS key, id AS value FROM user WHERE key IS NOT NULL")
    const byEmail = Map.groupBy(accounts, ([email]) => email)
    return {
      lists: new Map(entries.map(([id, list]) => [id, JSON.parse(list) as string[]])),
      inserted: new Map(inserted.map(([title, count]) => [title, Number(count)])),
      accounts: new Map([...byEmail].map(([email, rows]) => [email, rows.map(([, id]) => id)])),
    }
  })
}
