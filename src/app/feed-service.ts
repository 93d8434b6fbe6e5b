/** Fetching feeds, and what looks at other servers for administrators: one client for both, so that a host has one connection. */
import { createFeedPasswords } from '../auth/feed-passwords.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Metrics, Reading } from '../base/metrics.ts'
import { systemRandom } from '../base/random.ts'
import type { Config } from '../config/settings.ts'
import { createFeedFetches } from '../content/feeds/feed-fetches.ts'
import { createIngestPace } from '../content/feeds/ingest-pace.ts'
import { startFeedWork } from '../content/feeds/feed-work.ts'
import { startItemPictures } from '../content/feeds/item-picture-work.ts'
import { createKeptItemPictures } from '../content/feeds/kept-item-pictures.ts'
import type { Pictures } from '../content/kept-pictures.ts'
import { createFeedReader } from '../feeds/reading/feed-reader.ts'
import { createOutboundClient, userAgentOf } from '../outbound/outbound-client.ts'
import type { OutboundRules } from '../outbound/outbound-rules.ts'
import type { FeedState } from '../store/feeds/feed-state.ts'
import type { Services } from './services.ts'

export interface FeedFetchingOptions {
  readonly live: () => Pick<Config, 'publicUrl' | 'invitationUrl'>
  readonly rules: OutboundRules
  readonly services: Pick<Services, 'store' | 'newId' | 'metrics' | 'keys'>
  readonly now: Clock
  readonly log: Log
}

/** What fetches feeds, for the service and for commands. It connects to nothing by itself. */
export function openFeedFetching({ live, rules, services, now, log }: FeedFetchingOptions) {
  const { store, newId, metrics, keys } = services
  const client = createOutboundClient({ rules, userAgent: () => userAgentOf(live().publicUrl ?? live().invitationUrl) })
  const reader = createFeedReader()
  const passwords = createFeedPasswords({ store, keys: keys.feeds })
  const pace = createIngestPace()
  const fetches = createFeedFetches({ store, newId, pace, client, reader, credentialsOf: passwords.credentialsOf, metrics, now, random: systemRandom, log })
  return { client, reader, passwords, pace, fetches }
}

export interface FeedServiceOptions {
  readonly store: Services['store']
  readonly metrics: Metrics
  /** What keeps the pictures of items. */
  readonly pictures: Pictures
  readonly siteAddress: () => string | undefined
  /** Whether this process fetches: of the nodes of a cluster, one does. */
  readonly isOnDuty: (() => boolean) | undefined
  readonly now: Clock
  readonly log: Log
}

/** Starts it. No connection is made while there is no feed. */
export function startFeeds(
  { client: outbound, reader, passwords, pace, fetches }: ReturnType<typeof openFeedFetching>,
  { store, metrics, pictures, siteAddress, isOnDuty, now, log }: FeedServiceOptions,
) {
  feedMetrics(metrics, () => store.feeds.feedStates())
  const work = startFeedWork({ store, fetches, isOnDuty, now, log })
  const keeping = createKeptItemPictures({ store, client: outbound, pictures, pace, siteAddress, metrics, now })
  const ofItems = startItemPictures({ store, keeping, isOnDuty, now, log })
  return {
    ...{ outbound, reader, passwords, work, pictures: ofItems },
    async stop(): Promise<void> {
      await Promise.all([work.stop(), ofItems.stop()])
    },
  }
}

function feedMetrics(metrics: Metrics, states: () => ReadonlyMap<string, FeedState>): void {
  metrics.gauge('dateline_feeds', 'Feeds that were fetched, by how that went last.', () => {
    const counts = { working: 0, failing: 0, ended: 0 }
    for (const { nextAt, state } of states().values()) counts[nextAt === undefined ? 'ended' : state['problem'] === undefined ? 'working' : 'failing']++
    return Object.entries(counts).map(([status, count]): Reading => [{ status }, count])
  })
}
