/** JSON Feed 1.0 and 1.1 (jsonfeed.org). */
import { fail } from '../../base/failure.ts'
import { isNumber, isObject, JsonError, parseJson, type Json, type JsonObject } from '../../base/json.ts'
import type { ReadNote } from '../../base/feed-note.ts'
import type { Feed, FeedItem } from '../feed.ts'
import { cutText, EXCERPT_CHARS_MAX } from './excerpt.ts'
import { webAddress } from './feed-address.ts'
import { readDate } from './feed-dates.ts'
import { AUTHORS_MAX, CATEGORIES_MAX, FEED_ITEMS_MAX, FEED_TITLE_CHARS_MAX, firstOf, ID_CHARS_MAX, languageOf } from './feed-members.ts'
import { NAME_CHARS_MAX, present, TITLE_CHARS_MAX } from './feed-members.ts'
import { foldSpace, readHtml, readPlain } from './html-text.ts'

const TOKENS_MAX = 2_000_000

export interface JsonFeedOptions {
  readonly address: string
  readonly now: number
  /** Of the encoding. */
  readonly problems: readonly ReadNote[]
}

/** Throws Failure `invalidInput` for a text that is not JSON, or is no JSON Feed. */
export function readJsonFeed(source: string, { address, now, problems }: JsonFeedOptions): Feed {
  const feed = parsed(source)
  if (!isObject(feed) || !(Array.isArray(feed['items']) || /jsonfeed\.org/.test(stringIn(feed, 'version') ?? ''))) {
    throw fail('invalidInput', 'Cannot read the feed: expected RSS, Atom or JSON Feed, found other JSON')
  }
  const items = (Array.isArray(feed['items']) ? (feed['items'] as readonly Json[]) : []).filter(isObject)
  const addressIn = (...names: string[]): string | undefined => firstOf(names, (name) => webAddress(stringIn(feed, name), address))
  const members = {
    title: plainText(stringIn(feed, 'title'), FEED_TITLE_CHARS_MAX),
    description: plainText(stringIn(feed, 'description'), EXCERPT_CHARS_MAX),
    language: languageOf(stringIn(feed, 'language')),
    link: addressIn('home_page_url'),
    self: addressIn('feed_url'),
    picture: addressIn('icon', 'favicon'),
    hub: firstOf(objectsIn(feed, 'hubs'), (hub) => webAddress(stringIn(hub, 'url'), address)),
  }
  const shared = { address, now, author: authorOf(feed) }
  return {
    format: 'json',
    ...present(members),
    items: items.slice(0, FEED_ITEMS_MAX).map((item) => readItem(item, shared)),
    leftOut: Math.max(0, items.length - FEED_ITEMS_MAX),
    problems,
  }
}

function parsed(source: string): Json {
  try {
    return parseJson(source, { tokensMax: TOKENS_MAX })
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw fail('invalidInput', `Cannot read the feed as JSON: ${error.message}`)
  }
}

interface Shared {
  readonly address: string
  readonly now: number
  readonly author: string | undefined
}

function readItem(item: JsonObject, { address, now, author }: Shared): FeedItem {
  const html = readHtml(stringIn(item, 'content_html') ?? '', EXCERPT_CHARS_MAX, true)
  const pictures = objectsIn(item, 'attachments').filter((one) => /^image\//i.test(stringIn(one, 'mime_type') ?? ''))
  const addresses = [stringIn(item, 'image'), stringIn(item, 'banner_image'), ...pictures.map((one) => stringIn(one, 'url'))]
  const excerpts = [plainText(stringIn(item, 'summary')), plainText(stringIn(item, 'content_text')), cutText(html.text)]
  const id = isNumber(item['id']) ? String(item['id']) : foldSpace(stringIn(item, 'id') ?? '')
  const webId = /^https?:/i.test(id) ? id : undefined
  const link = firstOf([stringIn(item, 'url'), stringIn(item, 'external_url'), webId], (written) => webAddress(written, address))
  const members = {
    id: id.length > ID_CHARS_MAX ? undefined : id,
    title: plainText(stringIn(item, 'title'), TITLE_CHARS_MAX),
    link,
    excerpt: firstOf(excerpts, (text) => text),
    published: readDate(stringIn(item, 'date_published'), now),
    updated: readDate(stringIn(item, 'date_modified'), now),
    // HTML is written for the page of the item.
    picture: firstOf(addresses, (written) => webAddress(written, address)) ?? firstOf(html.pictures, (written) => webAddress(written, link ?? address)),
    author: authorOf(item) ?? author,
    language: languageOf(stringIn(item, 'language')),
  }
  const tags = Array.isArray(item['tags']) ? (item['tags'] as readonly Json[]) : []
  const categories = tags.filter((tag) => typeof tag === 'string').map((tag) => foldSpace(tag.slice(0, NAME_CHARS_MAX)))
  return { ...present(members), categories: [...new Set(categories)].filter((tag) => tag !== '').slice(0, CATEGORIES_MAX) }
}

/** Texts of JSON Feed are plain; feeds put HTML into them all the same. */
export function plainText(text: string | undefined, charsMax = EXCERPT_CHARS_MAX): string | undefined {
  return text === undefined ? undefined : cutText(readPlain(text, charsMax), charsMax)
}

/** `authors` of 1.1, and `author` of 1.0. */
function authorOf(parent: JsonObject): string | undefined {
  const authors = [...objectsIn(parent, 'authors'), ...[parent['author'] ?? null].filter(isObject)].slice(0, AUTHORS_MAX)
  const names = authors.map((author) => foldSpace((stringIn(author, 'name') ?? '').slice(0, NAME_CHARS_MAX)))
  return [...new Set(names)].filter((name) => name !== '').join(', ').slice(0, NAME_CHARS_MAX) || undefined
}

function stringIn(parent: JsonObject, name: string): string | undefined {
  const value = parent[name]
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function objectsIn(parent: JsonObject, name: string): readonly JsonObject[] {
  const value = parent[name]
  return Array.isArray(value) ? (value as readonly Json[]).filter(isObject) : []
}
