/** An `item` of RSS or an `entry` of Atom, with the members of Dublin Core, Media RSS and iTunes. */
import type { FeedItem } from '../feed.ts'
import { EXCERPT_CHARS_MAX } from './excerpt.ts'
import { webAddress } from './feed-address.ts'
import { readDate } from './feed-dates.ts'
import { AUTHORS_MAX, CATEGORIES_MAX, firstOf, ID_CHARS_MAX, NAME_CHARS_MAX, present, TITLE_CHARS_MAX } from './feed-members.ts'
import { textOf } from './feed-text.ts'
import type { FeedElement } from './feed-tree.ts'
import { foldSpace } from './html-text.ts'

const TITLES = ['title', 'dc:title', 'media:title', 'itunes:title']
const PUBLISHED = ['pubdate', 'published', 'issued', 'dc:date', 'dcterms:issued', 'dcterms:created', 'created', 'date', 'dc:issued', 'dc:created']
const UPDATED = ['updated', 'modified', 'dcterms:modified', 'dc:modified', 'lastbuilddate']
/** In the order of the feed, the first that has text is the excerpt; else the first of the contents. */
const SUMMARIES: ReadonlySet<string> = new Set([
  ...['summary', 'description', 'abstract', 'dc:description', 'dcterms:abstract', 'itunes:summary', 'media:description'],
])
const CONTENTS = ['content:encoded', 'content', 'body', 'xhtml:body', 'fullitem', 'xhtml:div', 'itunes:subtitle']
const CATEGORIES = ['category', 'dc:subject', 'media:category', 'itunes:category', 'media:keywords', 'itunes:keywords']

export interface ItemContext {
  readonly isAtom: boolean
  readonly now: number
  /** Of the feed. */
  readonly address: string
  /** Of the feed, for entries of Atom without one. */
  readonly author: string | undefined
}

export function readItem(item: FeedElement, { isAtom, now, author, address }: ItemContext): FeedItem {
  const options = { isAtom, charsMax: TITLE_CHARS_MAX }
  const link = linkOf(item)
  const { excerpt, picture: shown } = readTexts(item, { isAtom, link, address })
  const source = childOf(item, 'source')
  const members = {
    id: idOf(item),
    title: firstOf(TITLES, (name) => textOf(childOf(item, name), options).text),
    link,
    excerpt,
    published: dateOf(item, PUBLISHED, now),
    updated: dateOf(item, UPDATED, now),
    picture: pictureOf(item) ?? shown,
    author: authorOf(item) ?? (source === undefined ? undefined : authorOf(source)) ?? author,
    language: textIn(item, 'dc:language') ?? item.language,
  }
  return { ...present(members), categories: categoriesOf(item) }
}

export function childOf(parent: FeedElement, name: string): FeedElement | undefined {
  return parent.children.find((child) => child.name === name)
}

/** Of a group of Media RSS, too. */
function childrenOf(parent: FeedElement, name: string): readonly FeedElement[] {
  const groups = parent.children.filter((child) => child.name === 'media:group' || child.name === 'media:content')
  return [parent, ...groups].flatMap((one) => one.children.filter((child) => child.name === name))
}

/** Text that is no markup: identifiers, names, dates. */
export function textIn(parent: FeedElement, name: string): string | undefined {
  const text = childOf(parent, name)?.text
  return text === undefined ? undefined : foldSpace(text.slice(0, ID_CHARS_MAX + 1)) || undefined
}

function idOf(item: FeedElement): string | undefined {
  const written = textIn(item, 'id') ?? textIn(item, 'guid') ?? attributeOf(item, 'rdf:about')
  return written === undefined || written.length > ID_CHARS_MAX ? undefined : written
}

export function attributeOf(element: FeedElement | undefined, name: string): string | undefined {
  return element?.attributes.get(name)?.trim() || undefined
}

/** In their order: the address before FeedBurner's, `link`, a `guid` that is an address, and what else leads somewhere. */
function linkOf(item: FeedElement): string | undefined {
  const original = childOf(item, 'feedburner:origlink')
  const guid = childOf(item, 'guid')
  const isPermanent = guid !== undefined && attributeOf(guid, 'ispermalink')?.toLowerCase() !== 'false'
  return (
    webAddress(original?.text, item.base) ??
    linkIn(item) ??
    (isPermanent && /^\s*https?:/i.test(guid.text) ? webAddress(guid.text, guid.base) : undefined) ??
    webAddress(attributeOf(item, 'rdf:about'), item.base) ??
    webAddress(attributeOf(item, 'href'), item.base) ??
    webAddress(attributeOf(childOf(item, 'enclosure'), 'url'), item.base)
  )
}

/** The `link` of RSS, or that of Atom to the page: without a relation or an alternate one, HTML before other types. */
export function linkIn(parent: FeedElement): string | undefined {
  const links = parent.children.filter(({ name }) => name === 'link')
  const alternates = links.filter((link) => ['', 'alternate'].includes(relationOf(link)) && link.attributes.has('href'))
  const page = alternates.find((link) => /^(?:$|text\/html|application\/xhtml)/i.test(attributeOf(link, 'type') ?? '')) ?? alternates[0]
  return webAddress(attributeOf(page, 'href'), page?.base ?? parent.base) ?? firstOf(links, (link) => (link.attributes.has('href') ? undefined : webAddress(link.text, link.base)))
}

export function relationOf(link: FeedElement): string {
  return (attributeOf(link, 'rel') ?? '').toLowerCase().replace('http://www.iana.org/assignments/relation/', '')
}

function dateOf(item: FeedElement, names: readonly string[], now: number): string | undefined {
  return firstOf(names, (name) => readDate(childOf(item, name)?.text, now))
}

interface Texts {
  readonly excerpt: string | undefined
  readonly picture: string | undefined
}

interface TextsContext extends Pick<ItemContext, 'isAtom' | 'address'> {
  readonly link: string | undefined
}

/** The excerpt, and the first picture of any text. Without `xml:base`, texts are written for the page of the item. */
function readTexts(item: FeedElement, { isAtom, address, link }: TextsContext): Texts {
  let [excerpt, picture] = ['', undefined as string | undefined]
  const summaries = item.children.filter(({ name }) => SUMMARIES.has(name))
  const others = ['media:description', ...CONTENTS].flatMap((name) => childrenOf(item, name))
  for (const element of [...summaries, ...others]) {
    if (excerpt !== '' && picture !== undefined) break
    const { text, pictures } = textOf(element, { isAtom, charsMax: EXCERPT_CHARS_MAX, wantsPictures: true })
    if (excerpt === '') excerpt = text
    const base = element.base === address ? (link ?? address) : element.base
    picture ??= firstOf(pictures, (written) => webAddress(written, base))
  }
  return { excerpt: excerpt || undefined, picture }
}

/** From the elements that exist for it, the largest first. */
function pictureOf(item: FeedElement): string | undefined {
  const contents = childrenOf(item, 'media:content').filter(isPicture)
  const largest = contents.toSorted((a, b) => widthOf(b) - widthOf(a))
  const enclosures = item.children.filter((child) => child.name === 'enclosure' || (child.name === 'link' && relationOf(child) === 'enclosure'))
  const found = [
    ...largest,
    ...childrenOf(item, 'media:thumbnail').toSorted((a, b) => widthOf(b) - widthOf(a)),
    ...enclosures.filter(isPicture),
    ...childrenOf(item, 'itunes:image'),
    ...childrenOf(item, 'itunes:link').filter((link) => relationOf(link) === 'image'),
    ...childrenOf(item, 'image'),
  ]
  return firstOf(found, (element) => {
    const written = attributeOf(element, 'url') ?? attributeOf(element, 'href') ?? textIn(element, 'url') ?? element.text
    return webAddress(written, element.base)
  })
}

function isPicture(element: FeedElement): boolean {
  const [type, medium] = [attributeOf(element, 'type') ?? '', attributeOf(element, 'medium') ?? '']
  if (medium !== '' || type !== '') return medium === 'image' || /^image\//i.test(type)
  return /\.(?:jpe?g|png|gif|webp|avif|svg)(?:$|[?#])/i.test((attributeOf(element, 'url') ?? attributeOf(element, 'href') ?? '').slice(-300))
}

function widthOf(element: FeedElement): number {
  return Number(attributeOf(element, 'width')) || 0
}

/** Names, not addresses: `mail@example.org (Ann)` is Ann. */
export function authorOf(parent: FeedElement): string | undefined {
  const elements = ['author', 'dc:creator', 'dc:author', 'itunes:author', 'media:credit'].map((name) => parent.children.filter((child) => child.name === name))
  const written = elements.find((some) => some.length > 0) ?? []
  const names = written.slice(0, AUTHORS_MAX).map((author) => textIn(author, 'name') ?? textIn(author, 'email') ?? nameIn(author.text))
  return names.filter((name) => name !== '').join(', ').slice(0, NAME_CHARS_MAX) || undefined
}

function nameIn(text: string): string {
  const written = foldSpace(text.slice(0, NAME_CHARS_MAX))
  const [, bracketed] = /^\S{1,100}@\S{1,100} \((.{1,100})\)$/.exec(written) ?? []
  const [, first] = /^([^()]{1,100}) \(\S{1,100}@\S{1,100}\)$/.exec(written) ?? []
  const [, before] = /^([^<>]{1,100}) <[^<>\s]{1,100}>$/.exec(written) ?? []
  return (bracketed ?? first ?? before ?? written).trim()
}

function categoriesOf(item: FeedElement): readonly string[] {
  const found = new Set<string>()
  for (const name of CATEGORIES) {
    // A category of iTunes may hold another one.
    for (const element of childrenOf(item, name).flatMap((one) => [one, ...one.children.filter((child) => child.name === name)])) {
      const written = attributeOf(element, 'label') ?? attributeOf(element, 'term') ?? attributeOf(element, 'text') ?? element.text
      const parts = name.endsWith('keywords') ? written.split(',') : [written]
      for (const part of parts) {
        const category = foldSpace(part.slice(0, NAME_CHARS_MAX))
        if (category !== '' && found.size < CATEGORIES_MAX) found.add(category)
      }
    }
  }
  return [...found]
}
