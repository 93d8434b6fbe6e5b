/**
 * A feed under the names that feedparser has for its parts. Texts are compared as text: what feedparser cleans of HTML,
 * we read without tags, so the expected HTML is read the same way. Names that a headline has no use for are not asked.
 */
import type { Feed, FeedItem } from '../../../src/feeds/feed.ts'
import { cutText } from '../../../src/feeds/reading/excerpt.ts'
import type { FeedElement, FeedTree } from '../../../src/feeds/reading/feed-tree.ts'
import { readDate } from '../../../src/feeds/reading/feed-dates.ts'
import { foldSpace, looksLikeHtml, readHtml } from '../../../src/feeds/reading/html-text.ts'
import { isTrue, NotAsked, type Observed, type PythonValue } from './python-expression.ts'

export interface ReadCase {
  readonly feed: Feed
  readonly tree: FeedTree
  readonly address: string
  readonly encoding: string
  readonly isAscii: boolean
  readonly now: number
}

type Members = Readonly<Record<string, () => PythonValue>>

/** Gives the value of each name that an expectation may begin with. */
export function feedView(read: ReadCase): (name: string) => PythonValue {
  const { feed, encoding } = read
  const names: Members = {
    bozo: () => feed.problems.length > 0,
    encoding: () => seen(encoding, (expected) => typeof expected === 'string' && isSameEncoding(expected, read)),
    version: () => seen(feed.format, (expected) => typeof expected === 'string' && expected.startsWith(feed.format)),
    feed: () => record(feedMembers(read)),
    entries: () => list(feed.items.map((item, i) => record(itemMembers(item, read.tree.items[i], read)))),
  }
  return (name) => {
    const value = names[name]
    if (value === undefined) throw new NotAsked(`it asks for ${name}`)
    return value()
  }
}

function feedMembers({ feed, tree, address }: ReadCase): Members {
  const channel = tree.root?.children.find(({ name }) => name === 'channel') ?? tree.root
  const title = (): PythonValue => text(feed.title, 200)
  const description = (): PythonValue => text(feed.description, 400)
  return {
    title,
    title_detail: () => detail(title, channel, ['title']),
    ...all(['description', 'subtitle', 'tagline'], description),
    ...all(['description_detail', 'subtitle_detail', 'tagline_detail'], () => detail(description, channel, ['description', 'tagline', 'subtitle', 'abstract'])),
    info_detail: () => detail(notAsked, channel, ['info']),
    ...all(['copyright_detail', 'rights_detail'], () => detail(notAsked, channel, ['copyright', 'rights'])),
    link: () => web(feed.link, address),
    links: () => links(feed.link ?? feed.self, address),
    ...all(['icon', 'logo'], () => web(feed.picture, address)),
    image: () => record(all(['href', 'url'], () => web(feed.picture, address))),
    language: () => exact(feed.language),
    ttl: () => exact(feed.updateMinutes === undefined ? undefined : String(feed.updateMinutes)),
  }
}

function itemMembers(item: FeedItem, element: FeedElement | undefined, { address, now }: ReadCase): Members {
  const title = (): PythonValue => text(item.title, 1_000)
  const excerpt = (): PythonValue => text(item.excerpt, 400)
  const contents = element?.children.filter(({ name }) => CONTENTS.includes(name)) ?? []
  return {
    title,
    title_detail: () => detail(title, element, ['title', 'dc:title']),
    ...all(['summary', 'description'], excerpt),
    ...all(['summary_detail', 'description_detail'], () => detail(excerpt, element, ['summary', 'description', 'abstract'])),
    // A second summary is a content for feedparser; a headline has one excerpt.
    content: () => (contents.length === 0 ? notAsked() : list(contents.map((one) => detail(excerpt, { children: [one] }, CONTENTS)))),
    link: () => web(item.link, address),
    links: () => links(item.link, address),
    ...all(['id', 'guid'], () => exact(item.id)),
    ...all(['published', 'issued'], () => date(item.published, now)),
    ...all(['published_parsed', 'issued_parsed'], () => instant(item.published)),
    ...all(['updated', 'modified'], () => date(item.updated ?? item.published, now)),
    ...all(['updated_parsed', 'modified_parsed'], () => instant(item.updated ?? item.published)),
    created: () => date(item.published, now),
    created_parsed: () => instant(item.published),
    author: () => person(item.author),
    author_detail: () => record({ name: () => person(item.author) }),
    authors: () => ({ ...list([]), member: (i) => record({ name: () => person(item.author?.split(', ')[Number(i)]) }) }),
    category: () => exact(item.categories[0]),
    tags: () => list(item.categories.map((term) => record({ term: () => exact(term), label: () => exact(term) }))),
    image: () => record(all(['href', 'url'], () => web(item.picture, address))),
    media_thumbnail: () => list([record({ url: () => web(item.picture, address) })]),
    enclosures: () => ({ ...list([]), member: (i) => record(all(['href', 'url'], () => (item.picture === undefined || i !== 0 ? notAsked() : web(item.picture, address)))) }),
    language: () => exact(item.language),
  }
}

const CONTENTS = ['content', 'content:encoded', 'body', 'xhtml:body', 'fullitem']

function all(names: readonly string[], value: () => PythonValue): Members {
  return Object.fromEntries(names.map((name) => [name, value]))
}

function notAsked(): never {
  throw new NotAsked('a headline has no such member')
}

/** Base and language of an element are those that relative addresses and texts of it have. */
function detail(value: () => PythonValue, parent: Pick<FeedElement, 'children'> | undefined, names: readonly string[]): PythonValue {
  const element = parent?.children.find(({ name }) => names.includes(name))
  return record({ value, base: () => exact(element?.base), language: () => exact(element?.language) })
}

function record(members: Members): Observed {
  return {
    isObserved: true,
    isTrue: true,
    equals: notAsked,
    member(key) {
      const value = members[key]
      return value === undefined ? notAsked() : value()
    },
  }
}

function list(values: readonly PythonValue[]): Observed {
  return {
    isObserved: true,
    isTrue: values.length > 0,
    equals: notAsked,
    member: (key) => (key === '#len' ? values.length : (values[Number(key)] ?? MISSING)),
  }
}

/** A member that is not there: it equals nothing but nothing. */
const MISSING: Observed = { isObserved: true, isTrue: false, equals: (expected) => !isTrue(expected), member: () => MISSING }

function seen(value: string | undefined, equals: (expected: PythonValue) => boolean): Observed {
  return {
    isObserved: true,
    isTrue: value !== undefined && value !== '',
    value,
    equals,
    member: (key) => (key === '#ord' ? (value?.codePointAt(0) ?? null) : key === '#len' ? (value?.length ?? 0) : notAsked()),
  }
}

function exact(value: string | undefined): Observed {
  return seen(value, (expected) => (value === undefined ? !isTrue(expected) : expected === value))
}

/** Without the e-mail address that feedparser puts behind a name. */
function person(value: string | undefined): Observed {
  return seen(value, (expected) => (typeof expected === 'string' ? expected.replace(/ \(\S+@\S+\)$/, '') === value : value === undefined))
}

/** Equal as text that readers see, as markup of the same text, or where there is neither. */
function text(value: string | undefined, charsMax: number): Observed {
  return seen(value, (expected) => {
    if (typeof expected !== 'string') return value === undefined && !isTrue(expected)
    const read = cutText(readHtml(expected, charsMax).text, charsMax)
    const asIs = cutText(foldSpace(expected), charsMax)
    return (value ?? '') === read || (!looksLikeHtml(expected) && (value ?? '') === asIs)
  })
}

/** Addresses are equal when they lead to the same place. */
function web(value: string | undefined, address: string): Observed {
  return seen(value, (expected) => {
    if (typeof expected !== 'string' || expected === '') return value === undefined && !isTrue(expected)
    return URL.parse(expected, address)?.href === value
  })
}

/** Of the links, a headline has the one to the page. */
function links(value: string | undefined, address: string): Observed {
  return {
    ...list([record({ href: () => web(value, address) })]),
    member: (key) => (key === 0 ? record({ href: () => web(value, address) }) : notAsked()),
  }
}

/** A date as it is written: that our reader finds the same instant in it shows that it took this one. */
function date(value: string | undefined, now: number): Observed {
  return seen(value, (expected) => (typeof expected === 'string' ? readDate(expected, now) === value : value === undefined && !isTrue(expected)))
}

/** The first six of the nine numbers of Python are year to second. */
export function instant(value: string | undefined): Observed {
  return seen(value, (expected) => {
    if (!Array.isArray(expected)) return value === undefined && !isTrue(expected)
    return JSON.stringify(expected.slice(0, 6)) === JSON.stringify(value?.match(/\d+/g)?.slice(0, 6).map(Number))
  })
}

/** Text in ASCII is the same in UTF-8. */
function isSameEncoding(expected: string, { encoding, isAscii }: ReadCase): boolean {
  return labelOf(expected) === labelOf(encoding) || (expected === 'us-ascii' && isAscii)
}

/** The standard reads gb18030 and gbk by one decoder. */
function labelOf(encoding: string): string {
  try {
    return new TextDecoder(encoding).encoding.replace('gb18030', 'gbk')
  } catch {
    return encoding.toLowerCase()
  }
}
