/** RSS 0.90 to 2.0, RDF, and Atom 0.3 and 1.0. One reader: feeds mix their members. */
import { fail } from '../../base/failure.ts'
import type { ReadNote } from '../../base/feed-note.ts'
import type { Feed } from '../feed.ts'
import { EXCERPT_CHARS_MAX } from './excerpt.ts'
import { webAddress } from './feed-address.ts'
import { createProblems } from './feed-problems.ts'
import { FEED_ITEMS_MAX, FEED_TITLE_CHARS_MAX, firstOf, languageOf, present } from './feed-members.ts'
import { textOf } from './feed-text.ts'
import { readTree, type FeedElement } from './feed-tree.ts'
import { attributeOf, authorOf, linkIn, partsOf, readItem, relationOf, textIn, type Parts } from './xml-item.ts'

const ROOTS: ReadonlySet<string> = new Set(['rss', 'rdf:rdf', 'rdf', 'feed', 'channel', 'entry', 'item'])
/** Roots of what people take for a feed. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ['html', 'a web page'],
  ['xhtml:html', 'a web page'],
  ['opml', 'a list of feeds (OPML)'],
  ['urlset', 'a site map'],
])
const MINUTES_OF_PERIODS: ReadonlyMap<string, number> = new Map(
  Object.entries({ hourly: 60, daily: 1_440, weekly: 10_080, monthly: 43_200, yearly: 525_600 }),
)
/** Characters that XML does not allow. */
const CONTROLS = /[\u0001-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/
const UPDATE_MINUTES_MAX = 525_600

export interface XmlFeedOptions {
  readonly address: string
  readonly now: number
  /** Of the encoding. */
  readonly problems: readonly ReadNote[]
}

/** Throws Failure `invalidInput` for a text that is no feed, such as a web page. */
export function readXmlFeed(source: string, { address, now, problems: found }: XmlFeedOptions): Feed {
  const problems = createProblems(source, [...found])
  if (CONTROLS.test(source)) problems.note('controls', 'There are control characters. They are left out.')
  const { root, items, leftOut } = readTree(source, { address, itemsMax: FEED_ITEMS_MAX, problems })
  const channel = root === undefined ? undefined : (root.children.find(({ name }) => name === 'channel') ?? root)
  const isFeed = root !== undefined && (ROOTS.has(root.name) || channel !== root || items.length > 0) && !OTHERS.has(root.name)
  if (!isFeed || channel === undefined) throw notAFeed(root)
  const isAtom = root.name === 'feed' || root.name === 'entry'
  // RSS 1.0 has the picture beside the channel.
  const elements = channel === root ? [root] : [channel, root]
  const all = elements.map(partsOf)
  const first = <T>(read: (parts: Parts) => T | undefined): T | undefined => firstOf(all, read)
  const text = (names: readonly string[], charsMax: number): string | undefined =>
    first((parts) => firstOf(names, (name) => textOf(parts.get(name)?.[0], { isAtom, charsMax }).text))
  const related = (relation: string): string | undefined =>
    first((parts) => {
      const link = parts.get('link')?.find((one) => relationOf(one) === relation)
      return link === undefined ? undefined : webAddress(attributeOf(link, 'href'), link.base)
    })
  const author = isAtom ? first(authorOf) : undefined
  const members = {
    title: text(['title', 'dc:title'], FEED_TITLE_CHARS_MAX),
    description: text(['description', 'subtitle', 'tagline', 'abstract', 'dc:description', 'itunes:summary', 'itunes:subtitle'], EXCERPT_CHARS_MAX),
    language: first((parts) => languageOf(textIn(parts, 'language') ?? textIn(parts, 'dc:language'))) ?? firstOf(elements, ({ language }) => language),
    link: first(linkIn) ?? firstOf(['rdf:about', 'href'], (name) => webAddress(attributeOf(channel, name), channel.base)),
    self: related('self'),
    picture: first((parts) => pictureOf(parts, channel.base)),
    hub: related('hub'),
    updateMinutes: first(updateMinutes),
  }
  return {
    format: isAtom ? 'atom' : 'rss',
    ...present(members),
    items: items.map((item) => readItem(item, { isAtom, now, author, address })),
    leftOut,
    problems: problems.notes,
  }
}

function notAFeed(root: FeedElement | undefined): Error {
  const found = root === undefined ? 'a text without elements' : (OTHERS.get(root.name) ?? `the element <${root.name.slice(0, 40)}>`)
  return fail('invalidInput', `Cannot read the feed: expected RSS, Atom or JSON Feed, found ${found}`)
}

function pictureOf(parts: Parts, base: string): string | undefined {
  const partOf = (name: string): FeedElement | undefined => parts.get(name)?.[0]
  const [image, own] = [partOf('image'), partOf('itunes:image')]
  const inImage = image?.children.find(({ name }) => name === 'url')?.text ?? attributeOf(image, 'rdf:resource') ?? image?.text
  const link = parts.get('itunes:link')?.find((one) => relationOf(one) === 'image')
  const others = [attributeOf(own, 'href') ?? attributeOf(own, 'url'), attributeOf(link, 'href'), attributeOf(partOf('media:thumbnail'), 'url')]
  return firstOf([partOf('logo')?.text, partOf('icon')?.text, inImage, ...others], (written) => webAddress(written, base))
}

/** `ttl` in minutes, or `sy:updateFrequency` times in each `sy:updatePeriod`. */
function updateMinutes(parts: Parts): number | undefined {
  const ttl = Number(textIn(parts, 'ttl') ?? Number.NaN)
  const period = MINUTES_OF_PERIODS.get(textIn(parts, 'sy:updateperiod')?.toLowerCase() ?? '') ?? Number.NaN
  const frequency = Number(textIn(parts, 'sy:updatefrequency') ?? 1)
  const minutes = Math.round(Number.isNaN(ttl) ? period / frequency : ttl)
  return minutes >= 1 && minutes <= UPDATE_MINUTES_MAX ? minutes : undefined
}
