/**
 * How many documents a list would have with each status, and how many are scheduled, handed in and in the trash: what
 * stands on the tabs above a list, in one response.
 */
import type { Awaitable } from '../../base/awaitable.ts'
import type { Caller } from '../../models/caller.ts'
import { placesOf } from '../../models/incomplete.ts'
import type { DocumentCounts } from '../../models/responses.ts'
import { isReviewed, isScheduled, STATUSES } from '../../models/workflow.ts'
import type { Model } from '../../models/schema.ts'
import { and, compare, eq, type Filter } from '../../query/ast.ts'
import type { FindQuery, MatchCount } from '../../store/query/find-query.ts'
import type { ReadStore } from '../../store/read-store.ts'
import { mayUsePast } from '../rules/past.ts'
import { requireDrafts, requireEditor } from '../rules/access.ts'
import { COUNT_MAX } from './list-query.ts'

type Counted = DocumentCounts['all']

const IS_DRAFT = eq(['status'], 'draft')
const IS_SCHEDULED = and(IS_DRAFT, compare(['publishAt'], 'gt', ''))
const IS_HANDED_IN = and(IS_DRAFT, compare(['handedInAt'], 'gt', ''))

export interface CountRequest {
  readonly model: Model
  /** What the list is narrowed to, without a status. */
  readonly query: FindQuery
  readonly caller: Caller
  /** Whether incomplete drafts count. */
  readonly includes: boolean
}

/**
 * `count` gives how many documents of some tables match a filter. Counts are exact for a whole model and for one of its
 * statuses, and up to 10,000 for other filters. Throws forbidden for callers without a role in the dashboard.
 */
export async function countDocuments(
  { model, query, caller, includes }: CountRequest,
  { history, count }: {
    readonly history: Pick<ReadStore['history'], 'countTrash'>
    readonly count: (places: readonly Model[], filter: Filter) => Awaitable<MatchCount>
  },
): Promise<DocumentCounts> {
  requireEditor(caller)
  if (includes) requireDrafts(model, caller)
  const places = placesOf(model, includes)
  const counted = async (...more: readonly Filter[]): Promise<Counted> =>
    shown(await count(places, and(query.filter, ...more)), query)
  const statuses = model.fields['status']?.kind === 'choice' ? STATUSES : []
  const byStatus = await Promise.all(statuses.map(async (status) => [status, await counted(eq(['status'], status))] as const))
  return {
    all: await counted(),
    byStatus: Object.fromEntries(byStatus),
    scheduled: isScheduled(model) ? await counted(IS_SCHEDULED) : null,
    handedIn: isReviewed(model) ? await counted(IS_HANDED_IN) : null,
    trash: mayUsePast(model, 'readTrash', caller) ? shown(history.countTrash(places, COUNT_MAX)) : null,
  }
}

function shown({ total, isFloor }: MatchCount, { isPart }: Pick<FindQuery, 'isPart'> = {}): Counted {
  return { total, totalIsFloor: isFloor || isPart === true }
}
