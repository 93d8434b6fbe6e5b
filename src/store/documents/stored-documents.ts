/** Whether the documents of a file are ones that this program stored, and the search indexes of their texts have the same of each. */
import { describe } from '../../base/failure.ts'
import { isObject, parseJson, type Json, type JsonObject } from '../../base/json.ts'
import { audit } from '../../models/audit.ts'
import type { Model } from '../../models/schema.ts'
import { wrongMember } from '../../models/stored-value.ts'
import type { Database } from '../db/database.ts'
import { fileFacts, FIRST_SCHEMA, SCHEMA } from '../schema/migrate.ts'
import { tableOf } from '../schema/names.ts'
import { rowFaults } from '../schema/schema-check.ts'
import { pendingTable, trigramTable } from '../schema/search-tables.ts'
import { objectsOf } from '../schema/whole-schema.ts'
import { isIndexedText } from '../search/pending-rows.ts'
import { trigramRow } from '../search/trigram-index.ts'

const FAULTS_MAX = 5

/** Events of the trail come and go with releases. */
const TEXT_ONLY: ReadonlySet<Model> = new Set([audit])

/**
 * What is wrong with the rows of a file whose schema is ours, and whose types `PRAGMA integrity_check` has looked at: a
 * sentence each, at most a few. A file that requireReadable() refuses is not judged.
 */
export function contentFaults(database: Database, models: readonly Model[]): readonly string[] {
  const { schema } = fileFacts(database)
  if (schema < FIRST_SCHEMA || schema > SCHEMA) return []
  const faults = rowFaults(database).slice(0, FAULTS_MAX)
  if (faults.length > 0) return faults
  const unfit = documentFaults(database, models)
  // Those of texts that cannot be read are not looked at, and those of an earlier release have its columns.
  return unfit.length > 0 || schema < SCHEMA ? unfit : textIndexFaults(database, models)
}

/**
 * A sentence for each fault, at most a few: text that is not the JSON of a document with the id of its row, members of
 * another kind than declared, and search indexes that differ from the documents. Parses every document, twice where it is in
 * an index.
 */
function documentFaults(database: Database, models: readonly Model[]): readonly string[] {
  const faults: string[] = []
  const tables = new Set(objectsOf(database).map(({ name }) => name))
  // An earlier release may lack a model.
  for (const model of models.filter(({ name }) => tables.has(name))) {
    for (const { id, doc } of database.iterate(`SELECT id, doc FROM ${tableOf(model)}`)) {
      const fault = faultOf(model, String(id), String(doc))
      if (fault !== undefined) faults.push(`the ${model.name} ${describe(String(id))} ${fault}`)
      if (faults.length === FAULTS_MAX) return faults
    }
  }
  return faults
}

function faultOf(model: Model, id: string, text: string): string | undefined {
  let value: Json
  try {
    value = parseJson(text)
  } catch {
    return 'is not JSON'
  }
  if (!isObject(value)) return 'is not an object'
  if (value['id'] !== id) return `has the id ${describe(value['id'])}`
  const wrong = TEXT_ONLY.has(model) ? undefined : wrongMember(model.fields, value)
  return wrong === undefined ? undefined : `has a value in ${describe(wrong)} that dateline does not store`
}

/** What an index keeps beside its texts decides searches without a look at the documents. */
function textIndexFaults(database: Database, models: readonly Model[]): readonly string[] {
  return models
    .filter((model) => model.trigrams !== undefined)
    .filter((model) => differs(database, model))
    .map(({ name }) => `the search index of ${name} differs from its documents`)
}

function differs(database: Database, model: Model): boolean {
  const [table, index, pending] = [tableOf(model), trigramTable(model), pendingTable(model)]
  const count = (sql: string): number => Number(database.get(`SELECT count(*) AS n FROM ${sql}`)?.['n'])
  const indexed = count(`${index} WHERE ${isIndexedText(model)}`) + count(pending)
  if (indexed !== count(table)) return true
  const rows = database.cursor(`SELECT one.doc, row.* FROM ${table} AS one JOIN ${index} AS row ON row.rowid = one.seq WHERE row.${isIndexedText(model)}`, [])
  const waiting = database.cursor(`SELECT one.doc, row.text, row.kept FROM ${table} AS one JOIN ${pending} AS row USING (seq)`, [])
  try {
    let found = 0
    for (let row = rows.next(); row !== undefined; row = rows.next()) {
      const [doc, ...kept] = row
      if (!isSame(model, doc, kept)) return true
      found++
    }
    for (let row = waiting.next(); row !== undefined; row = waiting.next()) {
      const [doc, text, kept] = row
      if (!isSame(model, doc, [text, ...(JSON.parse(String(kept)) as unknown[])])) return true
      found++
    }
    return found !== indexed
  } finally {
    rows.close()
    waiting.close()
  }
}

function isSame(model: Model, doc: unknown, kept: readonly unknown[]): boolean {
  const wanted = trigramRow(model, parseJson(String(doc)) as JsonObject)
  return wanted.length === kept.length && wanted.every((text, i) => text === kept[i])
}
