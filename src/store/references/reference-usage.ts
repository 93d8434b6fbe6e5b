/** How many documents hold copies of a document, and whether those copies follow a change of it now. */
import { parseJson, type JsonObject } from '../../base/json.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'
import { createCurrentCopies } from './current-copies.ts'
import { countHolders, holderRows, HOLDERS_COUNTED_MAX, placesOf } from './holder-rows.ts'
import { readProgress } from './reference-progress.ts'

export interface ReferenceUsage {
  readonly counts: readonly HolderCount[]
  /** How many documents were looked at, of those that there were; undefined where no copies follow a change now. */
  readonly following: { readonly done: number; readonly total: number } | undefined
}

export interface UsageOfMany extends Pick<ReferenceUsage, 'counts'> {
  readonly used: readonly string[]
}

interface HolderCount {
  readonly model: Model
  readonly total: number
  /** Whether counting ended at the limit. */
  readonly isFloor: boolean
}

interface UsageQuery {
  readonly model: Model
  readonly id: string
  readonly holders: readonly Model[]
  readonly limit: number
}

/**
 * How many documents of some models hold copies of a document, each counted up to a limit, and how far these copies have
 * followed its last change; undefined where they have.
 */
export function usageOf(database: Database, { model, id, holders, limit }: UsageQuery): ReferenceUsage {
  const counts = holders.map((holder) => {
    const places = placesOf(model).filter((place) => place.model === holder)
    const total = places.reduce((sum, place) => sum + countHolders(database, place, id, limit + 1), 0)
    return { model: holder, total: Math.min(total, limit), isFloor: total > limit }
  })
  return { counts, following: followingOf(database, model, id) }
}

/**
 * How many documents of some models hold copies of any of these documents, each counted up to a limit over all; and which of
 * these have copies in a model that no user owns.
 */
export function usageOfMany(database: Database, { model, ids, holders, limit }: Omit<UsageQuery, 'id'> & { readonly ids: readonly string[] }): UsageOfMany {
  const totals = new Map(holders.map((holder) => [holder, 0]))
  const places = placesOf(model).filter((place) => totals.has(place.model))
  const used: string[] = []
  for (const id of ids) {
    let isUsed = false
    for (const place of places) {
      const before = totals.get(place.model) ?? 0
      const found = countHolders(database, place, id, Math.max(1, limit + 1 - before))
      totals.set(place.model, before + found)
      isUsed ||= found > 0 && place.model.owned !== true
    }
    if (isUsed) used.push(id)
  }
  const counts = [...totals].map(([holder, total]) => ({ model: holder, total: Math.min(total, limit), isFloor: total > limit }))
  return { counts, used }
}

function followingOf(database: Database, model: Model, id: string): ReferenceUsage['following'] {
  const { seq, work } = readProgress(database)
  if (work?.kind === 'document' && work.model === model.name && work.id === id) {
    return { done: Math.min(work.done, work.total), total: work.total }
  }
  const last = database.get('SELECT max(seq) AS seq FROM change WHERE id = ? AND model = ?', id, model.name)?.['seq']
  if (typeof last !== 'number' || last <= seq) return undefined
  // Where the change needed nothing, the place in the log is stored later: the first copy tells.
  const current = createCurrentCopies(database)
  const isWaiting = placesOf(model).some((place) =>
    holderRows(database, place, { id, after: undefined, limit: 1 }).rows.some(({ doc }) => {
      const document = parseJson(doc) as JsonObject
      return current.bringUpToDate(place.model, document, { model: model.name, id }) !== document
    }),
  )
  if (!isWaiting) return undefined
  return { done: 0, total: placesOf(model).reduce((sum, place) => sum + countHolders(database, place, id, HOLDERS_COUNTED_MAX), 0) }
}
