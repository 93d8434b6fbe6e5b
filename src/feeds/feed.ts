// What a feed says, whatever its format: RSS, Atom or JSON Feed.
import type { ReadNote } from '../base/feed-note.ts'

export interface Feed {
  readonly format: 'rss' | 'atom' | 'json'
  readonly title?: string          // text, at most 200 characters
  readonly description?: string    // text
  readonly language?: string       // BCP 47 as the feed writes it
  readonly link?: string           // the site's page, absolute http(s)
  readonly self?: string           // the address that the feed gives as its own
  readonly picture?: string        // icon or logo, absolute http(s)
  readonly hub?: string            // WebSub hub
  readonly updateMinutes?: number  // ttl, or sy:updatePeriod / sy:updateFrequency
  readonly items: readonly FeedItem[]   // newest as the feed orders them, at most 500
  readonly leftOut: number         // items beyond 500
  readonly problems: readonly ReadNote[]  // what is not well-formed, and how it was read
}
export interface FeedItem {
  readonly id?: string             // guid, atom:id, JSON Feed id: as written, at most 2,000 characters
  readonly title?: string          // text: tags removed, entities decoded once, white space folded
  readonly link?: string           // absolute http(s)
  readonly excerpt?: string        // text, cut at 400 characters at the end of a sentence
  readonly published?: string      // ISO 8601 UTC with milliseconds, never in the future
  readonly updated?: string
  readonly picture?: string        // absolute http(s)
  readonly author?: string
  readonly categories: readonly string[]
  readonly language?: string
}
