/** Stores over one log in memory, and what must be the same in all of them. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { parseJson, type JsonObject } from '../../../src/base/json.ts'
import type { Model } from '../../../src/models/schema.ts'
import { STORED_MODELS } from '../../../src/models/registry.ts'
import { baseTables } from '../../../src/store/cluster/replicated-tables.ts'
import { startOfLog } from '../../../src/store/cluster/position-table.ts'
import type { Sealer } from '../../../src/store/cluster/commit-log.ts'
import type { Replication } from '../../../src/store/cluster/replication.ts'
import { prepareDataDir, type DataDir } from '../../../src/store/db/data-dir.ts'
import { openDatabase, type Database } from '../../../src/store/db/database.ts'
import { faultsOf } from '../../../src/store/schema/database-check.ts'
import { hourAt, tableOf, valueAt } from '../../../src/store/schema/names.ts'
import { openStore, type StoreOptions } from '../../../src/store/open-store.ts'
import { trigramRow } from '../../../src/store/search/trigram-index.ts'
import { wordFaults } from '../../../src/store/search/word-index.ts'
import { changeFaults } from './change-faults.ts'
import { temporaryDirectory, type Cleanup } from '../../../scripts/tools/temporary-directory.ts'
import { searchRows } from '../query/search-rows.ts'
import { madeDataDir, systemStore, type SystemStore } from '../../../scripts/tools/stores.ts'
import { createMemoryLog, type MemoryLogNode } from './memory-log.ts'
import { createPlainSealer } from './plain-sealer.ts'
import type { Store } from '../../../src/store/store.ts'

const SITE = 'a site of a test'

export interface ClusterNode {
  readonly store: SystemStore
  readonly replication: Replication
  readonly log: MemoryLogNode
  readonly dir: DataDir
}

export interface NodeOptions extends Partial<Pick<StoreOptions, 'now' | 'migrations' | 'audit' | 'models'>> {
  readonly ticks?: () => number
  readonly sealer?: Sealer
}

/** A node on an empty database at position 0, or on that of a directory, which is part of the site already. */
export async function openNode(
  t: Cleanup,
  log: MemoryLogNode,
  options: NodeOptions & { readonly dir?: DataDir; readonly name?: string } = {},
): Promise<ClusterNode> {
  const { dir = await emptySite(t, options), name = 'a', ticks, sealer = createPlainSealer(), ...chosen } = options
  const cluster = { log, sealer, node: name.padEnd(16, '0'), site: SITE, ...(ticks && { ticks }) }
  const store = openStore({ ...basics(dir), ...chosen, cluster })
  t.after(() => store.close())
  return { store: systemStore(store), replication: replicationOf(store), log, dir }
}

/** A data directory without content, as the first of its site. */
export async function emptySite(t: Cleanup, options: NodeOptions = {}): Promise<DataDir> {
  const isMade = options.migrations === undefined
  const dir = isMade ? madeDataDir(t, options.models) : prepareDataDir(join(temporaryDirectory(t), 'data'))
  if (!isMade) await openStore({ ...basics(dir), ...options }).close()
  startOfLog(dir.database, SITE)
  return dir
}

/** Nodes over one log. */
export async function openCluster<const Names extends readonly string[]>(t: Cleanup, names: Names, options: NodeOptions = {}) {
  const log = createMemoryLog()
  const nodes: ClusterNode[] = []
  for (const name of names) nodes.push(await openNode(t, log.connect(), { ...options, name }))
  return { log, nodes: nodes as { -readonly [K in keyof Names]: ClusterNode } }
}

export function replicationOf(store: Store): Replication {
  if (store.replication === undefined) throw new Error('expected a store over a log')
  return store.replication
}

function basics(dir: DataDir) {
  const owner = { pid: process.pid, startedAt: 'now' }
  return { dir, owner, models: STORED_MODELS, version: '1.2.3', now: () => 0 }
}

/** A hash for each replicated table; `version` in `meta` is that of the program. */
export function baseHashes(database: Database, models: readonly Model[] = STORED_MODELS): Record<string, string> {
  const hashOf = (table: string): string => {
    const hash = createHash('sha256')
    for (const row of database.iterate(`SELECT * FROM "${table}"`)) {
      if (table === 'meta' && row['name'] === 'version') continue
      hash.update(JSON.stringify(row, (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value)))
    }
    return hash.digest('hex').slice(0, 16)
  }
  return Object.fromEntries(baseTables(models).map((table) => [table, hashOf(table)]))
}

/** The same of a file. */
export function hashesOf(dir: DataDir): Record<string, string> {
  return inspect(dir, (database) => baseHashes(database))
}

export function inspect<T>(dir: DataDir, look: (database: Database) => T): T {
  const database = openDatabase(dir.database, { readOnly: true })
  try {
    return look(database)
  } finally {
    database.close()
  }
}

/** What is damaged, or differs from what the documents give: counts, hours, search rows and the change log. */
export function derivedFaults(database: Database, models: readonly Model[] = STORED_MODELS): string[] {
  const derived = models.flatMap((model) => [
    ...(model.counted === undefined ? [] : countFaults(database, model)),
    ...(model.trigrams === undefined ? [] : searchFaults(database, model)),
  ])
  return [...faultsOf(database), ...derived, ...changeFaults(database, models)]
}

function countFaults(database: Database, model: Model): string[] {
  const [table, status] = [tableOf(model), valueAt('status')]
  const faults = (name: string, stored: string, computed: string): string[] => {
    const [found, wanted] = [stored, computed].map((sql) => JSON.stringify(database.all(sql)))
    return found === wanted ? [] : [`${model.name} ${name}: found ${found}, expected ${wanted}`]
  }
  const timeline = model.timeline === undefined ? undefined : hourAt(model.timeline)
  return [
    ...faults(
      'by status',
      `SELECT status AS k, n FROM status_count WHERE model = '${model.name}' AND n > 0 ORDER BY 1`,
      `SELECT ${status} AS k, count(*) AS n FROM ${table} GROUP BY 1 ORDER BY 1`,
    ),
    ...(model.tallied ?? []).flatMap((path) =>
      faults(
        path,
        `SELECT value AS k, n FROM key_count WHERE model = '${model.name}' AND path = '${path}' AND n > 0 ORDER BY 1`,
        `SELECT ${valueAt(path)} AS k, count(*) AS n FROM ${table} WHERE ${status} = 'active' GROUP BY 1 ORDER BY 1`,
      ),
    ),
    ...(timeline === undefined
      ? []
      : faults(
          'by hour',
          `SELECT hour AS k, n FROM hour_count WHERE model = '${model.name}' ORDER BY 1`,
          `SELECT ${timeline} AS k, count(*) AS n FROM ${table} WHERE ${timeline} IS NOT NULL GROUP BY 1 ORDER BY 1`,
        )),
  ]
}

function searchFaults(database: Database, model: Model): string[] {
  const found = searchRows(database, model)
  const wanted = database
    .all(`SELECT seq, doc FROM ${tableOf(model)} ORDER BY seq`)
    .map(({ seq, doc }) => [seq, ...trigramRow(model, parseJson(String(doc)) as JsonObject)])
  const faults = JSON.stringify(found) === JSON.stringify(wanted) ? [] : [`${model.name}: search rows differ from its documents`]
  return [...faults, ...wordFaults(database, [model])]
}

