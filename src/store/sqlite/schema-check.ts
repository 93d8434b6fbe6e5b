/**
 * Compares the schema of a file with the one that this program makes at the same number of migrations. SQLite reads a table
 * from the text of its statement: where the texts are equal, so are columns, constraints, collations and generated values.
 *
 * Indexes and triggers of the models, with a slash in their names, differ from release to release: opening a file brings
 * them to the declarations (migrations.ts), and so it does with the tables of the search indexes.
 */
import { describe } from '../../base/failure.ts'
import { audit } from '../../models/audit.ts'
import type { Model } from '../../models/schema.ts'
import { POSITION_TABLE_OF_NODE } from '../replica/position-schema.ts'
import { openDatabase, type Database } from './database.ts'
import { fileFacts, MIGRATIONS } from './migrations.ts'
import { lexiconTable, modelSchema, searchTables, SHARED_SCHEMA } from './schema-sql.ts'

/** Of the planner, which `ANALYZE` makes (sqlite.org/fileformat2.html#the_sqlite_stat1_table). */
export const STATISTICS = ['sqlite_stat1', 'sqlite_stat4'] as const
/** From which schema on every file has the audit trail, and the tables of incomplete drafts: files of earlier programs lack them. */
const AUDIT_SINCE = 7
const DRAFTS_SINCE = 20

interface SchemaObject {
  readonly type: string
  readonly name: string
  readonly table: string
  /** With single spaces; empty for an index that a constraint of its table implies. */
  readonly sql: string
}

/** A sentence for each object that the program did not make, made otherwise, or misses. Reads the schema only. */
export function schemaFaults(database: Database, models: readonly Model[]): readonly string[] {
  const { schema } = fileFacts(database)
  if (schema > MIGRATIONS.length) return []
  const encoding = String(database.get('PRAGMA encoding')?.['encoding'])
  if (encoding !== 'UTF-8') return [`its texts are stored as ${encoding}, and dateline stores UTF-8`]
  const [wanted, found] = [wantedAt(schema, models), objectsOf(database)]
  const strange = [...found.values()].flatMap((object) => {
    const { type, name } = object
    if (isKnown(object, { wanted, models })) return []
    const isOurs = wanted.objects.get(name)?.type === type
    return [`the ${type} ${describe(name)} ${isOurs ? `is not as dateline makes it at schema ${schema}` : 'was not made by dateline'}`]
  })
  const missing = [...wanted.required].filter((name) => !found.has(name))
  return [...strange, ...missing.map((name) => `the ${wanted.objects.get(name)?.type} ${describe(name)} is missing`), ...searchSettings(database, found, models)]
}

interface Wanted {
  readonly objects: ReadonlyMap<string, SchemaObject>
  /**
   * What every file of this schema has; the rest is made when a file is opened. A table that is made so is empty: of one
   * that was there, all would be lost unseen.
   */
  readonly required: ReadonlySet<string>
}

/** The schema of a new file; takes some ten milliseconds. */
function wantedAt(schema: number, models: readonly Model[]): Wanted {
  const database = openDatabase(':memory:')
  try {
    for (const step of MIGRATIONS.slice(0, schema)) {
      if (typeof step === 'string') database.exec(step)
      else step(database)
    }
    const migrated = [...objectsOf(database).keys()]
    for (const { sql } of [...SHARED_SCHEMA, ...models.flatMap(modelSchema)]) database.exec(sql)
    const stored = models.filter((model) => schema >= sinceSchema(model)).map(({ name }) => name)
    return { objects: objectsOf(database), required: new Set([...migrated, ...stored]) }
  } finally {
    database.close()
  }
}

/** A model that is added later, or gets drafts later, needs its schema here: backups of earlier ones lack its table. */
function sinceSchema(model: Model): number {
  if (model === audit) return AUDIT_SINCE
  return model.draftsOf === undefined ? 1 : DRAFTS_SINCE
}

function objectsOf(database: Database): ReadonlyMap<string, SchemaObject> {
  const rows = database.all('SELECT type, name, tbl_name, sql FROM sqlite_schema')
  return new Map(
    rows.map(({ type, name, tbl_name, sql }) => [
      String(name),
      { type: String(type), name: String(name), table: String(tbl_name), sql: String(sql ?? '').replaceAll(/\s+/g, ' ') },
    ]),
  )
}

function isKnown({ type, name, table, sql }: SchemaObject, { wanted, models }: { readonly wanted: Wanted; readonly models: readonly Model[] }): boolean {
  const own = wanted.objects.get(name)
  if (own?.type === type && own.table === table && own.sql === sql) return true
  if (type === 'index' || type === 'trigger') return name.includes('/') && wanted.objects.get(table)?.type === 'table'
  if (type !== 'table') return false
  if (STATISTICS.some((one) => one === name) || (name === 'log_position' && sql === POSITION_TABLE_OF_NODE)) return true
  return models.flatMap(searchTables).some((search) => isOfSearch(search, { name, sql }))
}

/** An index over other columns, which an earlier release made: the migration makes it again. */
function isOfSearch(search: string, { name, sql }: Pick<SchemaObject, 'name' | 'sql'>): boolean {
  if (name === search) return sql.startsWith(`CREATE VIRTUAL TABLE ${search} USING fts5(`)
  return name === `${search}_content` && new RegExp(`^CREATE TABLE '${name}'\\(id INTEGER PRIMARY KEY(, c\\d+)+\\)$`).test(sql)
}

/**
 * FTS5 takes its settings from a table of the file (sqlite.org/fts5.html#fts5_configuration_options). Ours have none, but for
 * lexicons that words were erased from (word-index.ts).
 */
function searchSettings(database: Database, found: ReadonlyMap<string, SchemaObject>, models: readonly Model[]): readonly string[] {
  return models
    .flatMap(searchTables)
    .filter((search) => found.has(`${search}_config`))
    .filter((search) => {
      const ours = models.some((model) => search === lexiconTable(model)) ? "k = 'secure-delete' AND v = 1" : 'FALSE'
      return database.get(`SELECT 1 FROM "${search}_config" WHERE k <> 'version' AND NOT (${ours})`) !== undefined
    })
    .map((search) => `the search index ${describe(search)} has settings that dateline did not make`)
}
