/** The newest items of a feed, what rules would do with them, and which feeds headlines came from. */
import { isoDate } from '../../base/dates.ts'
import { describe, fail } from '../../base/failure.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import type { FeedItem } from '../../feeds/feed.ts'
import { feed, type FeedDocument, type FeedRule } from '../../models/feed-model.ts'
import type { FeedItems, HeadlineOrigins, RulePreview } from '../../models/responses.ts'
import type { FeedItemRow } from '../../store/feeds/feed-items.ts'
import type { ReadStore } from '../../store/read-store.ts'
import { itemRules } from './item-rules.ts'

type ItemStore = Pick<ReadStore, 'documents' | 'feeds'>

/** Items of all feeds that rules are tried on. */
const TRIED_MAX = 100
/** Of one rule. */
const SHOWN_MAX = 20

/** The newest items of a feed, with what became of each. Throws notFound. */
export function itemsOfFeed(store: ItemStore, id: string): FeedItems {
  requireFeed(store, id)
  const items = store.feeds.keptItems(id).map((row) => {
    const { title = '', link = '', categories, author = null, published = null } = itemOf(row)
    const { outcome, headline = null, reason = null, at } = row
    return { at: isoDate(at), outcome, headline, reason, title, url: link, categories: [...categories], author, publishedAt: published }
  })
  return { items }
}

/**
 * Which of the newest items each rule finds: of one feed, or of all feeds where rules for all are tried. Writes nothing.
 * Throws notFound for a feed, and badRequest for a filter that cannot be read.
 */
export function previewRules(store: ItemStore, rules: readonly FeedRule[], feedId: string | undefined): RulePreview {
  const language = feedId === undefined ? undefined : requireFeed(store, feedId).language?.code
  const judge = itemRules(rules, language)
  const ids = feedId === undefined ? [...store.feeds.feedStates().keys()] : [feedId]
  const rows = ids.flatMap((id) => store.feeds.keptItems(id).slice(0, feedId === undefined ? Math.ceil(TRIED_MAX / ids.length) : TRIED_MAX))
  const items = rows.slice(0, TRIED_MAX).map(itemOf)
  const judged = items.map((item) => ({ item, judgement: judge(item) }))
  return {
    tried: items.length,
    dropped: judged.filter(({ judgement }) => judgement.drops).length,
    rules: rules.map((_, i) => {
      const found = judged.filter(({ judgement }) => judgement.found.includes(i))
      return { found: found.length, items: found.slice(0, SHOWN_MAX).map(({ item: { title = '', link = '' } }) => ({ title, url: link })) }
    }),
  }
}

/** The feeds that headlines are from, and those that have had the same page: also in. Headlines of no feed are left out. */
export function originsOf(store: ItemStore, ids: readonly string[]): HeadlineOrigins {
  const items = ids.flatMap((id) =>
    store.feeds.itemsOfHeadline(id).map(({ feed: from, key, outcome, at }) => {
      const text = store.documents.get(feed, from)
      const title = text === undefined ? null : String((parseJson(text) as JsonObject)['title'])
      return { headline: id, feed: from, title, item: key.startsWith('id:') ? key.slice('id:'.length) : null, isAlsoIn: outcome === 'known', at: isoDate(at) }
    }),
  )
  return { items }
}

/** The document of a feed. Throws notFound. */
export function requireFeed({ documents }: Pick<ReadStore, 'documents'>, id: string): FeedDocument {
  const text = documents.get(feed, id)
  if (text === undefined) throw fail('notFound', `No feed has the id ${describe(id)}`)
  return parseJson(text) as unknown as FeedDocument
}

function itemOf({ item }: FeedItemRow): FeedItem {
  return parseJson(item ?? '{"categories":[]}') as unknown as FeedItem
}
