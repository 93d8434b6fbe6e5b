/** Reads a feed of any format from its bytes. */
import { fail } from '../../base/failure.ts'
import type { Feed } from '../feed.ts'
import { decodeFeed } from './feed-encoding.ts'
import { readJsonFeed } from './json-feed.ts'
import { readNote } from './feed-problems.ts'
import { skipSpace } from './markup-tag.ts'
import { readXmlFeed } from './xml-feed.ts'

export interface ReadFeedOptions {
  /** Where the feed came from: relative addresses are relative to it. */
  readonly address: string
  /** The header `Content-Type`; only its `charset` counts. */
  readonly contentType?: string
  /** Milliseconds since 1970. Later dates are left out. */
  readonly now: number
}

/**
 * The feed, as far as it can be read: `problems` says what is not well-formed. Throws Failure `invalidInput` for what is
 * no feed. All texts and lists are bounded; time and memory are linear in the number of bytes.
 */
export function readFeed(bytes: Uint8Array, { address, contentType, now }: ReadFeedOptions): Feed {
  const { text, problems } = decodeFeed(bytes, contentType)
  const hasNul = text.includes('\0')
  // Some programs write a second byte order mark.
  const source = (hasNul ? text.replaceAll('\0', '') : text).replace(/^\ufeff+/, '')
  const noted = hasNul ? [...problems, readNote('controls', 'There are NUL characters. They are left out.')] : problems
  const start = skipSpace(source, 0)
  if (start === source.length) throw fail('invalidInput', 'Cannot read the feed: expected RSS, Atom or JSON Feed, found an empty document')
  const options = { address, now, problems: noted }
  return source[start] === '{' || source[start] === '[' ? readJsonFeed(source, options) : readXmlFeed(source, options)
}
