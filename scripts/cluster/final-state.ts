/** What the nodes have on their disks when all are at one position, and whether it is the same. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { faultsOf } from '../../src/store/schema/database-check.ts'
import { openDatabase } from '../../src/store/db/database.ts'
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
  const files = nodes.urls.map((_, i) => join(nodes.dataDir(i), 'dateline.db'))
  const positions = (): readonly number[] => files.map(positionOf)
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
  const unsound = files.flatMap((file, i) => soundness(file).map((fault) => `node ${i}: ${fault}`))
  const differences = faults.length > 0 ? [] : differencesOf(files.map((file, i) => hashTables(i, file)))
  return { faults: [...faults, ...unsound], differences, state: stateOf(files[newest] ?? '', lists) }
}

function positionOf(file: string): number {
  const database = openDatabase(file, { readOnly: true })
  try {
    return Number(database.get('SELECT position FROM log_position')?.['position'] ?? -1)
  } finally {
    database.close()
  }
}

function soundness(file: string): readonly string[] {
  const database = openDatabase(file)
  try {
    return faultsOf(database)
  } finally {
    database.close()
  }
}

function stateOf(file: string, lists: readonly string[]): FinalState {
  const database = openDatabase(file, { readOnly: true })
  const texts = (sql: string, ...values: string[]): readonly (readonly [string, string])[] =>
    database.all(sql, ...values).map(({ key, value }) => [String(key), String(value)])
  try {
    const entries = lists.flatMap((id) => texts("SELECT id AS key, doc ->> '$.entries' AS value FROM topic WHERE id = ?", id))
    const inserted = texts("SELECT doc ->> '$.title' AS key, count(*) AS value FROM headline GROUP BY key")
    const accounts = texts("SELECT doc ->> '$.email' AS key, id AS value FROM user WHERE key IS NOT NULL")
    const byEmail = Map.groupBy(accounts, ([email]) => email)
    return {
      lists: new Map(entries.map(([id, list]) => [id, JSON.parse(list) as string[]])),
      inserted: new Map(inserted.map(([title, count]) => [title, Number(count)])),
      accounts: new Map([...byEmail].map(([email, rows]) => [email, rows.map(([, id]) => id)])),
    }
  } finally {
    database.close()
  }
}
