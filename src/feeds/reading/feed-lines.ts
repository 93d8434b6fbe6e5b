/**
 * Items as JSON lines, one object a line with the members of a headline, as `dateline feed read --json` writes them. A line
 * that cannot be read is told with its number, and holds up no other.
 */
import { describe } from '../../base/failure.ts'
import { isNumber, isObject, JsonError, parseJson, type Json, type JsonObject } from '../../base/json.ts'
import { createRowSplitter, type SplitRow } from '../../base/row-splitter.ts'
import type { ReadNote } from '../../base/feed-note.ts'
import type { FeedItem } from '../feed.ts'
import { webAddress } from './feed-address.ts'
import { readDate } from './feed-dates.ts'
import { CATEGORIES_MAX, ID_CHARS_MAX, languageOf, NAME_CHARS_MAX, present, TITLE_CHARS_MAX } from './feed-members.ts'
import { quoted, readNote } from './feed-problems.ts'
import { foldSpace } from './html-text.ts'
import { plainText } from './json-feed.ts'

const LINES_MAX = 10_000
const LINE_BYTES_MAX = 64 * 1024
const TOKENS_MAX = 1_000
/** Names of members that a note quotes. */
const NAMES_MAX = 10

const TEXTS = ['title', 'excerpt', 'url', 'imageUrl', 'publishedAt', 'updatedAt', 'author', 'language'] as const
const MEMBERS: ReadonlySet<string> = new Set([...TEXTS, 'id', 'categories'])

export interface FeedLines {
  readonly items: readonly { readonly place: number; readonly item: FeedItem }[]
  readonly rejected: readonly { readonly place: number; readonly message: string }[]
  /** Lines beyond 10,000. */
  readonly leftOut: number
  readonly problems: readonly ReadNote[]
}

/** Whether a file begins with a line that is one whole object, and no JSON Feed. */
export function isLines(bytes: Uint8Array): boolean {
  for (const row of rowsOf(bytes)) {
    if (row.bytes.length === 0 && !row.isTooLong) continue
    try {
      const value = parseLine(row)
      return isObject(value) && !Array.isArray(value['items']) && value['version'] === undefined
    } catch (error) {
      if (error instanceof LineError) return false
      throw error
    }
  }
  return false
}

/** Dates later than `now` are rejected. */
export function readLines(bytes: Uint8Array, now: number): FeedLines {
  const items: FeedLines['items'][number][] = []
  const rejected: FeedLines['rejected'][number][] = []
  const unread = new Set<string>()
  let leftOut = 0
  for (const row of rowsOf(bytes)) {
    if (row.bytes.length === 0 && !row.isTooLong) continue
    if (items.length + rejected.length === LINES_MAX) {
      leftOut++
      continue
    }
    try {
      items.push({ place: row.line, item: itemOf(parseLine(row), { now, unread }) })
    } catch (error) {
      if (!(error instanceof LineError)) throw error
      rejected.push({ place: row.line, message: error.message })
    }
  }
  const name = [...unread].map(quoted).join(', ')
  const note = readNote('unread', `Members of lines that are not read: ${name}. The feed gives source, topic and country.`, { name })
  return { items, rejected, leftOut, problems: unread.size === 0 ? [] : [note] }
}

/** A line that cannot be read: what was expected and found. */
class LineError extends Error {
  override readonly name = 'LineError'
}

function* rowsOf(bytes: Uint8Array): Generator<SplitRow, void> {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  const splitter = createRowSplitter({ hasQuotes: false, rowBytesMax: LINE_BYTES_MAX, offset: 0, line: 1 })
  yield* splitter.push(hasMark ? bytes.subarray(3) : bytes)
  yield* splitter.end()
}

function parseLine({ bytes, isTooLong }: SplitRow): Json {
  if (isTooLong) throw new LineError(`expected at most ${LINE_BYTES_MAX} bytes in a line, found more`)
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes), { tokensMax: TOKENS_MAX })
  } catch (error) {
    if (error instanceof JsonError) throw new LineError(`cannot read it as JSON: ${error.message}`)
    throw new LineError('expected JSON in UTF-8, found other bytes')
  }
}

function itemOf(line: Json, { now, unread }: { readonly now: number; readonly unread: Set<string> }): FeedItem {
  if (!isObject(line)) throw new LineError(`expected an object, found ${describe(line)}`)
  for (const name of Object.keys(line)) if (!MEMBERS.has(name) && unread.size < NAMES_MAX) unread.add(name)
  const [title, excerpt, url, imageUrl, publishedAt, updatedAt, author, language] = TEXTS.map((name) => textIn(line, name))
  const id = isNumber(line['id']) ? String(line['id']) : textIn(line, 'id')
  const members = {
    id: within('id', id, ID_CHARS_MAX),
    title: plainText(title, TITLE_CHARS_MAX),
    link: read('url', url, 'a link of http or https', (text) => webAddress(text, NO_BASE)),
    excerpt: plainText(excerpt),
    published: read('publishedAt', publishedAt, 'a date that is not in the future', (text) => readDate(text, now)),
    updated: read('updatedAt', updatedAt, 'a date that is not in the future', (text) => readDate(text, now)),
    picture: read('imageUrl', imageUrl, 'a link of http or https', (text) => webAddress(text, NO_BASE)),
    author: author === undefined ? undefined : foldSpace(author.slice(0, NAME_CHARS_MAX)),
    language: read('language', language, 'a language such as "en"', languageOf),
  }
  return { ...present(members), categories: categoriesIn(line) }
}

/** Nothing can be relative to it. */
const NO_BASE = 'about:blank'

/** A text that says something; undefined for null and for a member that is not there. */
function textIn(line: JsonObject, name: string): string | undefined {
  const value = line[name] ?? null
  if (value === null) return undefined
  if (typeof value !== 'string') throw new LineError(`${name}: expected a text, found ${describe(value)}`)
  return value.trim() === '' ? undefined : value
}

function read<T>(name: string, text: string | undefined, wanted: string, parse: (text: string) => T | undefined): T | undefined {
  const value = text === undefined ? undefined : parse(text)
  if (text !== undefined && value === undefined) throw new LineError(`${name}: expected ${wanted}, found ${describe(text)}`)
  return value
}

function within(name: string, text: string | undefined, charsMax: number): string | undefined {
  if (text === undefined || text.length <= charsMax) return text
  throw new LineError(`${name}: expected at most ${charsMax} characters, found ${text.length}`)
}

function categoriesIn({ categories = null }: JsonObject): readonly string[] {
  if (categories === null) return []
  const isList = Array.isArray(categories) && categories.length <= CATEGORIES_MAX
  if (!isList || !categories.every((one) => typeof one === 'string')) {
    throw new LineError(`categories: expected at most ${CATEGORIES_MAX} texts, found ${describe(categories)}`)
  }
  const names = categories.map((one: string) => foldSpace(one.slice(0, NAME_CHARS_MAX)))
  return [...new Set(names)].filter((one) => one !== '')
}
