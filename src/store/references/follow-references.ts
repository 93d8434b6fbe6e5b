/**
 * Brings copies of documents up to date, in small steps behind the change log: what a renamed topic is called reaches the
 * headlines that hold a copy of it.
 *
 * The change log has what was changed by any path, from the transaction of the change; reference_progress has how far the
 * copies have followed it, from the transaction of the copies. So after a crash the next step goes on where the last
 * commit ended. Each step compares copies with the document as it is then: a document that changes again meanwhile has a
 * later change, which is followed as well. A document that is written with a copy of an earlier version is found by its
 * own change. A document whose copies were brought up to date keeps its `updatedAt`; its change has the kind 'followed', and
 * is followed itself by the copies of that document.
 */
import { parseJson, writeJson, type JsonObject } from '../../base/json.ts'
import { isSameJson } from '../../base/same-json.ts'
import { embeddingsOf, holdersOf } from '../../models/embedding.ts'
import { storedModelNamed } from '../../models/registry.ts'
import type { Model } from '../../models/schema.ts'
import type { Database, Row } from '../db/database.ts'
import { getDocument, type DocumentTables } from '../documents/document-tables.ts'
import type { ChangeCapture } from '../history/change-capture.ts'
import { tableOf } from '../schema/names.ts'
import { changedSearchRow, searchRow } from '../search/pending-rows.ts'
import { createCurrentCopies, isFollowed, redirect, type CurrentCopies, type WhichCopies } from './current-copies.ts'
import { ALL_PLACES, countHolders, holderRows, HOLDERS_COUNTED_MAX, placesOf, type HolderRow } from './holder-rows.ts'
import {
  readProgress,
  writeProgress,
  type FollowedStep,
  type ReferenceLook,
  type ReferenceProgress,
  type ReferenceWork,
} from './reference-progress.ts'

/** Documents that one step changes: about a millisecond. */
const DOCUMENTS_PER_STEP = 4
/** Documents that one step looks at for each that it may change: some are as they should be; of a repair, most are. */
const LOOKED_AT_PER_DOCUMENT = 2
const LOOKED_AT_PER_DOCUMENT_OF_REPAIR = 15
/** Changes that one look goes through: less than a millisecond as well. */
const CHANGES_PER_LOOK = 60

export interface FollowingTables extends DocumentTables {
  readonly capture: Pick<ChangeCapture, 'following'>
}

/** Looks for work behind a seq. Changes nothing. */
export function lookForWork(database: Database, after: number): ReferenceLook {
  const progress = readProgress(database)
  if (progress.work !== undefined) return { upTo: Math.max(after, progress.seq), found: true, hasMore: true }
  let upTo = Math.max(after, progress.seq)
  const rows = changesBehind(database, upTo)
  const current = createCurrentCopies(database)
  for (const row of rows) {
    if (needOf(database, row, current).kind !== 'nothing') return { upTo, found: true, hasMore: true }
    upTo = Number(row['seq'])
  }
  return { upTo, found: false, hasMore: rows.length === CHANGES_PER_LOOK }
}

/** Does one step; `upTo` is the change up to which a look found nothing to do. To be called within a transaction. */
export function followReferences(tables: FollowingTables, upTo: number, documentsMax = DOCUMENTS_PER_STEP): FollowedStep {
  const { database } = tables
  const progress = readProgress(database)
  const { work, seq } = progress
  const step = work === undefined ? followChange(tables, Math.max(upTo, seq), documentsMax) : goOn(tables, { work, seq, documentsMax })
  writeProgress(database, step.progress)
  return step
}

/** Begins to compare all copies; what is under way is done with it, since each copy is compared. */
export function beginRepair(database: Database): ReferenceProgress {
  const total = ALL_PLACES.reduce((sum, place) => sum + countHolders(database, place, '', HOLDERS_COUNTED_MAX), 0)
  const newest = Number(database.get('SELECT coalesce(max(seq), 0) AS seq FROM change')?.['seq'])
  const progress: ReferenceProgress = { seq: newest, work: { kind: 'repair', place: 0, after: undefined, done: 0, total } }
  writeProgress(database, progress)
  return progress
}

function changesBehind(database: Database, seq: number): readonly Row[] {
  return database.all(`SELECT seq, model, id, kind FROM change WHERE seq > ? ORDER BY seq LIMIT ${CHANGES_PER_LOOK}`, seq)
}

type Need =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'own'; readonly model: Model; readonly id: string }
  | { readonly kind: 'others'; readonly model: Model; readonly id: string; readonly isRedirected: boolean }
const NOTHING: Need = { kind: 'nothing' }

/** What a change has to be followed by: its document holds copies of earlier versions, or others hold copies of it. */
function needOf(database: Database, row: Row, current: CurrentCopies): Need {
  const [model, id] = [storedModelNamed(String(row['model'])), String(row['id'])]
  if (model === undefined) return NOTHING
  const [holds, isHeld] = [embeddingsOf(model).length > 0, holdersOf(model).length > 0]
  if (!holds && !isHeld) return NOTHING
  const laterKinds = laterChanges(database, { model, id, seq: Number(row['seq']) })
  // A later change stands for this one, but a step that made it looked at copies of one document only.
  if (laterKinds === 'any' || (laterKinds === 'followed' && row['kind'] === 'followed')) return NOTHING
  const text = getDocument(database, model, id)
  if (text !== undefined && holds && row['kind'] !== 'followed') {
    const document = parseJson(text) as JsonObject
    if (current.bringUpToDate(model, document, 'earlier') !== document) return { kind: 'own', model, id }
  }
  if (laterKinds === 'followed') return NOTHING
  if (!isHeld || !placesOf(model).some((place) => countHolders(database, place, id, 1) > 0)) return NOTHING
  const isRedirected = database.get('SELECT 1 FROM redirect WHERE model = ? AND id = ?', model.name, id) !== undefined
  return isRedirected || isFollowed(text) ? { kind: 'others', model, id, isRedirected } : NOTHING
}

/** Whether a document has changed since: not at all, by following others only, or in other ways too. */
function laterChanges(database: Database, { model, id, seq }: { model: Model; id: string; seq: number }): 'none' | 'followed' | 'any' {
  const later = 'SELECT 1 FROM change WHERE id = ? AND model = ? AND seq > ?'
  if (database.get(`${later} LIMIT 1`, id, model.name, seq) === undefined) return 'none'
  return database.get(`${later} AND kind <> 'followed' LIMIT 1`, id, model.name, seq) === undefined ? 'followed' : 'any'
}

/**
 * Takes up the changes behind a seq: those of documents that hold copies of earlier versions, as many as a step may change,
 * or the first one that others follow.
 */
function followChange(tables: FollowingTables, after: number, documentsMax: number): FollowedStep {
  const { database } = tables
  const current = createCurrentCopies(database)
  let [seq, changed] = [after, 0]
  for (const row of changesBehind(database, after)) {
    const need = needOf(database, row, current)
    if (need.kind === 'others') {
      if (changed > 0) break
      return beginWork(tables, need, { seq, own: Number(row['seq']), documentsMax })
    }
    if (need.kind === 'own') {
      const stored = database.get(`SELECT seq, doc FROM ${tableOf(need.model)} WHERE id = ?`, need.id)
      const holder = { seq: Number(stored?.['seq']), doc: String(stored?.['doc']), keys: [] }
      // The document has a later change now, which others follow.
      changed += bringUpToDate(tables, need.model, { rows: [holder], which: 'earlier', changedMax: 1 }).changed
    }
    seq = Number(row['seq'])
    if (changed >= documentsMax) break
  }
  return { changed, progress: { seq, work: undefined } }
}

/** The first step of bringing the copies of a document up to date, for the change `own`; all before `seq` is done. */
function beginWork(tables: FollowingTables, { model, id, isRedirected }: Need & { kind: 'others' }, { seq, own, documentsMax }: { seq: number; own: number; documentsMax: number }): FollowedStep {
  const { database } = tables
  if (isRedirected && getDocument(database, model, id) !== undefined) redirect(database, model, id, undefined)
  const total = placesOf(model).reduce((sum, place) => sum + countHolders(database, place, id, HOLDERS_COUNTED_MAX), 0)
  const work: ReferenceWork = { kind: 'document', ...{ model: model.name, id, seq: own, place: 0, after: undefined, done: 0, total } }
  return goOn(tables, { work, seq, documentsMax })
}

/** Does a step of the work that is under way. */
function goOn(tables: FollowingTables, { work, seq, documentsMax }: { work: ReferenceWork; seq: number; documentsMax: number }): FollowedStep {
  const { database } = tables
  const isRepair = work.kind === 'repair'
  const places = isRepair ? ALL_PLACES : placesOf(modelOf(work.model))
  const id = isRepair ? '' : work.id
  const limit = documentsMax * (isRepair ? LOOKED_AT_PER_DOCUMENT_OF_REPAIR : LOOKED_AT_PER_DOCUMENT)
  let { after } = work
  let [looked, changed] = [0, 0]
  for (const [at, place] of places.entries()) {
    if (at < work.place) continue
    const { rows, isEnd } = holderRows(database, place, { id, after, limit: limit - looked })
    const done = bringUpToDate(tables, place.model, { rows, which: isRepair ? 'all' : work, changedMax: documentsMax - changed })
    changed += done.changed
    looked += done.looked
    if (!isEnd || done.looked < rows.length) {
      return { changed, progress: { seq, work: { ...work, place: at, after: rows[done.looked - 1]?.keys ?? after, done: work.done + looked } } }
    }
    after = undefined
  }
  return { changed, progress: { seq: isRepair ? seq : work.seq, work: undefined } }
}

function modelOf(name: string): Model {
  const model = storedModelNamed(name)
  if (model === undefined) throw new Error(`No model is called ${name}`)
  return model
}

interface Holders {
  readonly rows: readonly HolderRow[]
  readonly which: WhichCopies
  readonly changedMax: number
}

/** Writes the documents whose copies are behind, up to a number. Returns how many it changed, and how many it looked at. */
function bringUpToDate({ database, search, capture }: FollowingTables, model: Model, { rows, which, changedMax }: Holders) {
  const current = createCurrentCopies(database)
  let [looked, changed] = [0, 0]
  for (const { seq, doc } of rows) {
    if (changed >= changedMax) break
    looked++
    const before = parseJson(doc) as JsonObject
    const after = current.bringUpToDate(model, before, which)
    if (after === before) continue
    capture.following(() => database.run(`UPDATE ${tableOf(model)} SET doc = ? WHERE seq = ?`, writeJson(after), seq))
    if (model.trigrams !== undefined) {
      const row = changedSearchRow(model, before, after)
      const isIndexed = row.words === undefined && isSameJson(searchRow(model, before).trigrams, row.trigrams)
      if (!isIndexed) search.add({ model, seq, row })
    }
    changed++
  }
  return { looked, changed }
}
