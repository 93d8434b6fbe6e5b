/** One story of several feeds: headlines with the same title on the same day in the same topic, for an editor who may merge them. */
import { isoDate } from '../../base/dates.ts'
import { DAY_MS } from '../../base/duration.ts'
import { describe, fail } from '../../base/failure.ts'
import { isObject, parseJson, type JsonObject } from '../../base/json.ts'
import { headline } from '../../models/headline.ts'
import { placesOf } from '../../models/incomplete.ts'
import type { SameStories } from '../../models/responses.ts'
import { parseFilter } from '../../query/parse.ts'
import { compareText } from '../../query/values.ts'
import type { QueryCaller } from '../../store/query/find-query.ts'
import type { ReadStore } from '../../store/read-store.ts'
import { titleOfFeed } from './feed-document.ts'

const SHOWN_MAX = 20
/** Headlines of one topic and day that are looked at, in each place. */
const LOOKED_AT_MAX = 2_000
const NEWEST_FIRST = [{ path: ['updatedAt'], descending: true }]

type StoryStore = Pick<ReadStore, 'documents' | 'feeds'>

/**
 * The headlines of other feeds that tell the story of a headline: those that were published first come first, then by their ids, and
 * drafts come last. None for a headline that no feed has brought, or without title or topic. Throws notFound. Rejects as a list does
 * where many queries wait.
 */
export async function sameStories(store: StoryStore, id: string, caller: QueryCaller): Promise<SameStories> {
  const places = placesOf(headline, true)
  const text = places.map((place) => store.documents.get(place, id)).find((one) => one !== undefined)
  if (text === undefined) throw fail('notFound', `No headline has the id ${describe(id)}`)
  const { title, topic, createdAt } = parseJson(text) as JsonObject
  const own = originOf(store, id)
  const key = typeof title === 'string' ? storyKey(title) : ''
  if (own === undefined || key === '' || !isObject(topic)) return { items: [] }
  const day = Math.floor(Date.parse(String(createdAt)) / DAY_MS) * DAY_MS
  const [from, to] = [isoDate(day), isoDate(day + DAY_MS)]
  // No headline was changed before it was created, and the indexes are by the time of the last change.
  const filter = parseFilter({ 'topic.id': String(topic['id']), updatedAt: { $gte: from }, createdAt: { $gte: from, $lt: to } })
  const same: Story[] = []
  for (const place of places) {
    const found = await store.documents.find(place, { filter, sort: NEWEST_FIRST, limit: LOOKED_AT_MAX, after: undefined }, caller)
    const documents = found.items.map((one) => parseJson(one) as JsonObject)
    const told = documents.filter((document) => document['id'] !== id && storyKey(String(document['title'] ?? '')) === key)
    same.push(...told.map((document) => ({ document, isIncomplete: place !== headline })))
  }
  const items: SameStories['items'][number][] = []
  for (const { document, isIncomplete } of same.sort(byPublication)) {
    if (items.length === SHOWN_MAX) break
    const other = String(document['id'])
    const origin = originOf(store, other)
    if (origin === undefined || origin === own) continue
    const status = document['status'] as SameStories['items'][number]['status']
    items.push({ id: other, title: String(document['title']), url: String(document['url'] ?? ''), status, feed: origin, feedTitle: titleOfFeed(store, origin), isIncomplete })
  }
  return { items }
}

interface Story {
  readonly document: JsonObject
  readonly isIncomplete: boolean
}

/** What no text of a time comes behind: of a draft, which was not published. */
const NEVER = '\u{10ffff}'

function byPublication({ document: one }: Story, { document: other }: Story): number {
  const orders = (document: JsonObject): readonly [string, string] => [String(document['publishedAt'] ?? NEVER), String(document['id'])]
  const [[at, id], [otherAt, otherId]] = [orders(one), orders(other)]
  return compareText(at, otherAt) || compareText(id, otherId)
}

/** Titles are the same whatever their case, marks and spaces are. */
function storyKey(title: string): string {
  return title
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
}

/** The feed that has made a headline; undefined where a person has. */
function originOf({ feeds }: StoryStore, id: string): string | undefined {
  return feeds.itemsOfHeadline(id).find(({ outcome }) => outcome !== 'known')?.feed
}
