/** From what a server sent to a feed, or to the reason why it is none, with the address that helps. */
import type { Feed } from '../../feeds/feed.ts'
import { fetchFeed, type Fetched, type FetchOptions, type FetchOutcome, type FetchRequest } from '../../feeds/fetching/fetch.ts'
import type { FeedReader } from '../../feeds/reading/feed-reader.ts'
import type { FoundFeed } from '../../feeds/reading/find-feeds.ts'
import type { DocumentReading } from '../../feeds/reading/read-document.ts'

export interface ReadOutcome {
  /** What was fetched but is no feed is a failure. */
  readonly outcome: FetchOutcome
  /** Undefined where nothing new came. */
  readonly feed: Feed | undefined
  /** The feeds that a page names which came in place of one. */
  readonly named: readonly FoundFeed[]
}

export interface ReadOptions extends FetchOptions {
  readonly reader: Pick<FeedReader, 'read'>
}

const NOTHING = { feed: undefined, named: [] }

/** Fetches and reads. Rejects for a bug of ours alone. */
export async function fetchAndRead(request: FetchRequest, options: ReadOptions): Promise<ReadOutcome> {
  const outcome = await fetchFeed(request, options)
  if (outcome.kind !== 'fetched') return { ...NOTHING, outcome }
  const reading = await readFetched(outcome, options)
  if (reading.kind === 'feed') return { outcome, feed: reading.feed, named: [] }
  const { reason, named } = reading
  const problem = named.length > 0 ? 'There is a page at this address, and no feed' : `${reason}: check the address`
  return { outcome: { kind: 'failed', reason: 'not-a-feed', problem }, feed: undefined, named }
}

/** The feeds that a page names; none where it cannot be read, or is a feed itself. */
export async function feedsOfPage(address: string, options: ReadOptions): Promise<readonly FoundFeed[]> {
  const outcome = await fetchFeed({ address }, options)
  if (outcome.kind !== 'fetched') return []
  const reading = await readFetched(outcome, options)
  return reading.kind === 'none' ? reading.named : []
}

function readFetched({ bytes, address, contentType }: Fetched, { reader, now, signal }: ReadOptions): Promise<DocumentReading> {
  return reader.read({ bytes, address, now: now(), ...(contentType === undefined ? {} : { contentType }) }, signal)
}
