// gate: reads a hundred long feeds
/** Feeds that repeat one piece again and again: a quadratic reader would need minutes for each. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Failure } from '../../../src/base/failure.ts'
import { readFeed } from '../../../src/feeds/reading/read-feed.ts'
import { assertFeed } from '../../support/feeds/feed-fuzz.ts'
import { SAMPLE_ADDRESS, SAMPLE_NOW } from '../../support/feeds/sample-feeds.ts'

const TIMES = 100_000

for (const piece of [
  ...['<', '>', '&', '<a', '<a ', '<a b', '<a b=', '<a b="', "<a b='x", '<a b="c', '</', '</a', '</a>', '<!--', '<!-- --', '<![CDATA[', ']]>', '<?', '<?xml '],
  ...['<!DOCTYPE a [', '<!DOCTYPE a [ ]', '<!', '&#', '&#x', '&a', '&amp', ' ', '\n', '"', '<a/>', '<a x="&', '<item>', '<item', '<title>', '<a xmlns="b">', '{', '[', '{"a":'],
  ...['<description>&lt;', '<title>&lt;!--', '<pubDate>1', '<a:b>', '<link href="', '<author>a@b (', '<guid>http://', '<media:group><media:content ', '\u00e4', '\0'],
]) {
  it(`takes time that grows with its length only, with ${JSON.stringify(piece)} again and again`, () => {
    for (const text of [`<rss version="2.0"><channel><title>T</title><item><title>A${piece.repeat(TIMES)}`, piece.repeat(TIMES)]) {
      try {
        assertFeed(readFeed(Buffer.from(text), { address: SAMPLE_ADDRESS, now: SAMPLE_NOW }))
      } catch (error) {
        assert.ok(error instanceof Failure, String(error))
      }
    }
  })
}
