/**
 * Pages of the change log as a caller may see them: each changed document once, as it is now, or a tombstone.
 *
 * A tombstone stands for a document that was deleted, and for one that the caller or the filter does not show any more. It
 * comes only where the caller could have had the document: a draft that was never published leaves no trace. What a client
 * asks for is read in the turns of its caller, in slices where it takes long.
 */
import type { Awaitable } from '../../base/awaitable.ts'
import { fail } from '../../base/failure.ts'
import { isoDate } from '../../base/dates.ts'
import type { Json } from '../../base/json.ts'
import { classOf, type Caller } from '../../models/caller.ts'
import { publicName } from '../../models/incomplete.ts'
import type { Model } from '../../models/schema.ts'
import type { Filter } from '../../query/ast.ts'
import { readListQuery, visibilityOf, type ListSettings, type QuerySource } from '../reads/list-query.ts'
import { listDependencies } from '../reads/read-dependencies.ts'
import { rightsOf, sightOf, type Sight } from './change-rights.ts'
import { startPage, type ChangeItem, type ChangePage, type ChangeView, type PageBounds, type PageReading } from './page-reading.ts'
import type { QueryCaller } from '../../store/query/find-query.ts'
import type { TurnWork } from '../../store/query/threads/turn-lane.ts'
import type { ReadStore } from '../../store/read-store.ts'

/** A page whose reading takes more counts as a further request for each so many steps: 2.5 ms. */
const STEPS_PER_REQUEST = 250_000
/** In steps of 10 ns: to read a filter that is all patterns, for each model. */
const STEPS_PER_FILTER_CHAR = 45

export interface ChangeQuery {
  readonly models: readonly Model[]
  readonly filter: Json | undefined
  /** The text of the filter: the same for all queries that ask the same. */
  readonly filterText: string
}

/** Returns a function that counts steps as further requests; those for which `countMore` throws are counted by a later call. */
export function requestCounter(countMore: (requests: number) => void): (steps: number) => void {
  let [taken, counted] = [0, 0]
  return (steps) => {
    taken += steps
    const requests = Math.floor(taken / STEPS_PER_REQUEST) - counted
    if (requests > 0) countMore(requests)
    counted += requests
  }
}

type ChangeStore = Pick<ReadStore, 'documents' | 'history' | 'queries'>

export type ChangePages = ReturnType<typeof createChangePages>

export function createChangePages({ store, settings }: { readonly store: ChangeStore; readonly settings: ListSettings }) {
  return {
    range: () => store.history.changeRange(),
    /** A letter: see rightsOf(). */
    rights: (caller: Caller): string => rightsOf(caller, settings),

    /** Throws what a list with this filter throws. */
    view(query: ChangeQuery, caller: Caller): ChangeView {
      const view = startView(query, caller, settings).advance(() => true)
      if (view === undefined) throw new Error('A view was not read to its end')
      return view
    },

    /** The same in the turns of the caller: a long filter is read for each model. */
    viewInTurns(query: ChangeQuery, caller: Caller, turns: QueryCaller): Awaitable<ChangeView> {
      return query.filter === undefined ? this.view(query, caller) : store.queries.inTurns(startView(query, caller, settings), turns)
    },

    /** A page of changes behind a seq, to be read step by step; `advance` throws badRequest where the filter takes too many. */
    start: (view: ChangeView, after: number, bounds: PageBounds): PageReading => startPage(store, view, after, bounds),

    /** At most `limit` changes behind a seq. Throws badRequest where the filter takes too many steps, and what waiting for a turn throws. */
    read(view: ChangeView, after: number, limit: number, turns: QueryCaller): Awaitable<ChangePage> {
      return store.queries.inTurns(startPage(store, view, after, { limit }), turns)
    },
  }
}

function startView({ models, filter, filterText }: ChangeQuery, caller: Caller, settings: ListSettings): TurnWork<ChangeView> {
  const sights = new Map<string, { model: Model; sight: Sight; filter: Filter | undefined }>()
  const stepsPerModel = filterText.length * STEPS_PER_FILTER_CHAR
  const view = (): ChangeView => {
    const isOwn = [...sights.values()].some(({ sight }) => sight === 'own')
    const rights = rightsOf(caller, settings)
    const names = models.map(({ name }) => name).join()
    const key = `${rights} ${isOwn ? caller.id : ''} ${names} ${filterText}`
    const reader = { callerId: caller.id, callerClass: classOf(caller) }
    return { key, rights, models, sights, ...reader, isEditor: visibilityOf(caller) === 'editor' }
  }
  return {
    stepsExpected: models.length * stepsPerModel,
    spent: () => sights.size * stepsPerModel,
    held: () => filterText.length,
    advance(mayGoOn) {
      for (const model of models.slice(sights.size)) {
        sights.set(model.name, { model, sight: sightOf(model, caller, settings), filter: readFilter(model, filter, caller) })
        if (!mayGoOn()) return undefined
      }
      return view()
    },
  }
}

/** Undefined where every document is wanted. */
function readFilter(model: Model, filter: Json | undefined, caller: Caller): Filter | undefined {
  if (filter === undefined) return undefined
  if (listDependencies(model, filter).length > 1) {
    throw fail('badRequest', 'Cannot follow countries in use: expected a filter of their own members')
  }
  const params = { filter, sort: undefined, limit: undefined, cursor: undefined }
  return readListQuery(model, params, caller, { settings: FOLLOWED, store: NO_USE }).filter
}

/** What the caller may see is decided apart, and a page has no length here. */
const FOLLOWED: ListSettings = { limitDefault: 1, limitMax: 1, hideInactive: false }
const NO_USE: QuerySource = {
  history: { changedBy: () => ({ ids: [], isWhole: true }) },
  documents: {
    countriesInUse() {
      throw new Error('A filter of members needs no countries in use')
    },
  },
}

/** An item of a page as JSON. `by` is for callers who may see who changes what. */
export function itemText({ record, document }: ChangeItem, { isEditor, sights }: ChangeView): string {
  const { seq, id, at, actor } = record
  const seen = sights.get(record.model)?.model
  const model = seen === undefined ? record.model : publicName(seen)
  const by = isEditor && actor !== undefined ? `,"by":${JSON.stringify(actor)}` : ''
  const head = `{"seq":${seq},"model":"${model}","id":${JSON.stringify(id)},"at":"${isoDate(at)}"${by}`
  return document === undefined ? `${head},"deleted":true}` : `${head},"deleted":false,"document":${document}}`
}
