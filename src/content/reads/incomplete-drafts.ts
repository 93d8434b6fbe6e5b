/** Reads and writes documents wherever they are: in the table of their model, or in that of its incomplete drafts. */
import { parseJson, type JsonObject } from '../../base/json.ts'
import { placeFor, placesOf } from '../../models/incomplete.ts'
import type { Model } from '../../models/schema.ts'
import { comparePositions, sortKeys, type Position, type Sort } from '../../query/order.ts'
import { foundTexts, type Found } from '../../store/query/find-query.ts'
import type { Change, TransactionView, ReadDocument } from '../../store/documents/transaction-view.ts'
import type { DocumentChange, HistoryPage, HistoryQuery } from '../../store/history/document-history.ts'
import type { Steps } from '../../store/writes/document-writes.ts'
import type { ReadStore } from '../../store/read-store.ts'

/** Which table has a document; that of the model where none has. */
export function placeOf(model: Model, includes: boolean, has: (place: Model) => boolean): Model {
  const places = placesOf(model, includes)
  return places.find(has) ?? model
}

export interface WideChange {
  readonly model: Model
  readonly id: string
  readonly change: Change
  readonly known?: ReadDocument | undefined
  /** Whether it puts back an earlier version. */
  readonly isRestored?: boolean
}

/** Changes a document in either table, and moves it to the one that it then belongs in. Undefined where there is none. */
export function changeAnywhere(view: TransactionView, steps: Steps, { model, id, change, known, isRestored = false }: WideChange): string | undefined {
  const from = placeOf(model, true, (place) => view.textOf(place, id) !== undefined)
  const text = view.textOf(from, id)
  if (text === undefined) return undefined
  const next = change(known?.text === text ? known.value : (parseJson(text) as JsonObject), text, view)
  const to = placeFor(model, next)
  // The table of the model never has an incomplete text, not even as an earlier version.
  if (to !== from && from === model) steps.move(from, to, id)
  const place = from === model ? to : from
  const after = isRestored ? steps.revert(place, id, () => next) : steps.update(place, id, () => next)
  if (to !== place) steps.move(place, to, id)
  return after
}

/** One page of two that were read for the same query. */
export function mergedPages(pages: readonly Found[], { sort, limit }: { readonly sort: Sort; readonly limit: number | undefined }): Found {
  const placed = pages.flatMap(({ items }) =>
    items.map((text) => ({ text, position: positionOf(text, sort) })),
  )
  placed.sort((a, b) => comparePositions(sort, a.position, b.position))
  // A page that ends early says nothing of what comes behind its last document.
  const ends = pages.flatMap(({ next }) => next ?? [])
  const isTold = (at: Position): boolean => ends.every((end) => comparePositions(sort, at, end) <= 0)
  const told = placed.filter(({ position }) => isTold(position))
  const shown = told.slice(0, limit)
  const isWhole = ends.length === 0 && shown.length === placed.length
  return foundTexts(shown.map(({ text }) => text), isWhole ? undefined : shown.at(-1)?.position)
}

/** Where a document with this text stands in an order. */
export function positionOf(text: string, sort: Sort): Position {
  const document = parseJson(text) as JsonObject
  return { keys: sortKeys(document, sort), id: String(document['id']) }
}

type HistoryStore = Pick<ReadStore, 'history'>

/** The changes of a document in both tables, without those that only moved it. `last` is the seq of the oldest that was read. */
export function historyAnywhere(
  store: HistoryStore,
  places: readonly Model[],
  id: string,
  query: HistoryQuery,
): HistoryPage<DocumentChange> & { readonly last: number | undefined } {
  const { items, hasMore } = newestOf(places.map((place) => store.history.historyOf(place, id, query)), query)
  const isMove = (one: DocumentChange | undefined, next: DocumentChange | undefined): boolean =>
    one?.kind === 'created' && next?.kind === 'deleted' && one.model !== next.model && one.seq === next.seq + 1
  const told = items.filter((one, i) => !isMove(one, items[i + 1]) && !isMove(items[i - 1], one))
  return { items: told, hasMore, last: items.at(-1)?.seq }
}

/**
 * One page of several, each with its newest first. A page that is cut off, and so has more, does not tell what is older
 * than its last item.
 */
export function newestOf<T extends { readonly seq: number }>(pages: readonly HistoryPage<T>[], { limit }: HistoryQuery): HistoryPage<T> {
  const from = Math.max(0, ...pages.flatMap(({ items, hasMore }) => (hasMore ? (items.at(-1)?.seq ?? []) : [])))
  const all = pages.flatMap(({ items }) => items).sort((a, b) => b.seq - a.seq)
  const items = all.filter(({ seq }) => seq >= from).slice(0, limit)
  return { items, hasMore: items.length < all.length || pages.some(({ hasMore }) => hasMore) }
}
