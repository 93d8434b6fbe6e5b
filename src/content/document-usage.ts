/** Where documents are used: which others hold copies of one, and what takes its place in them when it is deleted. */
import { describe, fail, Failure } from '../base/failure.ts'
import { parseJson, type JsonObject } from '../base/json.ts'
import type { Caller } from '../models/caller.ts'
import { holdersOf } from '../models/embedding.ts'
import { placesOf } from '../models/incomplete.ts'
import type { DocumentUsage, DocumentsUsage } from '../models/responses.ts'
import type { Model } from '../models/schema.ts'
import { requireDrafts, requireOwner, requireRole } from './rules/access.ts'
import { notFound } from './reads/document-reads.ts'
import type { TransactionView, Replacement } from '../store/documents/transaction-view.ts'
import type { ReadStore } from '../store/read-store.ts'

/** Documents are counted up to here: some milliseconds. */
const COUNTED_MAX = 100_000

export interface Counting {
  readonly model: Model
  readonly id: string
  readonly caller: Caller
  /** Whether incomplete drafts are there for the request. */
  readonly includes: boolean
}

export interface CountingMany extends Pick<Counting, 'model' | 'caller'> {
  readonly ids: readonly string[]
}

/**
 * Counts the documents of each model that the caller may list. Throws notFound, and what reading it throws about roles; whose
 * document it is comes before whether there is one.
 */
export function usageOf(store: Pick<ReadStore, 'documents' | 'references'>, { model, id, caller, includes }: Counting): DocumentUsage {
  requireRole(model, 'read', caller)
  if (includes) requireDrafts(model, caller)
  requireOwner(model, 'read', caller, id)
  if (model.computed === true && id === model.singleton) return { items: [], following: null }
  if (model.computed === true || !placesOf(model, includes).some((place) => store.documents.get(place, id) !== undefined)) throw notFound(model, id)
  const listed = holdersOf(model).filter((holder) => mayList(holder, caller))
  const { counts, following } = store.references.usageOf({ model, id, holders: listed, limit: COUNTED_MAX })
  return {
    items: counts.map(({ model: holder, total, isFloor }) => ({ model: holder.name, total, totalIsFloor: isFloor })),
    following: following ?? null,
  }
}

/** The same for many at once; those that do not exist, or any more, are used nowhere. */
export function usageOfMany(store: Pick<ReadStore, 'references'>, { model, ids, caller }: CountingMany): DocumentsUsage {
  requireRole(model, 'read', caller)
  const listed = holdersOf(model).filter((holder) => mayList(holder, caller))
  if (listed.length === 0) return { used: [], items: [] }
  const { counts, used } = store.references.usageOfMany({ model, ids: [...new Set(ids)], holders: listed, limit: COUNTED_MAX })
  return { used, items: counts.map(({ model: holder, total, isFloor }) => ({ model: holder.name, total, totalIsFloor: isFloor })) }
}

function mayList(model: Model, caller: Caller): boolean {
  try {
    requireRole(model, 'list', caller)
    return true
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

/** Throws badRequest where something is to replace an incomplete draft. `place` is the table that has the document. */
export function requireReplaceable(model: Model, place: Model, id: string, replacement: Replacement | undefined): void {
  if (place === model || replacement === undefined) return
  const found = `found the incomplete draft ${describe(id)}, of which no document holds copies: delete it without replaceBy`
  throw fail('badRequest', `Cannot read replaceBy: expected none for an incomplete ${model.name}, ${found}`)
}

/** What replaces a deleted document. Throws badRequest where that cannot be; it is looked at again when the other is deleted. */
export function readReplacement(model: Model, id: string, replaceBy: string | undefined): Replacement | undefined {
  if (replaceBy === undefined) return undefined
  const reject = (wanted: string): Error => fail('badRequest', `Cannot read replaceBy ${describe(replaceBy)}: expected ${wanted}`)
  if (holdersOf(model).length === 0) throw reject(`none for a ${model.name}, of which no document holds copies`)
  if (replaceBy === id) throw reject(`the id of another ${model.name}`)
  return ({ textOf }: TransactionView) => {
    const text = textOf(model, replaceBy)
    if (text === undefined) throw reject(`the id of a ${model.name}, which this is not`)
    if ((parseJson(text) as JsonObject)['status'] === 'draft') throw reject(`a ${model.name} that is no draft`)
    return replaceBy
  }
}
