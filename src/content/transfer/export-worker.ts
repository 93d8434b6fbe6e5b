/** The program of the thread that writes the documents of a list to a file, as the database has them at one moment. */
import { closeSync, openSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { writeCsvRow } from '../../base/csv.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import { systemReason } from '../../base/system-error.ts'
import { runTasks } from '../../base/thread.ts'
import { placesOf } from '../../models/incomplete.ts'
import { storedModelNamed } from '../../models/registry.ts'
import type { Model } from '../../models/schema.ts'
import { and, isIn } from '../../query/ast.ts'
import { allChangedBy } from '../../store/history/changes-of-actors.ts'
import { readQuery, type QueryMessage } from '../../store/query/threads/query-message.ts'
import { openDatabase, type Database } from '../../store/db/database.ts'
import { cellsOfDocument, csvColumns } from './csv-columns.ts'
import { ExportEnded, storedDocuments } from './export-documents.ts'
import type { FindQuery } from '../../store/query/find-query.ts'

const PIECE_CHARS = 256 * 1024
/** The documents of one query in the thread: more of them mean fewer queries, of which a slow one sorts all. */
const PAGE_DOCUMENTS = 5_000

export interface ExportTask {
  readonly database: string
  readonly query: QueryMessage
  /** Users whose changed documents are wanted, by the log of changes; undefined for all documents. */
  readonly changers: readonly string[] | undefined
  /** Whether incomplete drafts are among the documents. */
  readonly includes: boolean
  readonly format: 'csv' | 'ndjson'
  /** A file that is not there yet; it is removed again where the export fails. */
  readonly to: string
  readonly msMax: number
  readonly bytesMax: number
  /** Of the disk, which exports that began together have all counted as free. */
  readonly leftFreeBytes: number
}

export type ExportResult =
  | { readonly kind: 'written'; readonly documents: number }
  | { readonly kind: 'tooLong' | 'tooLarge' | 'tooManyChanged' }
  | { readonly kind: 'failed'; readonly message: string }

runTasks((task: ExportTask): ExportResult => {
  const descriptor = openSync(task.to, 'wx', 0o600)
  let result: ExportResult = { kind: 'failed', message: '' }
  try {
    result = write(task, descriptor)
  } catch (error) {
    result = { kind: 'failed', message: systemReason(error) }
  } finally {
    closeSync(descriptor)
    if (result.kind !== 'written') rmSync(task.to, { force: true })
  }
  return result
})

function write({ database: file, query: message, changers, includes, format, msMax, bytesMax, leftFreeBytes }: ExportTask, descriptor: number): ExportResult {
  const deadline = systemClock() + msMax
  const model = storedModelNamed(message.model) as Model
  const database = openDatabase(file, { readOnly: true })
  try {
    database.exec('BEGIN')
    const query = changedOnly(database, model, { ...readQuery(message), limit: PAGE_DOCUMENTS }, changers)
    if (query === undefined) return { kind: 'tooManyChanged' }
    let [text, documents, bytes] = [format === 'csv' ? writeCsvRow(csvColumns(model)) : '', 0, 0]
    const flush = (): void => {
      bytes += Buffer.byteLength(text)
      writeFileSync(descriptor, text)
      text = ''
    }
    const mayGoOn = (): boolean => systemClock() <= deadline
    for (const doc of storedDocuments(database, model, query, { includes, mayGoOn })) {
      text += format === 'csv' ? writeCsvRow(cellsOfDocument(model, parseJson(doc) as JsonObject)) : `${doc}\n`
      documents++
      if (text.length < PIECE_CHARS) continue
      flush()
      if (bytes > bytesMax || freeBytesBeside(file) < leftFreeBytes) return { kind: 'tooLarge' }
      if (systemClock() > deadline) return { kind: 'tooLong' }
    }
    flush()
    return { kind: 'written', documents }
  } catch (error) {
    if (error instanceof ExportEnded) return { kind: 'tooLong' }
    throw error
  } finally {
    database.close()
  }
}

/** The query with what the users have changed; undefined where that is more than an export takes. */
function changedOnly(database: Database, model: Model, query: FindQuery, changers: readonly string[] | undefined): FindQuery | undefined {
  if (changers === undefined) return query
  const { ids, isWhole } = allChangedBy(database, placesOf(model, true), changers)
  return isWhole ? { ...query, filter: and(query.filter, isIn(['id'], ids)) } : undefined
}

function freeBytesBeside(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file))
  return bavail * bsize
}
