/** The changes that a thread serves: its pages, its streams, and the timer that keeps them alive. */
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import type { SharedCounts } from '../base/shared-counts.ts'
import { createChangePages } from '../content/changes/change-pages.ts'
import { createChangeStreams, TICK_MS } from '../content/changes/change-streams.ts'
import type { Presence } from '../content/changes/presence.ts'
import type { ListSettings } from '../content/reads/list-query.ts'
import type { Changes } from '../endpoints/service-parts.ts'
import { createStreamSlots, type StreamLimits } from '../endpoints/stream-slots.ts'
import { readings } from './service-metrics.ts'
import type { ReadStore } from '../store/read-store.ts'

export interface ChangeFeedOptions {
  readonly store: Pick<ReadStore, 'documents' | 'history' | 'queries' | 'versions'>
  readonly settings: ListSettings
  readonly limits: StreamLimits
  /** The streams of all threads. */
  readonly counts: SharedCounts
  readonly tickets: Changes['tickets']
  readonly presence: Presence
  readonly metrics: Metrics
  readonly log: Log
}

export function openChangeFeed({ store, settings, limits, counts, tickets, presence, metrics, log }: ChangeFeedOptions) {
  const pages = createChangePages({ store, settings })
  const streams = createChangeStreams({
    ...{ pages, changes: store.versions.changes, presence, log },
    ticks: () => performance.now(),
    listen(wake, tick) {
      const stop = store.history.onChanges(wake)
      const timer = setInterval(tick, TICK_MS).unref()
      return () => {
        stop()
        clearInterval(timer)
      }
    },
  })
  streamMetrics(metrics, streams)
  return {
    changes: { pages, streams, slots: createStreamSlots(limits, counts), tickets } satisfies Changes,
    /** Ends the streams, whose clients connect again. */
    close: streams.close,
  }
}

function streamMetrics(metrics: Metrics, { counts }: Pick<ReturnType<typeof createChangeStreams>, 'counts'>): void {
  metrics.gauge('dateline_change_streams', 'Streams of changes that are open, and requests that wait for one.', () => {
    const { open, waiting } = counts()
    return readings('kind', { open, waiting })
  })
  metrics.counted('dateline_change_rounds_total', 'Rounds in which changes went to streams.', () => [[{}, counts().rounds]])
  metrics.counted('dateline_change_pages_total', 'Pages of changes that were read for streams.', () => [[{}, counts().pages]])
  metrics.counted('dateline_change_streams_cut_total', 'Streams whose clients left too much unread.', () => [[{}, counts().cuts]])
}
