/** One fetch of a feed, from its request to its headlines and the time of the next one. */
import { parseJson, type JsonObject } from '../../base/json.ts'
import type { Log } from '../../base/log.ts'
import type { Metrics } from '../../base/metrics.ts'
import type { Random } from '../../base/random.ts'
import type { ReadNote } from '../../base/feed-note.ts'
import type { Feed } from '../../feeds/feed.ts'
import { NEW_FEED_STATE, nextFetchState, type FetchResult, type FetchState } from '../../feeds/fetching/fetch-schedule.ts'
import { readNote } from '../../feeds/reading/feed-problems.ts'
import type { FeedDocument } from '../../models/feed-model.ts'
import type { DueFeed, FeedState } from '../../store/feeds/feed-state.ts'
import { feedsOfPage, fetchAndRead, type ReadOptions, type ReadOutcome } from './fetched-feed.ts'
import { archiveOld, ingestItems, type IngestCounts, type IngestParts } from './ingest.ts'
import { abortable } from './ingest-pace.ts'

/** After so many failures in a row, the site is asked for the address of its feed. */
const ASKED_AFTER_FAILURES = 3
/** Notes about what is not well-formed that are kept. */
const NOTES_MAX = 3

export type CredentialsOf = (feed: Pick<FeedDocument, 'id' | 'address' | 'username'>) => { readonly user: string; readonly password: string } | undefined

/** The client makes no connection before it is used. */
export interface FeedFetchParts extends IngestParts, Omit<ReadOptions, 'signal'> {
  readonly credentialsOf: CredentialsOf
  readonly metrics: Metrics
  readonly random: Random
  readonly log: Log
}

/** What is stored of a feed; see also feed-health.ts. */
interface KnownState extends FetchState {
  readonly lastFetchMs?: number
  /** When its items were read last: see forgetUnseen() in store/feeds/feed-items.ts. */
  readonly lastReadMs?: number
  readonly notes?: readonly ReadNote[]
  readonly suggestedAddress?: string
}

export type FeedFetches = ReturnType<typeof createFeedFetches>

export function createFeedFetches({ store, newId, pace, client, reader, credentialsOf, metrics, now, random, log }: FeedFetchParts) {
  const countFetch = metrics.counter('dateline_feed_fetches_total', 'Fetches of feeds by how they ended.')
  const countItems = metrics.counter('dateline_feed_items_total', 'Items of feeds by what became of them.')
  let line: Promise<unknown> = Promise.resolve()
  let waiting = 0
  /** One feed after the other: the writes of one turn share a commit, and pieces of eight feeds in one would hold up requests. */
  const inLine = <T>(work: () => Promise<T>): Promise<T> => {
    waiting++
    const done = line.then(work).finally(() => waiting--)
    line = done.catch(() => {})
    return done
  }
  const report = (id: string, previous: KnownState, { outcome }: ReadOutcome, counts: IngestCounts | undefined): void => {
    countFetch({ outcome: outcome.kind })
    for (const [name, count] of Object.entries(counts ?? {})) if (count > 0) countItems({ outcome: name }, count as number)
    const isFailure = outcome.kind === 'failed' || outcome.kind === 'gone'
    if (isFailure && previous.failures === 0) log.warn('feed.failed', { feed: id, reason: outcome.problem })
    if (!isFailure && previous.failures > 0) log.info('feed.recovered', { feed: id, failures: previous.failures })
  }
  return {
    /** How many feeds were read whose items are not all stored yet. */
    waiting: (): number => waiting,
    /**
     * Resolves when all of it is stored, with what became of the items where some came. Where the signal aborts it, the feed stays
     * due, and items that are stored by then stay. Rejects where the store cannot be written.
     */
    async fetch({ id, text, state: stored }: DueFeed, signal: AbortSignal): Promise<IngestCounts | undefined> {
      const document = parseJson(text) as unknown as FeedDocument
      const previous: KnownState = { ...NEW_FEED_STATE, ...(stored as unknown as KnownState | undefined) }
      const options = { client, reader, now, signal }
      const paced = abortable(pace, signal)
      const unlessAborted = (error: unknown): void => {
        if (!signal.aborted) throw error
      }
      const request = { address: document.address, movedTo: previous.movedTo, credentials: credentialsOf(document), validators: previous.validators }
      const read = await fetchAndRead(request, options)
      if (signal.aborted) return undefined
      const suggested = await suggestedAddress(document, previous, read, () => feedsOfPage(document.siteUrl || new URL(document.address).origin, options))
      const nowMs = now()
      const stateAfter = (hasChanged: boolean): Omit<FeedState, 'feed'> =>
        storedState(previous, { outcome: read.outcome, hasChanged, updateMinutes: read.feed?.updateMinutes, nowMs, random: random() }, { feed: read.feed, suggested })
      if (read.feed === undefined) {
        await store.as({ kind: 'feed', id }).putFeedState({ feed: id, ...stateAfter(false) }, document.address)
        await archiveOld({ store, pace: paced }, { feedId: id, now: nowMs }).catch(unlessAborted)
        report(id, previous, read, undefined)
        return undefined
      }
      const state = (counts: IngestCounts): Omit<FeedState, 'feed'> => stateAfter(counts.created + counts.changed > 0)
      const { items } = read.feed
      const reading = { feedId: id, address: document.address, items, now: nowMs, state }
      const ingested = await inLine(() => ingestItems({ store, newId, pace: paced }, reading)).catch(unlessAborted)
      if (ingested === undefined) return undefined
      const counts = ingested === 'gone' ? undefined : ingested
      report(id, previous, read, counts)
      return counts
    },
  }
}

function storedState(
  previous: KnownState,
  result: FetchResult,
  { feed, suggested }: { readonly feed: Feed | undefined; readonly suggested: string | undefined },
): Omit<FeedState, 'feed'> {
  const next = nextFetchState(previous, result)
  const isFailing = next.failures > 0
  const count = String(feed?.leftOut ?? 0)
  const leftOut = count === '0' ? [] : [readNote('leftOut', `It has ${count} items more than are read.`, { count })]
  const notes = feed === undefined ? (previous.notes ?? []) : [...leftOut, ...feed.problems].slice(0, NOTES_MAX)
  const state = {
    ...next,
    lastFetchMs: result.nowMs,
    lastReadMs: feed === undefined ? previous.lastReadMs : result.nowMs,
    ...(notes.length === 0 ? {} : { notes }),
    ...(isFailing && suggested !== undefined ? { suggestedAddress: suggested } : {}),
  }
  // Members that are undefined are left out.
  return { nextAt: next.nextFetchMs, state: parseJson(JSON.stringify(state)) as JsonObject }
}

/** The address that the site gives for its feed, where the one in use fails for good. */
async function suggestedAddress(
  { address }: FeedDocument,
  { failures, suggestedAddress: before }: KnownState,
  { outcome, named }: ReadOutcome,
  ask: () => ReturnType<typeof feedsOfPage>,
): Promise<string | undefined> {
  const other = (found: ReadOutcome['named']): string | undefined => found.find((one) => one.address !== address)?.address
  if (named.length > 0) return other(named)
  const isLost = outcome.kind === 'gone' || (outcome.kind === 'failed' && outcome.status === 404)
  return isLost && failures + 1 >= ASKED_AFTER_FAILURES ? (other(await ask()) ?? before) : before
}
