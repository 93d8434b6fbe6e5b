/** What editors see of the past of documents: the changes of one, its earlier versions, and what is in the trash. */
import { describe, fail } from '../base/failure.ts'
import { isoDate } from '../base/dates.ts'
import { parseJson, type Json, type JsonObject } from '../base/json.ts'
import type { Caller } from '../models/caller.ts'
import type { DocumentHistory } from '../models/responses.ts'
import { placesOf } from '../models/incomplete.ts'
import type { Model } from '../models/schema.ts'
import { changedPaths } from '../store/audit/audit-entries.ts'
import { shownActor } from './shown-people.ts'
import { requireDrafts } from './rules/access.ts'
import { historyAnywhere, newestOf, placeOf } from './reads/incomplete-drafts.ts'
import { requireHistory } from './rules/past.ts'
import { notFound } from './reads/document-reads.ts'
import type { DocumentChange, HistoryQuery } from '../store/history/document-history.ts'
import type { ReadStore } from '../store/read-store.ts'

/** Pages of the store that make one: changes that brought only copies of other documents up to date are not shown. */
const PAGES_READ_MAX = 8

/** Members that change with every change. */
const ALWAYS_CHANGED = ['updatedAt']

type VersionStore = Pick<ReadStore, 'documents' | 'history'>
/** The caller, and whether incomplete drafts are there for the request. */
interface Reader {
  readonly caller: Caller
  readonly includes: boolean
}

/** `trashMs` is how long a deleted document stays. Every function throws what requireHistory() throws. */
export function createDocumentVersions(store: VersionStore, trashMs: () => number) {
  /** One that is stored, or is in the trash of those who may see it. */
  const requireDocument = (model: Model, id: string, { caller, includes }: Reader): void => {
    requireHistory(model, 'readHistory', caller)
    if (includes) requireDrafts(model, caller)
    const places = placesOf(model, includes)
    if (places.some((place) => store.documents.get(place, id) !== undefined)) return
    if (!places.some((place) => store.history.getTrashed(place, id) !== undefined)) throw notFound(model, id)
    requireHistory(model, 'readTrash', caller)
  }
  return {
    /** The changes of a document, newest first. */
    history(model: Model, id: string, query: HistoryQuery, reader: Reader): DocumentHistory {
      requireDocument(model, id, reader)
      const { caller, includes } = reader
      const { items, hasMore, last } = editsOf((part) => historyAnywhere(store, placesOf(model, includes), id, part), query)
      const shown = items.map((change) => ({
        ...{ seq: change.seq, at: isoDate(change.at), kind: change.kind, actor: shownActor(store, change.actor, caller) },
        etag: change.after === undefined ? null : `"${change.after}"`,
        paths: pathsOf(change),
      }))
      return { items: shown, cursor: hasMore ? String(last) : null, hasMore }
    },

    /** The JSON text of a document as one of its changes left it. Throws notFound where there is none. */
    version(model: Model, id: string, seq: number, reader: Reader): string {
      requireDocument(model, id, reader)
      const place = placeOf(model, reader.includes, (one) => store.history.textBehind(one, id, seq) !== undefined)
      const text = store.history.textBehind(place, id, seq)
      if (text !== undefined) return text
      throw fail('notFound', `Change ${seq} left no ${model.name} with the id ${describe(id)} that is kept`)
    },

    /** `data` of the response with what is in the trash, what was deleted last first. */
    trash(model: Model, query: HistoryQuery, { caller, includes }: Reader): string {
      requireHistory(model, 'readTrash', caller)
      if (includes) requireDrafts(model, caller)
      const pages = placesOf(model, includes).map((place) => store.history.listTrash(place, query))
      const { items, hasMore } = newestOf(pages, query)
      const shown = items.map(({ id, at, actor, text }) => {
        const facts = { id, deletedAt: isoDate(at), erasedAt: isoDate(at + trashMs()), actor: shownActor(store, actor, caller) }
        return `${JSON.stringify(facts).slice(0, -1)},"document":${text}}`
      })
      const cursor: Json = hasMore ? String(items.at(-1)?.seq) : null
      return `{"items":[${shown.join()}],"cursor":${JSON.stringify(cursor)},"hasMore":${hasMore}}`
    },
  }
}

/** The changes of a document without those that only followed others, and the seq behind which older ones are. */
function editsOf(read: (part: HistoryQuery) => ReturnType<typeof historyAnywhere>, { limit, before }: HistoryQuery) {
  const items: DocumentChange[] = []
  let last = before
  let hasMore = limit > 0
  for (let pages = 0; hasMore && items.length < limit && pages < PAGES_READ_MAX; pages++) {
    const page = read({ limit: limit - items.length, before: last })
    items.push(...page.items.filter(({ isFollowing }) => !isFollowing))
    last = page.last ?? last
    hasMore = page.hasMore
  }
  return { items, hasMore, last }
}

/** The paths at which a change made a difference; none where it created, deleted or restored the whole document. */
function pathsOf({ textBefore, textAfter }: DocumentChange): readonly string[] {
  if (textBefore === undefined || textAfter === undefined) return []
  const [before, after] = [parseJson(textBefore), parseJson(textAfter)] as [JsonObject, JsonObject]
  return changedPaths(before, after, ALWAYS_CHANGED).map(({ path }) => path)
}
