/** A file that brings items: RSS, Atom, JSON Feed, or JSON lines. */
import { Failure } from '../../base/failure.ts'
import type { Feed } from '../feed.ts'
import { isLines, readLines, type FeedLines } from './feed-lines.ts'
import { readFeed } from './read-feed.ts'

export interface FeedFile {
  readonly bytes: Uint8Array
  /** Where the feed came from: relative addresses are relative to it. Without one, they are left out. */
  readonly address: string | undefined
  readonly now: number
}

export type FileReading =
  | ({
      readonly kind: 'items'
      readonly format: Feed['format'] | 'lines'
      /** The address that the feed gives as its own. */
      readonly self?: string
    } & FeedLines)
  | {
      readonly kind: 'none'
      /** One sentence without a full stop. */
      readonly reason: string
    }

/** Places are those of items in the feed, counted from 1, or numbers of lines. Throws for a bug of ours alone. */
export function readFeedFile({ bytes, address = 'about:blank', now }: FeedFile): FileReading {
  if (isLines(bytes)) return { kind: 'items', format: 'lines', ...readLines(bytes, now) }
  try {
    const { format, self, items, leftOut, problems } = readFeed(bytes, { address, now })
    const placed = items.map((item, n) => ({ place: n + 1, item }))
    return { kind: 'items', format, ...(self === undefined ? {} : { self }), items: placed, rejected: [], leftOut, problems }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { kind: 'none', reason: error.message }
  }
}
