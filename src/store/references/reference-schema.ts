/**
 * What brings copies of documents up to date: how far it has followed the change log, and which deleted documents are
 * replaced by others. And an index of the copies that stand in lists, which no index on an expression can find.
 */
import { embeddingsOf, type Embedding } from '../../models/embedding.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from '../sqlite/database.ts'

/** What changed before is left as it is: repairing that is up to the operator. */
export const REFERENCE_SCHEMA = `
  -- Copies have followed the changes up to this seq; work is what is under way, as JSON: see reference-progress.ts.
  CREATE TABLE reference_progress (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, work TEXT);
  INSERT INTO reference_progress SELECT 1, coalesce(max(seq), 0), NULL FROM change;

  -- Deleted documents whose copies become copies of another one.
  CREATE TABLE redirect (model TEXT NOT NULL, id TEXT NOT NULL, target TEXT NOT NULL, PRIMARY KEY (model, id)) WITHOUT ROWID;
`

/** Whether the file has these tables: it is of schema 15 or later. */
export function hasReferences(database: Database): boolean {
  return database.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'redirect'") !== undefined
}

/** Derived from documents by triggers: the copy of a document in a list of the document with this seq. */
export const LISTED_COPY_SCHEMA = {
  name: 'listed_copy',
  sql: `CREATE TABLE listed_copy (
    target TEXT NOT NULL, id TEXT NOT NULL, model TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (target, id, model, seq)
  ) WITHOUT ROWID`,
}

/** The copies of a model that stand in lists. */
export function listedCopies(model: Model): readonly Embedding[] {
  return embeddingsOf(model).filter(({ lists }) => lists.length > 0)
}

/** The name of the trigger that tells whether a file has the index. */
export function listedCopyTrigger(model: Model): string {
  return `${model.name}/copies INSERT`
}

/** Fills the index from the documents that are there. */
export function indexListedCopies(database: Database, model: Model): void {
  database.run('DELETE FROM listed_copy WHERE model = ?', model.name)
  database.run(`INSERT OR IGNORE INTO listed_copy ${selectCopies(model, { doc: 'one.doc', seq: 'one.seq', from: `"${model.name}" AS one, ` })}`)
}

/** Three triggers that keep the index. They run on every node of a cluster, as those of counts do. */
export function listedCopyTriggers(model: Model): { name: string; sql: string }[] {
  if (listedCopies(model).length === 0) return []
  const [before, after] = ['old', 'new'].map((row) => selectCopies(model, { doc: `${row}.doc`, seq: `${row}.seq`, from: '' }))
  const add = `INSERT OR IGNORE INTO listed_copy ${after};`
  const remove = `DELETE FROM listed_copy WHERE (target, id, model, seq) IN (${before});`
  const bodies = { INSERT: add, UPDATE: remove + add, DELETE: remove }
  return Object.entries(bodies).map(([event, body]) => {
    const name = `${model.name}/copies ${event}`
    return { name, sql: `CREATE TRIGGER "${name}" AFTER ${event} ON "${model.name}" BEGIN ${body} END` }
  })
}

interface Rows {
  readonly doc: string
  readonly seq: string
  readonly from: string
}

/**
 * `SELECT 'topic', CASE … copy.value ->> '$."id"' END, 'user_content_preferences', new.seq
 * FROM json_each(new.doc, '$."followedTopics"') AS copy UNION ALL …`. An item without an id is NULL, which the index ignores.
 */
function selectCopies(model: Model, { doc, seq, from }: Rows): string {
  const arms = listedCopies(model).map(({ target, lists, path }) => {
    const steps = lists.map((list, i) => {
      const of = i === 0 ? doc : `list${i}.value`
      return `json_each(${of}, '${jsonPath(list)}') AS ${i === lists.length - 1 ? 'copy' : `list${i + 1}`}`
    })
    const id = path === '' ? '$."id"' : `${jsonPath(path)}."id"`
    return `SELECT '${target.name}', CASE copy.type WHEN 'object' THEN copy.value ->> '${id}' END, '${model.name}', ${seq}
      FROM ${from}${steps.join(', ')}`
  })
  return arms.join(' UNION ALL ')
}

/** `$."savedFilters"` */
function jsonPath(path: string): string {
  return `$${path.split('.').map((step) => `."${step}"`).join('')}`
}
