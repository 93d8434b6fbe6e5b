/** An `item` of RSS or an `entry` of Atom, with the members of Dublin Core, Media RSS and iTunes. */
import type { FeedItem } from '../feed.ts'
import { EXCERPT_CHARS_MAX } from './excerpt.ts'
import { webAddress } from './feed-address.ts'
import { readDate } from './feed-dates.ts'
import { AUTHORS_MAX, CATEGORIES_MAX, firstOf, ID_CHARS_MAX, languageOf, NAME_CHARS_MAX, present, TITLE_CHARS_MAX } from './feed-members.ts'
import { textOf } from './feed-text.ts'
import type { FeedElement } from './feed-tree.ts'
import { foldSpace } from './html-text.ts'

const TITLES = ['title', 'dc:title', 'media:title', 'itunes:title']
const PUBLISHED = ['pubdate', 'published', 'issued', 'dc:date', 'dcterms:issued', 'dcterms:created', 'created', 'date', 'dc:issued', 'dc:created']
const UPDATED = ['updated', 'modified', 'dcterms:modified', 'dc:modified', 'lastbuilddate']
/** The first that has text is the excerpt. */
const SUMMARIES = ['summary', 'description', 'abstract', 'dc:description', 'dcterms:abstract', 'itunes:summary', 'media:description']
const CONTENTS = ['content:encoded', 'content', 'body', 'xhtml:body', 'fullitem', 'xhtml:div', 'itunes:subtitle']
const AUTHORS = ['author', 'dc:creator', 'dc:author', 'itunes:author']
const CATEGORIES = ['category', 'dc:subject', 'media:category', 'itunes:category', 'media:keywords', 'itunes:keywords']

export interface ItemContext {
  readonly isAtom: boolean
  readonly now: number
  /** Of the feed. */
  readonly address: string
  /** Of the feed, for entries of Atom without one. */
  readonly author: string | undefined
}

export function readItem(item: FeedElement, context: ItemContext): FeedItem {
  const { isAtom, now } = context
  const parts = partsOf(item)
  const link = linkOf(item, parts)
  const own = pictureOf(parts)
  const { excerpt, picture } = readTexts(parts, { ...context, link, wantsPicture: own === undefined })
  const [source] = parts.get('source') ?? []
  const members = {
    id: idOf(item, parts),
    title: firstOf(TITLES, (name) => textOf(parts.get(name)?.[0], { isAtom, charsMax: TITLE_CHARS_MAX }).text),
    link,
    excerpt,
    published: dateOf(parts, PUBLISHED, now),
    updated: dateOf(parts, UPDATED, now),
    picture: own ?? picture,
    author: authorOf(parts) ?? (source === undefined ? undefined : authorOf(partsOf(source))) ?? context.author,
    language: languageOf(textIn(parts, 'dc:language')) ?? item.language,
  }
  return { ...present(members), categories: categoriesOf(parts) }
}

/** Children by their names, in their order. */
export type Parts = ReadonlyMap<string, readonly FeedElement[]>

/** With what stands in groups of Media RSS, and in categories of iTunes, behind what stands in the element itself. */
export function partsOf(parent: FeedElement): Parts {
  const parts = new Map<string, FeedElement[]>()
  const add = (element: FeedElement): void => {
    const known = parts.get(element.name)
    if (known === undefined) parts.set(element.name, [element])
    else known.push(element)
  }
  for (const child of parent.children) add(child)
  for (const name of GROUPS) for (const group of parts.get(name) ?? []) group.children.forEach(add)
  return parts
}

/** A group comes before the contents that stand in it. */
const GROUPS = ['media:group', 'media:content', 'itunes:category']

/** Text that is no markup: identifiers, names, dates. */
export function textIn(parts: Parts, name: string): string | undefined {
  const text = parts.get(name)?.[0]?.text
  return text === undefined ? undefined : foldSpace(text.slice(0, ID_CHARS_MAX + 1)) || undefined
}

export function attributeOf(element: FeedElement | undefined, name: string): string | undefined {
  return element?.attributes.get(name)?.trim() || undefined
}

function idOf(item: FeedElement, parts: Parts): string | undefined {
  const written = textIn(parts, 'id') ?? textIn(parts, 'guid') ?? foldSpace(item.attributes.get('rdf:about') ?? '')
  return written === undefined || written.length > ID_CHARS_MAX ? undefined : written
}

/** In their order: the address before FeedBurner's, `link`, a `guid` that is an address, and what else leads somewhere. */
function linkOf(item: FeedElement, parts: Parts): string | undefined {
  const [guid] = parts.get('guid') ?? []
  const isPermanent = guid !== undefined && attributeOf(guid, 'ispermalink')?.toLowerCase() !== 'false'
  return (
    webAddress(parts.get('feedburner:origlink')?.[0]?.text, item.base) ??
    linkIn(parts) ??
    (isPermanent && /^\s*https?:/i.test(guid.text) ? webAddress(guid.text, guid.base) : undefined) ??
    webAddress(attributeOf(item, 'rdf:about'), item.base) ??
    webAddress(attributeOf(item, 'href'), item.base) ??
    webAddress(attributeOf(parts.get('enclosure')?.[0], 'url'), item.base)
  )
}

/** The `link` of RSS, or that of Atom to the page: without a relation or an alternate one, HTML before other types. */
export function linkIn(parts: Parts): string | undefined {
  const links = parts.get('link') ?? []
  const alternates = links.filter((link) => link.attributes.has('href') && ['', 'alternate'].includes(relationOf(link)))
  const page = alternates.find((link) => /^(?:$|text\/html|application\/xhtml)/i.test(attributeOf(link, 'type') ?? '')) ?? alternates[0]
  const written = firstOf(links, (link) => (link.attributes.has('href') ? undefined : webAddress(link.text, link.base)))
  return (page === undefined ? undefined : webAddress(attributeOf(page, 'href'), page.base)) ?? written
}

export function relationOf(link: FeedElement): string {
  return (attributeOf(link, 'rel') ?? '').toLowerCase().replace('http://www.iana.org/assignments/relation/', '')
}

function dateOf(parts: Parts, names: readonly string[], now: number): string | undefined {
  return firstOf(names, (name) => readDate(parts.get(name)?.[0]?.text, now))
}

interface Texts {
  readonly excerpt: string | undefined
  readonly picture: string | undefined
}

interface TextsContext extends Pick<ItemContext, 'isAtom' | 'address'> {
  readonly link: string | undefined
  readonly wantsPicture: boolean
}

/** The excerpt, and the first picture of any text. Without `xml:base`, texts are written for the page of the item. */
function readTexts(parts: Parts, { isAtom, address, link, wantsPicture }: TextsContext): Texts {
  let [excerpt, picture] = ['', undefined as string | undefined]
  for (const element of textsIn(parts)) {
    const wantsPictures = wantsPicture && picture === undefined
    if (excerpt !== '' && !wantsPictures) break
    const { text, pictures } = textOf(element, { isAtom, charsMax: excerpt === '' ? EXCERPT_CHARS_MAX : 0, wantsPictures })
    if (excerpt === '') excerpt = text
    const base = element.base === address ? (link ?? address) : element.base
    picture ??= firstOf(pictures, (written) => webAddress(written, base))
  }
  return { excerpt: excerpt || undefined, picture }
}

function textsIn(parts: Parts): readonly FeedElement[] {
  const contents = CONTENTS.flatMap((name) => parts.get(name) ?? [])
  const summaries = SUMMARIES.flatMap((name) => parts.get(name) ?? [])
  return [...summaries, ...contents]
}

/** From the elements that exist for it, the largest first. */
function pictureOf(parts: Parts): string | undefined {
  const byWidth = (name: string): readonly FeedElement[] => (parts.get(name) ?? []).toSorted((a, b) => widthOf(b) - widthOf(a))
  const found = [
    ...byWidth('media:content').filter(isPicture),
    ...byWidth('media:thumbnail'),
    ...byWidth('media:content').filter(mayBePicture),
    ...(parts.get('enclosure') ?? []).filter(isPicture),
    ...(parts.get('link') ?? []).filter((link) => relationOf(link) === 'enclosure' && isPicture(link)),
    ...(parts.get('itunes:image') ?? []),
    ...(parts.get('itunes:link') ?? []).filter((link) => relationOf(link) === 'image'),
    ...(parts.get('image') ?? []),
  ]
  return firstOf(found, (element) => {
    const inside = element.children.find(({ name }) => name === 'url')
    return webAddress(attributeOf(element, 'url') ?? attributeOf(element, 'href') ?? inside?.text ?? element.text, element.base)
  })
}

function isPicture(element: FeedElement): boolean {
  const [type, medium] = [attributeOf(element, 'type') ?? '', attributeOf(element, 'medium') ?? '']
  if (medium !== '' || type !== '') return /^image$/i.test(medium) || /^image\b/i.test(type)
  return PICTURE_FILE.test((attributeOf(element, 'url') ?? attributeOf(element, 'href') ?? '').slice(-300))
}

/** Media without a type are pictures, unless their name says otherwise. */
function mayBePicture(element: FeedElement): boolean {
  const isTyped = attributeOf(element, 'type') !== undefined || attributeOf(element, 'medium') !== undefined
  return !isTyped && !OTHER_FILE.test((attributeOf(element, 'url') ?? '').slice(-300))
}

const PICTURE_FILE = /\.(?:jpe?g|png|gif|webp|avif|svg)(?:$|[?#])/i
const OTHER_FILE = /\.(?:mp\d|m4\w|mov|mpe?g|webm|og\w|wav|avi|flv|swf|aac|flac|pdf|html?)(?:$|[?#])/i

function widthOf(element: FeedElement): number {
  return Number(attributeOf(element, 'width')) || 0
}

/** Names, not addresses: `mail@example.org (Ann)` is Ann. */
export function authorOf(parts: Parts): string | undefined {
  const written = AUTHORS.map((name) => parts.get(name)).find((some) => some !== undefined) ?? []
  const names = written.slice(0, AUTHORS_MAX).map((author) => {
    const inside = ['name', 'email'].map((name) => author.children.find((child) => child.name === name))
    return nameIn((inside[0] ?? inside[1] ?? author).text)
  })
  return names.filter((name) => name !== '').join(', ').slice(0, NAME_CHARS_MAX) || undefined
}

function nameIn(text: string): string {
  const written = foldSpace(text.slice(0, NAME_CHARS_MAX))
  const [, bracketed] = /^\S{1,100}@\S{1,100} \((.{1,100})\)$/.exec(written) ?? []
  const [, first] = /^([^()]{1,100}) \(\S{1,100}@\S{1,100}\)$/.exec(written) ?? []
  const [, before] = /^([^<>]{1,100}) <[^<>\s]{1,100}>$/.exec(written) ?? []
  return (bracketed ?? first ?? before ?? written).trim()
}

function categoriesOf(parts: Parts): readonly string[] {
  const found = new Set<string>()
  for (const name of CATEGORIES) {
    for (const element of parts.get(name) ?? []) {
      const written = attributeOf(element, 'label') ?? attributeOf(element, 'term') ?? attributeOf(element, 'text') ?? element.text
      for (const part of name.endsWith('keywords') ? written.split(',') : [written]) {
        const category = foldSpace(part.slice(0, NAME_CHARS_MAX))
        if (category !== '' && found.size < CATEGORIES_MAX) found.add(category)
      }
    }
  }
  return [...found]
}
