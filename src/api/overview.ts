/**
 * What the dashboard opens with: how many items of each status there are, and how many headlines each hour brought.
 *
 * Both are kept at hand by the writes, so that it costs the same at a million headlines. Hours are those of UTC; days
 * depend on where the reader is, so the page adds them up.
 */
import type { Clock } from '../base/clock.ts'
import { DAY_MS } from '../base/duration.ts'
import { ok, type Handler } from '../http/request/exchange.ts'
import { headline } from '../models/headline.ts'
import type { DashboardOverview } from '../models/replies.ts'
import type { Model } from '../models/schema.ts'
import { source } from '../models/source.ts'
import { STATUSES } from '../models/status.ts'
import { topic } from '../models/topic.ts'
import type { DocumentStore } from '../store/store.ts'

/** Thirty days of every time zone, and some hours more. */
const SPAN_MS = 31 * DAY_MS

export interface OverviewParts {
  readonly store: Pick<DocumentStore, 'countByStatus' | 'countByHour'>
  readonly now: Clock
}

export function overviewHandler({ store, now }: OverviewParts): Handler {
  return async () => {
    const to = now()
    const [headlines, topics, sources, hours] = await Promise.all([
      statusCounts(store, headline),
      statusCounts(store, topic),
      statusCounts(store, source),
      store.countByHour(headline, { from: to - SPAN_MS, to }),
    ])
    const overview: DashboardOverview = {
      counts: { headline: headlines, topic: topics, source: sources },
      hours: hours.map(({ hour, n }) => ({ hour, headlines: n })),
    }
    return ok(JSON.stringify(overview))
  }
}

type StatusCounts = DashboardOverview['counts']['headline']

async function statusCounts(store: OverviewParts['store'], model: Model): Promise<StatusCounts> {
  const counts = await store.countByStatus(model)
  return Object.fromEntries(STATUSES.map((status) => [status, counts.get(status) ?? 0])) as unknown as StatusCounts
}
