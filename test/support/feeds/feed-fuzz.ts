/** Damaged feeds and pages, and what must hold of everything that is read from them. */
import assert from 'node:assert/strict'
import { Failure } from '../../../src/base/failure.ts'
import type { Feed } from '../../../src/feeds/feed.ts'
import { findFeeds } from '../../../src/feeds/reading/find-feeds.ts'
import { readFeed } from '../../../src/feeds/reading/read-feed.ts'
import type { Random } from '../../../scripts/tools/random.ts'
import { SAMPLE_ADDRESS, SAMPLE_ATOM, SAMPLE_JSON, SAMPLE_NOW, SAMPLE_PAGE, SAMPLE_RDF, SAMPLE_RSS } from './sample-feeds.ts'

const SAMPLES = [SAMPLE_RSS, SAMPLE_ATOM, SAMPLE_JSON, SAMPLE_RDF]
/** Pieces that have a meaning somewhere. */
const PIECES = [
  ...['<', '>', '&', '"', "'", '/', '=', '<!--', '-->', '<![CDATA[', ']]>', '<?xml ', '?>', '<!DOCTYPE x [', ']>', '</', '/>'],
  ...['&amp;', '&lt;', '&#0;', '&#xd800;', '&#x110000;', '&bogus;', '&eacute', '\0', '\u0092', '\ud800', '\u202e', '{', '}', '[', ','],
  ...['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', 'javascript:alert(1)', 'data:text/html,x', '<item>', '</item>', '<entry>'],
  ...['<title>', '</title>', '<description type="xhtml">', 'xml:base="javascript:x"', 'xml:base="http://[bad"', 'xmlns="x"', '<svg/onload=alert(1)>'],
]
const CHARS_MAX = { title: 1_000, excerpt: 400, id: 2_000, link: 8_000, picture: 8_000, author: 200 } as const

const LANGUAGE = /^[a-z\d-]{1,53}$/i

/** Reads one damaged sample, and fails where a rule is broken. `rejected` is a Failure that says why. */
export function fuzzFeed(random: Random): 'read' | 'rejected' {
  const page = damaged(SAMPLE_PAGE, random)
  for (const { address, title = '' } of findFeeds(page, SAMPLE_ADDRESS)) {
    assertWeb(address)
    assertText(title, 200)
  }
  const text = damaged(random.pick(SAMPLES), random)
  const bytes = Buffer.from(text, random.oneIn(10) ? 'utf16le' : random.oneIn(5) ? 'latin1' : 'utf8')
  try {
    assertFeed(readFeed(bytes, { address: SAMPLE_ADDRESS, now: SAMPLE_NOW }))
    return 'read'
  } catch (error) {
    if (error instanceof Failure) return 'rejected'
    throw new Error(`Cannot read ${JSON.stringify(text)}`, { cause: error })
  }
}

function damaged(sample: string, random: Random): string {
  let text = sample
  for (let i = random.below(6); i > 0; i--) {
    const [from, length] = [random.below(text.length + 1), random.below(random.oneIn(3) ? 200 : 8)]
    const piece = random.oneIn(3) ? text.slice(random.below(text.length), random.below(text.length)) : random.pick(PIECES)
    text = text.slice(0, from) + (random.oneIn(3) ? '' : piece) + text.slice(from + length)
  }
  return text
}

/** What every feed keeps, whatever its bytes are. */
export function assertFeed(feed: Feed): void {
  assertText(feed.title ?? '', 200)
  assertText(feed.description ?? '', 400)
  assert.match(feed.language ?? 'en', LANGUAGE)
  for (const address of [feed.link, feed.self, feed.picture, feed.hub]) if (address !== undefined) assertWeb(address)
  assert.ok(feed.items.length <= 500)
  assert.ok(feed.problems.length <= 25 && feed.problems.every(({ message }) => message.length < 300))
  for (const item of feed.items) {
    for (const [name, charsMax] of Object.entries(CHARS_MAX)) assertText(item[name as keyof typeof CHARS_MAX] ?? '', charsMax)
    assert.match(item.language ?? 'en', LANGUAGE)
    if (item.link !== undefined) assertWeb(item.link)
    if (item.picture !== undefined) assertWeb(item.picture)
    assert.ok(item.categories.length <= 50)
    for (const category of item.categories) assertText(category, 200)
    for (const date of [item.published, item.updated].filter((one) => one !== undefined)) {
      assert.match(date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.ok(Date.parse(date) <= SAMPLE_NOW, date)
    }
  }
}

function assertText(text: string, charsMax: number): void {
  assert.ok(text.length <= charsMax, `${text.length} characters`)
  assert.ok(text.isWellFormed() && !/[\u0000-\u001f\u007f-\u009f\u202e]/.test(text), JSON.stringify(text))
  assert.equal(text, text.trim())
}

function assertWeb(address: string): void {
  assert.match(address, /^https?:\/\/[^/?#@]+\/\S*$/)
  assert.equal(new URL(address).href, address)
}
