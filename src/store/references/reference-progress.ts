/** How far the copies of documents have followed the change log, in the transaction of the copies that were brought up to date. */
import { parseJson, type JsonObject } from '../../base/json.ts'
import type { Database } from '../db/database.ts'
import { tableOf } from '../schema/names.ts'
import { createCurrentCopies } from './current-copies.ts'
import { ALL_PLACES, type Keys } from './holder-rows.ts'

/** What is under way, in steps: the copies of one document, or all copies. */
export type ReferenceWork = {
  /** Which of the places where copies are looked for, and the keys of the last row there. */
  readonly place: number
  readonly after: Keys
  /** Documents that were looked at, and how many there were to look at when the work began. */
  readonly done: number
  readonly total: number
} & (
  | { readonly kind: 'document'; readonly model: string; readonly id: string; readonly seq: number }
  | { readonly kind: 'repair' }
)

export interface ReferenceProgress {
  /** All changes up to this one are done. */
  readonly seq: number
  readonly work: ReferenceWork | undefined
}

export interface FollowedStep {
  /** Documents whose copies were brought up to date. */
  readonly changed: number
  readonly progress: ReferenceProgress
}

/** The changes that need nothing, up to one that does, or to the last of a look. */
export interface ReferenceLook {
  readonly upTo: number
  /** Whether there is something to do. */
  readonly found: boolean
  /** Whether there are changes that were not looked at. */
  readonly hasMore: boolean
}

export function readProgress(database: Database): ReferenceProgress {
  const row = database.get('SELECT seq, work FROM reference_progress')
  const work = row?.['work']
  return { seq: Number(row?.['seq'] ?? 0), work: typeof work === 'string' ? (JSON.parse(work) as ReferenceWork) : undefined }
}

export function writeProgress(database: Database, { seq, work }: ReferenceProgress): void {
  database.run('UPDATE reference_progress SET seq = ?, work = ?', seq, work === undefined ? null : JSON.stringify(work))
}

// Finds copies that are not what the document says that they are copies of.

/** How many documents of each model hold copies that are behind. Reads them all, one at a time. */
export function copiesBehind(database: Database): ReadonlyMap<string, number> {
  const current = createCurrentCopies(database)
  const found = new Map<string, number>()
  for (const { model } of ALL_PLACES) {
    for (const { doc } of database.iterate(`SELECT doc FROM ${tableOf(model)}`)) {
      const document = parseJson(String(doc)) as JsonObject
      if (current.bringUpToDate(model, document, 'all') !== document) found.set(model.name, (found.get(model.name) ?? 0) + 1)
    }
  }
  return found
}
