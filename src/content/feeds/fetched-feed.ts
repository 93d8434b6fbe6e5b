/** From what a server sent to a feed, or to the reason why it is none, with the address that helps. */
import { Failure } from '../../base/failure.ts'
import type { Feed } from '../../feeds/feed.ts'
import { fetchFeed, type Fetched, type FetchOptions, type FetchOutcome, type FetchRequest } from '../../feeds/fetching/fetch.ts'
import { decodeFeed } from '../../feeds/reading/feed-encoding.ts'
import { findFeeds, type FoundFeed } from '../../feeds/reading/find-feeds.ts'
import { readFeed } from '../../feeds/reading/read-feed.ts'

export interface ReadOutcome {
  /** What was fetched but is no feed is a failure. */
  readonly outcome: FetchOutcome
  /** Undefined where nothing new came. */
  readonly feed: Feed | undefined
  /** The feeds that a page names which came in place of one. */
  readonly named: readonly FoundFeed[]
}

const NOTHING = { feed: undefined, named: [] }

/** Fetches and reads. Rejects for a bug of ours alone. */
export async function fetchAndRead(request: FetchRequest, options: FetchOptions): Promise<ReadOutcome> {
  const outcome = await fetchFeed(request, options)
  return outcome.kind === 'fetched' ? readFetched(outcome, options.now()) : { ...NOTHING, outcome }
}

/** The feeds that a page names; none where it cannot be read. */
export async function feedsOfPage(address: string, options: FetchOptions): Promise<readonly FoundFeed[]> {
  const outcome = await fetchFeed({ address }, options)
  return outcome.kind === 'fetched' ? namedIn(outcome) : []
}

function readFetched(outcome: Fetched, now: number): ReadOutcome {
  const { bytes, address, contentType } = outcome
  try {
    return { outcome, feed: readFeed(bytes, { address, now, ...(contentType === undefined ? {} : { contentType }) }), named: [] }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const named = namedIn(outcome)
    const problem = named.length > 0 ? 'There is a page at this address, and no feed' : `${error.message}: check the address`
    return { outcome: { kind: 'failed', reason: 'not-a-feed', problem }, feed: undefined, named }
  }
}

function namedIn({ bytes, address, contentType }: Fetched): readonly FoundFeed[] {
  return findFeeds(decodeFeed(bytes, contentType).text, address)
}
