/** The feeds that a web page names, and where sites without such names usually have one. */
import { webAddress } from './feed-address.ts'
import { scanHtml } from './html-scanner.ts'
import { foldSpace } from './html-text.ts'
import type { TagAttributes } from './markup-tag.ts'

const HTML_CHARS_MAX = 2_000_000
const FEEDS_MAX = 50
const TITLE_CHARS_MAX = 200
const TYPES: ReadonlySet<string> = new Set([
  ...['application/rss+xml', 'application/atom+xml', 'application/feed+json', 'application/rdf+xml'],
  ...['text/xml', 'application/xml', 'text/rss+xml', 'text/atom+xml', 'application/x.atom+xml', 'application/json'],
])
/** Content of these is no markup of the page. */
const SKIPPED: ReadonlySet<string> = new Set(['script', 'style', 'template', 'textarea', 'iframe', 'noembed', 'noframes', 'svg'])

/** In the order in which they are worth a request. */
export const USUAL_PATHS: readonly string[] = [
  ...['/feed', '/rss', '/feed.xml', '/rss.xml', '/atom.xml', '/index.xml', '/feed.json', '/feeds/posts/default'],
  ...['/feed.atom', '/index.rdf', '/rss.php', '/?feed=rss2'],
]

export interface FoundFeed {
  /** Absolute, http or https. */
  readonly address: string
  readonly title?: string
  /** The media type that the page gives. */
  readonly type: string
}

/** `<link rel="alternate">` and `<link rel="feed">` of a page, in their order, each address once. */
export function findFeeds(html: string, address: string): FoundFeed[] {
  const found = new Map<string, FoundFeed>()
  let base = address
  scanHtml(
    html.slice(0, HTML_CHARS_MAX),
    {
      text: () => found.size < FEEDS_MAX,
      tag(name, { attributes }, isClosing) {
        if (isClosing) return true
        if (name === 'base' && base === address) base = webAddress(attributes.get('href'), address) ?? address
        if (name !== 'link' || found.size >= FEEDS_MAX) return true
        const feed = feedOf(attributes, base)
        if (feed !== undefined && !found.has(feed.address)) found.set(feed.address, feed)
        return true
      },
    },
    { skipped: SKIPPED },
  )
  return [...found.values()]
}

function feedOf(attributes: TagAttributes, base: string): FoundFeed | undefined {
  const relations = (attributes.get('rel') ?? '').toLowerCase().split(/\s+/)
  const type = (attributes.get('type') ?? '').toLowerCase().replace(/;.*$/s, '').trim()
  const isFeed = relations.includes('feed') || (relations.includes('alternate') && TYPES.has(type))
  const address = isFeed ? webAddress(attributes.get('href'), base) : undefined
  // WordPress gives the page itself as JSON.
  if (address === undefined || (type === 'application/json' && !/feed/i.test(address))) return undefined
  const title = foldSpace((attributes.get('title') ?? '').slice(0, TITLE_CHARS_MAX))
  return { address, ...(title === '' ? {} : { title }), type }
}
