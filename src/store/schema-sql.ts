/**
 * The tables of the models, as their declarations say.
 *
 * A stored model has one table: `seq` (the order of insertion), `id`, and `doc`, the JSON text that a read sends out
 * as it is. Indexes stand on expressions over `doc`, so that a declared index is all there is to keep in step.
 */
import type { Index, Model } from '../models/schema.ts'

/** `"headline"`. Names come from declarations, never from input. */
export function tableOf(model: Model): string {
  return `"${model.name}"`
}

/** `doc ->> '$."topic"."id"'`: the SQL value of a declared path (sqlite.org/json1.html#jptr). */
export function valueAt(path: string): string {
  return `doc ->> '$.${path.split('.').map((step) => `"${step}"`).join('.')}'`
}

export interface IndexColumn {
  readonly path: string
  readonly descending: boolean
}

export function indexColumns(index: Index): readonly IndexColumn[] {
  return index.map((entry) => {
    const [path = '', direction] = entry.split(':')
    return { path, descending: direction === 'desc' }
  })
}

/** Statements that create what is missing; running them again changes nothing. */
export function modelSchema(model: Model): readonly { readonly name: string; readonly sql: string }[] {
  return [
    { name: model.name, sql: createTable(model) },
    ...model.indexes.map((index) => createIndex(model, index)),
    ...(model.unique === undefined ? [] : [createUniqueIndex(model, model.unique)]),
    ...(model.counted === undefined ? [] : countTriggers(model)),
  ]
}

function createTable(model: Model): string {
  const owner = model.owned === undefined ? '' : ' REFERENCES user (id) ON DELETE CASCADE'
  return `CREATE TABLE ${tableOf(model)} (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE${owner}, doc TEXT NOT NULL)`
}

/** `CREATE INDEX "headline/status,updatedAt:desc" ON "headline" (doc ->> '$."status"', … DESC, id)` */
function createIndex(model: Model, index: Index): { name: string; sql: string } {
  const name = `${model.name}/${index.join(',')}`
  const columns = indexColumns(index).map(({ path, descending }) => valueAt(path) + (descending ? ' DESC' : ''))
  return { name, sql: `CREATE INDEX "${name}" ON ${tableOf(model)} (${[...columns, 'id'].join(', ')})` }
}

function createUniqueIndex(model: Model, path: string): { name: string; sql: string } {
  const name = `${model.name}/${path}!`
  return { name, sql: `CREATE UNIQUE INDEX "${name}" ON ${tableOf(model)} (${valueAt(path)})` }
}

/** Three triggers that keep the number of documents of each status, so that counting costs one look-up. */
function countTriggers(model: Model): { name: string; sql: string }[] {
  const [status, table] = [valueAt('status'), tableOf(model)]
  const add = `INSERT INTO status_count (model, status, n) VALUES ('${model.name}', new.${status}, 1)
      ON CONFLICT (model, status) DO UPDATE SET n = n + 1;`
  const subtract = `UPDATE status_count SET n = n - 1 WHERE model = '${model.name}' AND status = old.${status};`
  const trigger = (event: string, when: string, body: string): { name: string; sql: string } => {
    const name = `${model.name}/count ${event}`
    return { name, sql: `CREATE TRIGGER "${name}" AFTER ${event} ON ${table} ${when} BEGIN ${body} END` }
  }
  return [
    trigger('INSERT', '', add),
    trigger('UPDATE', `WHEN old.${status} IS NOT new.${status}`, subtract + add),
    trigger('DELETE', '', subtract),
  ]
}
