/** The indexes of a model, on expressions over `doc`: an index is found by its name, which says what it has. */
import { isReviewed, isScheduled } from '../../models/workflow.ts'
import type { Index, Model } from '../../models/schema.ts'
import { tableOf, valueAt, type SchemaPart } from './names.ts'

export interface IndexColumn {
  readonly path: string
  readonly descending: boolean
}

/** The columns that give an index its order. */
export function indexColumns(index: Index): readonly IndexColumn[] {
  return index
    .filter((entry) => !entry.startsWith('+'))
    .map((entry) => {
      const [path = '', direction] = entry.split(':')
      return { path, descending: direction === 'desc' }
    })
}

/** The paths whose values the index keeps behind them. */
export function keptPaths(index: Index): readonly string[] {
  return index.filter((entry) => entry.startsWith('+')).map((entry) => entry.slice(1))
}

export function modelIndexes(model: Model): readonly SchemaPart[] {
  return [
    ...model.indexes.map((index) => createIndex(model, index)),
    ...(model.unique === undefined ? [] : [createUniqueIndex(model, model.unique)]),
    ...(model.sought ?? []).map((path) => createSoughtIndex(model, path)),
    ...(model.sparse ?? []).map((path) => createSparseIndex(model, path)),
    ...(isScheduled(model) ? [createDueIndex(model)] : []),
    ...(isReviewed(model) ? [createHandedInIndex(model)] : []),
  ]
}

/** `CREATE INDEX "headline/status,updatedAt:desc,+topic.id" ON "headline" (doc ->> '$."status"', … DESC, id, …)` */
function createIndex(model: Model, index: Index): SchemaPart {
  const name = `${model.name}/${index.join(',')}`
  const columns = indexColumns(index).map(({ path, descending }) => valueAt(path) + (descending ? ' DESC' : ''))
  return {
    name,
    sql: `CREATE INDEX "${name}" ON ${tableOf(model)} (${[...columns, 'id', ...keptPaths(index).map(valueAt)].join(', ')})`,
  }
}

function createUniqueIndex(model: Model, path: string): SchemaPart {
  const name = `${model.name}/${path}!`
  return { name, sql: `CREATE UNIQUE INDEX "${name}" ON ${tableOf(model)} (${valueAt(path)})` }
}

export function soughtIndex(model: Model, path: string): string {
  return `${model.name}/${path}=`
}

/** `CREATE INDEX "headline/url=" ON "headline" (doc ->> '$."url"', id)` */
function createSoughtIndex(model: Model, path: string): SchemaPart {
  const name = soughtIndex(model, path)
  return { name, sql: `CREATE INDEX "${name}" ON ${tableOf(model)} (${valueAt(path)}, id)` }
}

export function sparseIndex(model: Model, path: string): string {
  return `${model.name}/${path}?`
}

/** The status is kept beside, which lists of such documents narrow by. */
export function sparseColumns(path: string): Index {
  return [path, '+status']
}

/** `CREATE INDEX "headline/publishAt?" ON "headline" (doc ->> '$."publishAt"', id, doc ->> '$."status"') WHERE … IS NOT NULL` */
function createSparseIndex(model: Model, path: string): SchemaPart {
  const name = sparseIndex(model, path)
  const kept = keptPaths(sparseColumns(path)).map(valueAt)
  return { name, sql: `CREATE INDEX "${name}" ON ${tableOf(model)} (${[valueAt(path), 'id', ...kept].join(', ')}) WHERE ${valueAt(path)} IS NOT NULL` }
}

/** `CASE doc ->> '$."status"' WHEN 'draft' THEN doc ->> '$."publishAt"' WHEN 'active' THEN … END`: when the status changes. */
export const DUE_AT = `CASE ${valueAt('status')} WHEN 'draft' THEN ${valueAt('publishAt')} WHEN 'active' THEN ${valueAt('unpublishAt')} END`

export function dueIndex(model: Model): string {
  return `${model.name}/due`
}

export const HANDED_IN_AT = valueAt('handedInAt')
/** A draft that waits for review. */
export const IS_HANDED_IN = `${HANDED_IN_AT} IS NOT NULL AND ${valueAt('status')} = 'draft'`

export function handedInIndex(model: Model): string {
  return `${model.name}/handed-in`
}

/** Only of drafts that wait for review. */
function createHandedInIndex(model: Model): SchemaPart {
  const name = handedInIndex(model)
  return { name, sql: `CREATE INDEX "${name}" ON ${tableOf(model)} (${HANDED_IN_AT}, id) WHERE ${IS_HANDED_IN}` }
}

/** Only of documents with such a time, which are few. */
function createDueIndex(model: Model): SchemaPart {
  const name = dueIndex(model)
  return { name, sql: `CREATE INDEX "${name}" ON ${tableOf(model)} (${DUE_AT}, id) WHERE ${DUE_AT} IS NOT NULL` }
}
