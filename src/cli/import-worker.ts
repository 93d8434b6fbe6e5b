/**
 * A thread that reads rows and prepares them, while the transaction writes those before them: each takes a core.
 *
 * It looks up what is stored over a read-only connection. No snapshot is held from one look-up to the next, because one
 * that is older than the last commit keeps the write-ahead log from being moved.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { CsvError } from '../base/csv.ts'
import { createRowSplitter, type RowBlock, type RowRange } from '../base/row-splitter.ts'
import { isBlankRow, prepareRow, readRow, refusalOf } from '../content/import-rows.ts'
import { modelNamed } from '../models/registry.ts'
import type { BulkRow } from '../store/bulk-writer.ts'
import { openDatabase } from '../store/database.ts'
import { getDocument } from '../store/document-tables.ts'
import { remembering, rowContext } from './import-context.ts'
import { ROW_BYTES_MAX, TOO_LONG, UNCLOSED } from './import-limits.ts'
import { PLACE_NUMBERS, type ChunkMessage, type ImportSetup, type PreparedBlock } from './import-message.ts'

const setup = workerData as ImportSetup
const model = modelNamed(setup.model)
if (model === undefined) throw new Error(`There is no model ${setup.model}`)
const database = openDatabase(setup.file, { readOnly: true })
const splitter = createRowSplitter({
  hasQuotes: setup.format.kind === 'csv',
  rowBytesMax: ROW_BYTES_MAX,
  offset: setup.offset,
  line: setup.line,
})
const context = rowContext({ model, keep: setup.keep, date: setup.date, textOf })

function textOf(of: Parameters<typeof getDocument>[1], id: string): string | undefined {
  return getDocument(database, of, id)
}

parentPort?.on('message', ({ chunk }: ChunkMessage) => {
  const block = chunk === undefined ? splitter.end() : splitter.push(chunk)
  const answer = prepareBlock(block, { taken: chunk?.length ?? 0, isLast: chunk === undefined })
  parentPort?.postMessage(answer, [answer.bytes.buffer, answer.places.buffer])
  if (chunk === undefined) {
    database.close()
    parentPort?.close()
  }
})

function prepareBlock(
  { bytes, rows }: RowBlock,
  { taken, isLast }: Pick<PreparedBlock, 'taken' | 'isLast'>,
): PreparedBlock {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const own = { ...context, textOf: remembering(textOf, context.model) }
  const ids: (string | undefined)[] = []
  const isNewId: boolean[] = []
  const docs: string[] = []
  const searches: BulkRow['search'][] = []
  const bases: (string | undefined)[] = []
  const refusals: (string | undefined)[] = []
  const places: number[] = []
  let stop: PreparedBlock['stop']
  const add = (range: RowRange, row: Partial<BulkRow> & { readonly isNew?: boolean }, refusal?: string): void => {
    places.push(range.start, range.end, range.line, range.nextOffset, range.nextLine)
    ids.push(row.id)
    isNewId.push(row.isNew === true)
    docs.push(row.doc ?? '')
    searches.push(row.search)
    bases.push(row.basis)
    refusals.push(refusal)
  }
  for (const range of rows) {
    if (range.isUnclosed) {
      stop = { line: range.line, message: UNCLOSED }
      break
    }
    if (range.isTooLong) {
      add(range, {}, TOO_LONG)
      continue
    }
    const rowBytes = buffer.subarray(range.start, range.end)
    if (isBlankRow(rowBytes)) continue
    let sentId: unknown
    try {
      const sent = readRow(rowBytes, own.model, setup.format)
      sentId = sent['id'] ?? undefined
      const row = prepareRow(sent, own)
      add(range, { ...row, isNew: sentId === undefined && own.model.singleton === undefined })
    } catch (error) {
      if (error instanceof CsvError) {
        stop = { line: range.line, message: error.message }
        break
      }
      add(range, typeof sentId === 'string' ? { id: sentId } : {}, refusalOf(error))
    }
  }
  if (places.length !== ids.length * PLACE_NUMBERS) throw new Error('A row has another number of places')
  return { taken, bytes, places: new Float64Array(places), ids, isNewId, docs, searches, bases, refusals, stop, isLast }
}
