/**
 * The reads of the data endpoint: lists and documents of any model. A thread that only reads has these alone.
 *
 * Checks come in the order of documents.ts: may the role do this, does the item exist, is it the caller's.
 */
import { withValue, type Awaitable } from '../../base/awaitable.ts'
import { describe, fail, type Failure } from '../../base/failure.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import type { TextPart } from '../../base/text-parts.ts'
import type { Caller } from '../../models/caller.ts'
import { dashboardSummary } from '../../models/dashboard-summary.ts'
import { placesOf } from '../../models/incomplete.ts'
import type { DocumentCounts } from '../../models/responses.ts'
import type { Model, Operation } from '../../models/schema.ts'
import type { Filter } from '../../query/ast.ts'
import { matches } from '../../query/match.ts'
import { StepsExceeded } from '../../query/steps.ts'
import {
  foundTexts,
  NOTHING_FOUND,
  type Found,
  type MatchCount,
  type FindQuery,
  type QueryCaller,
} from '../../store/query/find-query.ts'
import { requireDrafts, requireOwner, requireRole } from '../rules/access.ts'
import { countDocuments } from './document-counts.ts'
import { mergedPages, placeOf } from './incomplete-drafts.ts'
import {
  COUNT_MAX,
  pageParts,
  readListQuery,
  WHOLE_PAGE,
  type ListParams,
  type ListSettings,
  type PageShape,
} from './list-query.ts'
import { projecting, type Projection } from './projection.ts'
import { queryCallerOf, type Connection } from './query-caller.ts'
import { SUMMARIZED } from './read-dependencies.ts'
import type { ReadStore } from '../../store/read-store.ts'

/** Steps that matching the summary may take: some milliseconds, since it is done beside other requests. */
const SUMMARY_STEPS_MAX = 1_000_000

/** The parameters of a list, and the caller with the roles that hold when they are read, which a body may have taken long to be. */
export interface ListRequest {
  readonly params: ListParams
  readonly caller: Caller
}

interface Admitting {
  readonly caller: Caller
  readonly includes?: boolean | undefined
}

type ReadableStore = Pick<ReadStore, 'documents' | 'queries' | 'history'>

export type DocumentReads = ReturnType<typeof createDocumentReads>

/** All results are JSON text, a page in parts. Every function throws the failures of contract and specification. */
export function createDocumentReads({ store, settings }: { readonly store: ReadableStore; readonly settings: ListSettings }) {
  const requireItem = (model: Model, id: string, includes = false): Awaitable<string> =>
    withValue(model === dashboardSummary ? summaryText(store, id) : textAnywhere(store, model, id, includes), (text) => {
      if (text === undefined) throw notFound(model, id)
      return text
    })

  /** The stored text of an item that the caller may use in this way. `includes` looks for incomplete drafts too. */
  const admit = (model: Model, operation: Operation, id: string, { caller, includes = false }: Admitting): Awaitable<string> => {
    requireRole(model, operation, caller)
    if (includes) requireDrafts(model, caller)
    return withValue(requireItem(model, id, includes), (text) => {
      requireOwner(model, operation, caller, id)
      return text
    })
  }

  const readList = (model: Model, { params, caller }: ListRequest): FindQuery => {
    requireRole(model, 'list', caller)
    return readListQuery(model, params, caller, { settings, store })
  }

  const find = (model: Model, query: FindQuery, caller: QueryCaller): Awaitable<Found> => {
    if (model !== dashboardSummary) return store.documents.find(model, query, caller)
    return withValue(requireItem(model, dashboardSummary.singleton ?? ''), (text) => {
      const isWanted = query.after === undefined && isListed(query.filter, text)
      return foundTexts(isWanted ? [text] : [], undefined)
    })
  }

  /** A page of the documents of all these tables. */
  const findIn = (places: readonly Model[], query: FindQuery, by: QueryCaller): Awaitable<Found> => {
    const [model, ...others] = places
    if (model !== undefined && others.length === 0) return find(model, query, by)
    return Promise.all(places.map((place) => store.documents.find(place, query, by))).then((pages) => mergedPages(pages, query))
  }

  const countIn = (places: readonly Model[], query: FindQuery, by: QueryCaller, page: Found): Awaitable<MatchCount> => {
    const [model, ...others] = places
    if (model !== undefined && others.length === 0) return countOf(model, query, by, page)
    return Promise.all(places.map((place) => countOf(place, query, by, NOTHING_FOUND))).then((counts) => ({
      total: Math.max(page.items.length, counts.reduce((sum, { total }) => sum + total, 0)),
      isFloor: counts.some(({ isFloor }) => isFloor),
    }))
  }

  /** How many documents the filter lists on all pages, no fewer than on this one. It waits for its turn like a page. */
  const countOf = (model: Model, query: FindQuery, by: QueryCaller, page: Found): Awaitable<MatchCount> => {
    if (model === dashboardSummary) {
      const all: FindQuery = { filter: query.filter, sort: [], limit: COUNT_MAX, after: undefined }
      return withValue(find(model, all, by), ({ items }) => ({ total: items.length, isFloor: false }))
    }
    return withValue(store.documents.count(model, query.filter, COUNT_MAX, by), ({ total, isFloor }) => {
      return { total: isFloor ? Math.max(total, page.items.length) : total, isFloor }
    })
  }

  /** A page may have megabytes of documents, each of which is parsed: it takes turns like the search for them. */
  const projectPage = ({ items, next }: Found, projection: Projection, by: QueryCaller): Awaitable<Found> =>
    withValue(store.queries.inTurns(projecting(items, projection), by), (projected) => foundTexts(projected, next))

  return {
    admit,
    readList,
    list(
      model: Model,
      request: ListRequest,
      connection: Connection,
      { projection, counts, includes }: PageShape = WHOLE_PAGE,
    ): Awaitable<readonly TextPart[]> {
      const query = readList(model, request)
      if (includes) requireDrafts(model, request.caller)
      const places = placesOf(model, includes)
      const by = queryCallerOf(request.caller, connection)
      return withValue(query.limit === 0 ? NOTHING_FOUND : findIn(places, query, by), (page) => {
        const shown = projection === undefined ? page : projectPage(page, projection, by)
        const counted = counts ? countIn(places, query, by, page) : undefined
        const isFloor = query.isPart === true
        return withValue(shown, (found) =>
          withValue(counted, (count) => pageParts(model, query, found, count && isFloor ? { ...count, isFloor } : count)),
        )
      })
    },

    /** How many documents the list has by status. What it counts waits for its turn like a page. */
    counts(model: Model, request: ListRequest, connection: Connection, includes: boolean): Promise<DocumentCounts> {
      const [query, by] = [readList(model, request), queryCallerOf(request.caller, connection)]
      const count = (places: readonly Model[], filter: Filter) => countIn(places, { ...query, filter }, by, NOTHING_FOUND)
      return countDocuments({ model, query, caller: request.caller, includes }, { history: store.history, count })
    },

    read: (model: Model, id: string, caller: Caller, includes = false): Awaitable<string> => admit(model, 'read', id, { caller, includes }),
    /** A document that needs no caller: the remote configuration, where the operator has made it public. */
    readPublic: requireItem,
  }
}

function textAnywhere(store: Pick<ReadStore, 'documents'>, model: Model, id: string, includes: boolean): string | undefined {
  const found = includes ? placeOf(model, includes, (place) => store.documents.get(place, id) !== undefined) : model
  return store.documents.get(found, id)
}

export function notFound(model: Model, id: string): Failure {
  return fail('notFound', `No ${model.name} has the id ${describe(id)}`)
}

/** Computed for each request, and found under its fixed id and under its own name. */
async function summaryText(store: Pick<ReadStore, 'documents'>, id: string): Promise<string | undefined> {
  if (id !== dashboardSummary.singleton && id !== dashboardSummary.name) return undefined
  const [headlineCount, topicCount, sourceCount] = await Promise.all(SUMMARIZED.map(store.documents.countActive))
  return JSON.stringify({ id: dashboardSummary.singleton, headlineCount, topicCount, sourceCount })
}

/** Whether a filter lists the summary, which is no row of a table that a thread could read. */
function isListed(filter: Filter, text: string): boolean {
  try {
    return matches(filter, parseJson(text) as JsonObject, { taken: 0, max: SUMMARY_STEPS_MAX })
  } catch (error) {
    if (!(error instanceof StepsExceeded)) throw error
    const wanted = `a filter that takes at most ${SUMMARY_STEPS_MAX} steps`
    throw fail('badRequest', `Cannot list ${dashboardSummary.name}: expected ${wanted}, found one that takes more`)
  }
}
