/**
 * What readers get of a publication, in the form that all formats are written from. A story has the members that its readers may
 * see and no others, so no format can show more.
 */
import { createHash } from 'node:crypto'

export interface Story {
  readonly id: string
  readonly title: string
  /** Undefined where it leads nowhere that a browser may open. */
  readonly url: string | undefined
  readonly publishedAt: string
  readonly updatedAt: string
  readonly excerpt?: string
  readonly imageUrl?: string
  /**
   * What the picture shows, where that is known: for the page. Media RSS has `media:description` for it, which feedparser takes for
   * the text of the story.
   */
  readonly imageAlt?: string
  readonly source?: { readonly id: string; readonly name: string; readonly url: string | undefined }
  readonly topic?: { readonly id: string; readonly name: string }
  readonly eventCountry?: { readonly isoCode: string; readonly name: string }
}

/** What a reader chose of a publication: a topic and a source by their ids, and words. */
export interface Choice {
  readonly topic?: string | undefined
  readonly source?: string | undefined
  readonly search?: string | undefined
}

export interface Paper {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly language: string
  readonly contact: string
  readonly rights: string
  readonly stories: readonly Story[]
  readonly choice: Choice
  /** The cursor of this page; undefined for the first one. */
  readonly cursor: string | undefined
  /** That of the next page; undefined where this is the last one. */
  readonly next: string | undefined
  /** When anything of it changed last, in ISO 8601. */
  readonly updatedAt: string
  /** The address of its page, which ends in a slash; empty where the service does not know it: links are relative then. */
  readonly base: string
  /** The times by which its stories are sorted; undefined where they are in another order. */
  readonly sortedBy: 'publishedAt' | 'updatedAt' | undefined
  /** The WebSub hub that is told of changes. */
  readonly hub: string | undefined
}

/** The files of a publication beside its page, with their media types. */
export const FEEDS = {
  atom: { file: 'feed.atom', type: 'application/atom+xml' },
  rss: { file: 'feed.rss', type: 'application/rss+xml' },
  json: { file: 'feed.json', type: 'application/feed+json' },
} as const

/** The query of a page of a choice: `?topic=…`, or empty. */
export function queryOf({ topic, source, search }: Choice, cursor?: string): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ topic, source, search, cursor })) if (value !== undefined) query.set(name, value)
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

/** The title with what the reader chose: `Harbour News: Ferries`. */
export function titleOf({ title, choice, stories: [first] }: Paper): string {
  const chosen = [
    choice.topic === undefined ? undefined : first?.topic?.name,
    choice.source === undefined ? undefined : first?.source?.name,
    choice.search,
  ].filter((part) => part !== undefined)
  return chosen.length === 0 ? title : `${title}: ${chosen.join(', ')}`
}

/**
 * `media/HASH.webp` of a picture that the service keeps, whatever the site was called when it was sent; undefined for any other. One
 * over TLS is left where it is: another site may have it.
 */
export function ownPicture(imageUrl: string): string | undefined {
  return imageUrl.startsWith('https:') ? undefined : KEPT_PICTURE.exec(imageUrl)?.[1]
}

/** The hash in such an address, whatever its site: pictures of the same hash show the same. */
export function pictureHash(imageUrl: string): string | undefined {
  return KEPT_PICTURE.exec(imageUrl)?.[2]
}

const KEPT_PICTURE = /\/(media\/([0-9a-f]{64})\.[a-z]{3,4})$/

/** An address of the web; undefined for any other, such as `javascript:`. */
export function webLink(text: string): string | undefined {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === '' ? text : undefined
}

/**
 * A permanent identifier of a feed or an item: a UUID of the id (RFC 9562 section 5.8), in the namespace that is registered
 * for it (RFC 9562 section 4). It stays the same where the address of the site changes.
 */
export function permanentId(id: string): string {
  const hex = createHash('sha256').update(`dateline ${id}`).digest('hex')
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16)
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The topic and the country of a story, as feeds have them. */
export function categoriesOf({ topic, eventCountry }: Story): readonly string[] {
  return [...new Set([topic?.name, eventCountry?.name].filter((name) => name !== undefined))]
}

export interface PaperContact {
  readonly email?: string
  readonly link?: string
  /** Either as a URL, which opens a mail or a page. */
  readonly address?: string
}

/** An e-mail address, a link, or a text that is neither. */
export function contactOf(given: string): PaperContact {
  const contact = given.replace(/^mailto:/i, '')
  if (/^[^\s@<>"]+@[^\s@<>"]+$/.test(contact)) return { email: contact, address: mailtoOf(contact) }
  const link = webLink(contact)
  return link === undefined ? {} : { link, address: link }
}

/** An address alone: what has a meaning in such a URL, as the `?` of a subject, is escaped (RFC 6068 section 2). */
function mailtoOf(email: string): string {
  return `mailto:${email.toWellFormed().replaceAll(/[^\w.@+-]/gu, encodeURIComponent)}`
}
