/**
 * Pages of the change log as a caller may see them: each changed document once, as it is now, or a tombstone.
 *
 * A tombstone stands for a document that was deleted, and for one that the caller or the filter does not show any more. It
 * comes only where the caller could have had the document: a draft that was never published leaves no trace. All of a page is read in one turn of the event loop.
 */
import { fail } from '../../base/failure.ts'
import { isoDate } from '../../base/dates.ts'
import { parseJson, type Json, type JsonObject } from '../../base/json.ts'
import type { Caller } from '../../models/caller.ts'
import type { Model } from '../../models/schema.ts'
import type { Filter } from '../../query/ast.ts'
import { filterTest } from '../../query/match.ts'
import { StepsExceeded, type Steps } from '../../query/steps.ts'
import type { ChangeRecord, DocumentStore } from '../../store/store.ts'
import { readListQuery, visibilityOf, type ListSettings, type QuerySource } from '../reads/list-query.ts'
import { listDependencies } from '../reads/read-dependencies.ts'
import { rightsOf, sightOf, type Sight } from './change-rights.ts'

/** Records that one page looks at where most are of other users, and say nothing to this one. */
const OWN_RECORDS_MAX = 1_000
/** A page ends behind the document that passes it. */
const PAGE_CHARS_MAX = 1024 * 1024
/** Of matching the documents of one page, which ends before the one that passes it: it is done beside other requests. */
const PAGE_STEPS_MAX = 1_000_000

export interface ChangeQuery {
  readonly models: readonly Model[]
  readonly filter: Json | undefined
  /** The text of the filter: the same for all queries that ask the same. */
  readonly filterText: string
}

/** A query in the eyes of a caller. */
export interface ChangeView {
  /** The same for all views that see the same. */
  readonly key: string
  readonly rights: string
  readonly models: readonly Model[]
  readonly callerId: string
  readonly isEditor: boolean
  readonly sights: ReadonlyMap<string, { readonly model: Model; readonly sight: Sight; readonly filter: Filter | undefined }>
}

type DocumentTest = (document: JsonObject) => boolean

export interface ChangeItem {
  readonly record: ChangeRecord
  /** The JSON text of the document; undefined where it was deleted, or is not shown. */
  readonly document: string | undefined
}

export interface ChangePage {
  readonly items: readonly ChangeItem[]
  /** The seq up to which the caller has every change then. */
  readonly next: number
  readonly hasMore: boolean
}

type ChangeStore = Pick<DocumentStore, 'get' | 'changeRange' | 'changesBehind'>

export type ChangePages = ReturnType<typeof createChangePages>

export function createChangePages({ store, settings }: { readonly store: ChangeStore; readonly settings: ListSettings }) {
  return {
    range: () => store.changeRange(),
    /** A letter: see rightsOf(). */
    rights: (caller: Caller): string => rightsOf(caller, settings),

    /** Throws what a list with this filter throws. */
    view({ models, filter, filterText }: ChangeQuery, caller: Caller): ChangeView {
      const sights = new Map<string, { model: Model; sight: Sight; filter: Filter | undefined }>()
      for (const model of models) {
        const sight = sightOf(model, caller, settings)
        sights.set(model.name, { model, sight, filter: readFilter(model, filter, caller) })
      }
      const isOwn = [...sights.values()].some(({ sight }) => sight === 'own')
      const rights = rightsOf(caller, settings)
      const names = models.map(({ name }) => name).join()
      const key = `${rights} ${isOwn ? caller.id : ''} ${names} ${filterText}`
      return { key, rights, models, sights, callerId: caller.id, isEditor: visibilityOf(caller) === 'editor' }
    },

    /** At most `limit` changes behind a seq. Throws badRequest where the filter takes too many steps. */
    read(view: ChangeView, after: number, limit: number): ChangePage {
      const isOwn = [...view.sights.values()].some(({ sight }) => sight === 'own')
      const { records, upTo } = store.changesBehind(after, view.models, isOwn ? OWN_RECORDS_MAX : limit)
      const items: ChangeItem[] = []
      let [read, chars] = [0, 0]
      const tests = testsOf(view)
      for (const record of records) {
        if (items.length === limit || chars > PAGE_CHARS_MAX) break
        const found = lookWithin(view, record, tests, read === 0)
        if (found === undefined) break
        read++
        chars += found.looked
        if (found.item !== undefined) items.push(found.item)
      }
      const next = read < records.length ? (records[read - 1]?.seq ?? after) : upTo
      return { items, next, hasMore: next < store.changeRange().newest }
    },
  }

  /** Undefined where the steps of the page do not last. Throws badRequest where the first document takes more. */
  function lookWithin(view: ChangeView, record: ChangeRecord, tests: DocumentTests, isFirst: boolean): Look | undefined {
    try {
      return lookAt(view, record, tests)
    } catch (error) {
      if (!(error instanceof StepsExceeded)) throw error
      if (!isFirst) return undefined
      throw fail('badRequest', `Cannot follow this filter: expected one of at most ${PAGE_STEPS_MAX} steps for a document, found more`)
    }
  }

  function lookAt(view: ChangeView, record: ChangeRecord, tests: DocumentTests): Look {
    const seen = view.sights.get(record.model)
    if (seen === undefined) throw new Error(`The change log gave a change of ${record.model}, which was not asked for`)
    const { model, sight } = seen
    const isWanted = tests.get(record.model)
    if (sight === 'own' && record.id !== view.callerId) return { looked: 0 }
    const text = store.get(model, record.id)
    const looked = text?.length ?? 0
    const gone = { item: { record, document: undefined }, looked }
    if (text !== undefined && sight !== 'active' && isWanted === undefined) return { item: { record, document: text }, looked }
    const document = text === undefined ? undefined : (parseJson(text) as JsonObject)
    // The status of the text itself, which may be newer than the record.
    const isVisible = document !== undefined && (sight !== 'active' || document['status'] === 'active')
    if (!isVisible) return sight !== 'active' || record.wasActive ? gone : { looked }
    if (isWanted === undefined || isWanted(document)) return { item: { record, document: text }, looked }
    // What was just made cannot have matched before.
    return record.isFirst ? { looked } : gone
  }
}

/** How many characters were looked at, and what the caller gets, if anything. */
interface Look {
  readonly item?: ChangeItem
  readonly looked: number
}

/** By models; of those without one, every document is wanted. */
type DocumentTests = ReadonlyMap<string, DocumentTest>

/** Made for each page: a pattern remembers up to 4 MiB from text to text, which a thousand streams must not keep. */
function testsOf({ sights }: ChangeView): DocumentTests {
  const steps: Steps = { taken: 0, max: PAGE_STEPS_MAX }
  const wanted = [...sights].flatMap(([name, { filter }]) => (filter === undefined ? [] : [[name, filter] as const]))
  return new Map(wanted.map(([name, filter]) => [name, filterTest(filter, steps)]))
}

/** Undefined where every document is wanted. */
function readFilter(model: Model, filter: Json | undefined, caller: Caller): Filter | undefined {
  if (filter === undefined) return undefined
  if (listDependencies(model, filter).length > 1) {
    throw fail('badRequest', 'Cannot follow countries in use: expected a filter of their own members')
  }
  const params = { filter, sort: undefined, limit: undefined, cursor: undefined }
  const read = readListQuery(model, params, caller, { settings: FOLLOWED, store: NO_USE })
  if (read instanceof Promise) throw new Error('A filter of members is read at once')
  return read.filter
}

/** What the caller may see is decided apart, and a page has no length here. */
const FOLLOWED: ListSettings = { limitDefault: 1, limitMax: 1, hideInactive: false }
const NO_USE: QuerySource = {
  changedBy: () => ({ ids: [], isWhole: true }),
  countriesInUse: () => Promise.reject(new Error('A filter of members needs no countries in use')),
}

/** An item of a page as JSON. `by` is for callers who may see who changes what. */
export function itemText({ record, document }: ChangeItem, { isEditor }: ChangeView): string {
  const { seq, model, id, at, actor } = record
  const by = isEditor && actor !== undefined ? `,"by":${JSON.stringify(actor)}` : ''
  const head = `{"seq":${seq},"model":"${model}","id":${JSON.stringify(id)},"at":"${isoDate(at)}"${by}`
  return document === undefined ? `${head},"deleted":true}` : `${head},"deleted":false,"document":${document}}`
}
