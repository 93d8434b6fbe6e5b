/**
 * A thread that reads rows and prepares them, while the transaction writes those before them: each takes a core.
 *
 * It looks up what is stored over a read-only connection. No snapshot is held from one look-up to the next, because one
 * that is older than the last commit keeps the write-ahead log from being moved.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { CsvError } from '../../base/csv.ts'
import { createRowSplitter, type RowBlock, type RowRange } from '../../base/row-splitter.ts'
import { isBlankRow, prepareRow, readRow, refusalOf } from '../../content/import-rows.ts'
import { modelNamed } from '../../models/registry.ts'
import type { BulkRow } from '../../store/sqlite/bulk-writer.ts'
import { openDatabase } from '../../store/sqlite/database.ts'
import { getDocument } from '../../store/tables/document-tables.ts'
import { remembering, rowContext } from './import-context.ts'
import { CHUNK_BYTES, ROW_BYTES_MAX, TOO_LONG, UNCLOSED } from './import-limits.ts'
import { PLACE_NUMBERS, type ChunkMessage, type ImportSetup, type PreparedBlock } from './import-message.ts'

/** Characters of documents in one block. */
const PART_CHARS_MAX = 8 * 1024 * 1024
/** Prepared rows that wait, in KiB; one block more may come. */
const KIB_WAITING_MAX = 64 * 1024

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

if (setup.path === undefined) {
  parentPort?.on('message', ({ chunk }: ChunkMessage) => {
    if (chunk === undefined) return end()
    prepareBlock(splitter.push(chunk), { taken: chunk.length, isLast: false })
  })
} else {
  readFile(setup.path)
  end()
}

/** The thread reads on while the other one is in a transaction, and cannot be asked for the next chunk. */
function readFile(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    for (let at = setup.offset; ;) {
      const chunk = new Uint8Array(CHUNK_BYTES)
      const length = readSync(descriptor, chunk, 0, CHUNK_BYTES, at)
      if (length === 0) return
      prepareBlock(splitter.push(chunk.subarray(0, length)), { taken: 0, isLast: false })
      at += length
    }
  } finally {
    closeSync(descriptor)
  }
}

function end(): void {
  prepareBlock(splitter.end(), { taken: 0, isLast: true })
  database.close()
  parentPort?.close()
}

/** Waits until there is room for it. */
function send(block: PreparedBlock): void {
  const { kibWaiting } = setup
  for (let kib = Atomics.load(kibWaiting, 0); kib > KIB_WAITING_MAX; kib = Atomics.load(kibWaiting, 0)) {
    Atomics.wait(kibWaiting, 0, kib)
  }
  Atomics.add(kibWaiting, 0, block.kib)
  parentPort?.postMessage(block, [block.bytes.buffer, block.places.buffer])
}

type Ending = Pick<PreparedBlock, 'taken' | 'isLast'>

/** Prepares the rows of a chunk and sends them, in one block or in several. */
function prepareBlock({ bytes, rows }: RowBlock, ending: Ending): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const own = { ...context, textOf: remembering(textOf, context.model) }
  let part = newPart()
  for (const range of rows) {
    if (range.isUnclosed) return send(part.ended(bytes, ending, { line: range.line, message: UNCLOSED }))
    const rowBytes = buffer.subarray(range.start, range.end)
    if (range.isTooLong) part.add(range, {}, TOO_LONG)
    else if (!isBlankRow(rowBytes)) {
      let sentId: unknown
      try {
        const sent = readRow(rowBytes, own.model, setup.format)
        sentId = sent['id'] ?? undefined
        const row = prepareRow(sent, own)
        part.add(range, { ...row, isNew: sentId === undefined && own.model.singleton === undefined })
      } catch (error) {
        if (error instanceof CsvError) {
          return send(part.ended(bytes, ending, { line: range.line, message: error.message }))
        }
        part.add(range, typeof sentId === 'string' ? { id: sentId } : {}, refusalOf(error))
      }
    }
    if (part.chars() < PART_CHARS_MAX) continue
    // The bytes are still wanted here.
    send(part.ended(bytes.slice(), { taken: 0, isLast: false }, undefined))
    part = newPart()
  }
  send(part.ended(bytes, ending, undefined))
}

function newPart() {
  const ids: (string | undefined)[] = []
  const isNewId: boolean[] = []
  const docs: string[] = []
  const searches: BulkRow['search'][] = []
  const bases: (string | undefined)[] = []
  const refusals: (string | undefined)[] = []
  const places: number[] = []
  let chars = 0
  return {
    chars: () => chars,
    add(range: RowRange, row: Partial<BulkRow> & { readonly isNew?: boolean }, refusal?: string): void {
      if (places.push(range.start, range.end, range.line, range.nextOffset, range.nextLine) % PLACE_NUMBERS !== 0) {
        throw new Error('A row has another number of places')
      }
      ids.push(row.id)
      isNewId.push(row.isNew === true)
      docs.push(row.doc ?? '')
      searches.push(row.search)
      bases.push(row.basis)
      refusals.push(refusal)
      chars += (row.doc?.length ?? 0) + (row.basis?.length ?? 0)
    },
    ended(bytes: PreparedBlock['bytes'], { taken, isLast }: Ending, stop: PreparedBlock['stop']): PreparedBlock {
      const kib = Math.ceil((bytes.length + 2 * chars) / 1024)
      const rows = { ids, isNewId, docs, searches, bases, refusals, places: new Float64Array(places) }
      return { taken, kib, bytes, ...rows, stop, isLast }
    },
  }
}
