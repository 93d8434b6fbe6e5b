/** What was fetched from an address: a feed, or else the reason why it is none, with the feeds that a page names. */
import { Failure } from '../../base/failure.ts'
import type { Feed } from '../feed.ts'
import { decodeFeed } from './feed-encoding.ts'
import { findFeeds, type FoundFeed } from './find-feeds.ts'
import { readFeed, type ReadFeedOptions } from './read-feed.ts'

export interface FetchedDocument extends ReadFeedOptions {
  readonly bytes: Uint8Array
}

export type DocumentReading =
  | { readonly kind: 'feed'; readonly feed: Feed }
  | {
      readonly kind: 'none'
      /** One sentence without a full stop. */
      readonly reason: string
      readonly named: readonly FoundFeed[]
    }

/** Throws for a bug of ours alone. */
export function readDocument({ bytes, ...options }: FetchedDocument): DocumentReading {
  try {
    return { kind: 'feed', feed: readFeed(bytes, options) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { kind: 'none', reason: error.message, named: findFeeds(decodeFeed(bytes, options.contentType).text, options.address) }
  }
}
