/**
 * Names of elements as the readers know them: in lower case, with one prefix for each namespace, whatever the feed calls
 * it. RSS and Atom have none. A prefix that is not declared, or stands for a namespace that is not in the table, is
 * taken for what it usually means.
 */
import type { MarkupTag, TagAttributes } from './markup-tag.ts'

const FEED = ''
const NAMESPACES: ReadonlyMap<string, string> = new Map(Object.entries({
  '': FEED,
  'http://www.w3.org/2005/atom': FEED,
  'http://purl.org/atom/ns': FEED,
  'http://backend.userland.com/rss': FEED,
  'http://backend.userland.com/rss2': FEED,
  'http://blogs.law.harvard.edu/tech/rss': FEED,
  'http://cyber.law.harvard.edu/rss': FEED,
  'http://purl.org/rss/1.0': FEED,
  'http://purl.org/net/rss1.1': FEED,
  'http://my.netscape.com/rdf/simple/0.9': FEED,
  'http://my.netscape.com/publish/formats/rss-0.91.dtd': FEED,
  'http://channel.netscape.com/rdf/simple/0.9': FEED,
  'http://www.w3.org/1999/02/22-rdf-syntax-ns': 'rdf',
  'http://purl.org/dc/elements/1.0': 'dc',
  'http://purl.org/dc/elements/1.1': 'dc',
  'http://purl.org/dc/terms': 'dcterms',
  'http://purl.org/rss/1.0/modules/content': 'content',
  'http://purl.org/rss/1.0/modules/syndication': 'sy',
  'http://search.yahoo.com/mrss': 'media',
  'https://search.yahoo.com/mrss': 'media',
  'http://tools.search.yahoo.com/mrss': 'media',
  'http://www.itunes.com/dtds/podcast-1.0.dtd': 'itunes',
  'http://example.com/dtds/podcast-1.0.dtd': 'itunes',
  'http://rssnamespace.org/feedburner/ext/1.0': 'feedburner',
  'http://www.w3.org/1999/xhtml': 'xhtml',
  'http://www.w3.org/xml/1998/namespace': 'xml',
}))
/** A feed has a few dozen names; one that has more wants memory. */
const KNOWN_MAX = 5_000
const USUAL_PREFIXES: ReadonlyMap<string, string> = new Map([
  ['atom', FEED],
  ['rss', FEED],
])

export interface FeedNames {
  /** The name of an element under the declarations that stand around it. */
  nameOf(written: string): FeedName
  /** The name of the element, or of an attribute, that has a prefix without a declaration. */
  undeclaredIn(tag: MarkupTag): string | undefined
  /** Takes the declarations of an element, and gives a function that drops them again; undefined where it has none. */
  declare(attributes: TagAttributes): (() => void) | undefined
}

interface FeedName {
  readonly name: string
  /** False for a prefix without a declaration. */
  readonly isDeclared: boolean
}

export function createFeedNames(): FeedNames {
  const prefixes = new Map([['xml', 'xml']])
  let known = new Map<string, FeedName>()

  const look = (written: string): FeedName => {
    const lower = written.toLowerCase()
    const colon = lower.indexOf(':')
    const prefix = colon === -1 ? '' : lower.slice(0, colon)
    const declared = prefixes.get(prefix)
    const own = declared ?? USUAL_PREFIXES.get(prefix) ?? prefix
    const local = lower.slice(colon + 1)
    return { name: own === FEED ? local : `${own}:${local}`, isDeclared: declared !== undefined || colon === -1 }
  }

  const nameOf = (written: string): FeedName => {
    const found = known.get(written)
    if (found !== undefined) return found
    const name = look(written)
    if (known.size < KNOWN_MAX) known.set(written, name)
    return name
  }

  const isDeclared = (attribute: string): boolean => {
    const colon = attribute.indexOf(':')
    return colon === -1 || attribute.startsWith('xmlns:') || prefixes.has(attribute.slice(0, colon))
  }

  return {
    nameOf,
    undeclaredIn({ name, attributes }) {
      if (!nameOf(name).isDeclared) return name
      return attributes.names.length === 0 ? undefined : attributes.names.find((key) => !isDeclared(key))
    },
    declare(attributes) {
      const before: [prefix: string, own: string | undefined][] = []
      for (const [i, key] of attributes.names.entries()) {
        if (key !== 'xmlns' && !key.startsWith('xmlns:')) continue
        const address = attributes.values[i] ?? ''
        const prefix = key.slice(6)
        const own = NAMESPACES.get(address.trim().toLowerCase().replace(/[/#]$/, '')) ?? USUAL_PREFIXES.get(prefix) ?? prefix
        if (prefixes.get(prefix) === own) continue
        before.push([prefix, prefixes.get(prefix)])
        prefixes.set(prefix, own)
      }
      if (before.length === 0) return undefined
      known = new Map()
      return () => {
        for (const [prefix, own] of before) {
          if (own === undefined) prefixes.delete(prefix)
          else prefixes.set(prefix, own)
        }
        known = new Map()
      }
    },
  }
}
