/**
 * Reads the history of a document: its changes, and its text behind each of them.
 *
 * A replaced text is kept with the change that replaced it, packed by the next text. So the text
 * behind a change is made from the stored document, or from the next text that is packed by itself, going back from
 * change to change. The name of the version, which the log has, proves each text byte for byte. Where another program has changed
 * the stored document, the texts that were packed by it cannot be made any more: they are as texts that are not kept, and
 * `dateline check` reports them.
 */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { entityTag } from '../../http/entity-tag.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'
import { getDocument } from '../documents/document-tables.ts'
import { recordOf, type ChangeRecord } from './change-log.ts'

/** Which part of a list with the newest first. */
export interface HistoryQuery {
  readonly limit: number
  /** The seq behind which, toward older ones, the page begins; undefined for the newest. */
  readonly before: number | undefined
}

export interface HistoryPage<T> {
  readonly items: readonly T[]
  /** Whether there are older ones. */
  readonly hasMore: boolean
}

/** A change of a document, with its JSON text before and after; undefined where there was none, or it is not kept. */
export interface DocumentChange extends ChangeRecord {
  readonly textBefore: string | undefined
  readonly textAfter: string | undefined
}

/** Bytes of texts that one page compares: some milliseconds. A page has at least one change. */
const PAGE_BYTES_MAX = 512 * 1024

/** The changes of a document, newest first: at most `limit`, and fewer where their texts are long. */
export function historyOf(database: Database, model: Model, id: string, { limit, before }: HistoryQuery): HistoryPage<DocumentChange> {
  const items: DocumentChange[] = []
  let bytes = 0
  let after: Uint8Array | undefined
  let version: unknown
  for (const row of database.iterate(CHANGES_BEFORE, id, model.name, before ?? Number.MAX_SAFE_INTEGER)) {
    if (items.length === limit) return { items, hasMore: true }
    const record = recordOf(row)
    if (items.length === 0) after = proven(bytesBehind(database, model, id, record.seq), row['after'])
    // The next change has replaced another text than this one has left.
    else if (row['after'] !== version) after = undefined
    version = row['before']
    const text = proven(unpacked(row['replaced'], after), version)
    bytes += (text?.length ?? 0) + (after?.length ?? 0)
    if (items.length > 0 && bytes > PAGE_BYTES_MAX) return { items, hasMore: true }
    items.push({ ...record, textBefore: decoded(text), textAfter: decoded(after) })
    after = text
  }
  return { items, hasMore: false }
}

/**
 * The text of a document as the change with this seq left it; undefined where the log has no such change of it, where the
 * change deleted it, or where the text is not kept any more or cannot be made.
 */
export function textBehind(database: Database, model: Model, id: string, seq: number): string | undefined {
  const change = database.get('SELECT after FROM change WHERE seq = ? AND id = ? AND model = ?', seq, id, model.name)
  const version = change?.['after']
  return typeof version === 'string' ? decoded(proven(bytesBehind(database, model, id, seq), version)) : undefined
}

/** The text of a version; undefined for another text. */
function proven(text: Uint8Array | undefined, version: unknown): Uint8Array | undefined {
  return text !== undefined && entityTag(text).slice(1, -1) === version ? text : undefined
}

const CHANGES_BEFORE = `
  SELECT *, 0 AS was_active FROM change WHERE id = ? AND model = ? AND seq < ? ORDER BY seq DESC`

const CHANGES_BEHIND = `
  SELECT before, replaced FROM change WHERE id = ? AND model = ? AND seq > ? ORDER BY seq`

/** From the next text that is packed by itself, or from the stored document, back to the one behind the seq. */
function bytesBehind(database: Database, model: Model, id: string, seq: number): Uint8Array | undefined {
  const texts: Uint8Array[] = []
  let text: Uint8Array | undefined
  let isStored = true
  for (const { before, replaced } of database.iterate(CHANGES_BEHIND, id, model.name, seq)) {
    // The next change created the document: it was not there.
    if (before === null || !(replaced instanceof Uint8Array)) return undefined
    texts.push(replaced)
    isStored = !isWhole(replaced)
    if (!isStored) break
  }
  if (isStored) {
    const stored = getDocument(database, model, id)
    if (stored === undefined) return undefined
    text = Buffer.from(stored)
  }
  return texts.reduceRight<Uint8Array | undefined>((later, packed) => unpacked(packed, later), text)
}

/** The text that a change has replaced; undefined where it is not kept, or cannot be made. */
function unpacked(replaced: unknown, later: Uint8Array | undefined): Uint8Array | undefined {
  if (!(replaced instanceof Uint8Array) || (later === undefined && !isWhole(replaced))) return undefined
  try {
    return unpackText(replaced, later)
  } catch {
    return undefined
  }
}

function decoded(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
}

/*
 * An earlier text of a document, compressed by zstd (RFC 8878) with the text that replaced it as dictionary: a change
 * concerns `updatedAt` and a few other members, so a version of 2 KB takes some tens of bytes. Without a later text, it
 * is compressed by itself. The first byte says which.
 */

const [BY_ITSELF, BY_LATER] = [0, 1]
/** Far more than a document has: what a damaged file claims to hold is not unpacked. */
const TEXT_BYTES_MAX = 64 * 1024 * 1024

/** What unpackText() makes the earlier text from. */
export function packText(earlier: Uint8Array, later?: Uint8Array): Uint8Array {
  const packed = zstdCompressSync(earlier, later === undefined ? {} : { dictionary: later })
  return Buffer.concat([Buffer.of(later === undefined ? BY_ITSELF : BY_LATER), packed])
}

/** The earlier text. Throws where it is damaged, or lacks the later text by which it is packed. */
export function unpackText(packed: Uint8Array, later?: Uint8Array): Uint8Array {
  if (isWhole(packed)) return zstdDecompressSync(packed.subarray(1), { maxOutputLength: TEXT_BYTES_MAX })
  if (packed[0] !== BY_LATER || later === undefined) throw new Error('An earlier text lacks the text that replaced it')
  return zstdDecompressSync(packed.subarray(1), { maxOutputLength: TEXT_BYTES_MAX, dictionary: later })
}

/** Whether a packed text needs no later one. */
export function isWhole(packed: Uint8Array): boolean {
  return packed[0] === BY_ITSELF
}
