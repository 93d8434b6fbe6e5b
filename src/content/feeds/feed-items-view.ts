/** The newest items of a feed, what rules would do with them, and which feeds headlines came from. */
import { isoDate } from '../../base/dates.ts'
import { parseJson } from '../../base/json.ts'
import { nextTurn } from '../../base/pause.ts'
import type { FeedItem } from '../../feeds/feed.ts'
import type { FeedRule } from '../../models/feed-model.ts'
import type { FeedItems, HeadlineOrigins, RulePreview } from '../../models/responses.ts'
import type { FeedItemRow } from '../../store/feeds/feed-items.ts'
import type { ReadStore } from '../../store/read-store.ts'
import { requireFeed, storedFeed, titleOfFeed } from './feed-document.ts'
import { readReasons, shownReasons } from './item-reasons.ts'
import { itemRules, type Judgement } from './item-rules.ts'

type ItemStore = Pick<ReadStore, 'documents' | 'feeds'>

/** Items of all feeds that rules are tried on. */
const TRIED_MAX = 100
/** Of one rule. */
const SHOWN_MAX = 20

/** The newest items of a feed, with what became of each. Throws notFound. */
export function itemsOfFeed(store: ItemStore, id: string): FeedItems {
  requireFeed(store, id)
  const problems = store.feeds.pictureProblems(id)
  const items = store.feeds.keptItems(id).map((row) => {
    const { title = '', link = '', categories, author = null, published = null } = itemOf(row)
    const { outcome, headline = null, at } = row
    const problem = row.isPictureWanted ? problems.get(row.picture ?? '') : undefined
    const reasons = [...readReasons(row.reason), ...(problem === undefined ? [] : [{ code: 'picture', name: problem } as const])]
    return { at: isoDate(at), outcome, headline, reasons: shownReasons(reasons), title, url: link, categories: [...categories], author, publishedAt: published }
  })
  return { items }
}

/**
 * Which of the newest items each rule finds: of one feed, or of all feeds where rules for all are tried. Writes nothing.
 * Rejects with notFound for a feed, and badRequest for a filter that cannot be read.
 */
export async function previewRules(store: ItemStore, rules: readonly FeedRule[], feedId: string | undefined): Promise<RulePreview> {
  if (feedId !== undefined) requireFeed(store, feedId)
  const judge = itemRules(rules)
  const rows = feedId === undefined ? store.feeds.newestItems(TRIED_MAX) : store.feeds.keptItems(feedId)
  const languages = languagesOf(store, rows)
  const judged: { readonly item: FeedItem; readonly judgement: Judgement }[] = []
  for (const row of rows.slice(0, TRIED_MAX)) {
    const item = itemOf(row)
    judged.push({ item, judgement: judge(item, languages.get(row.feed)) })
    // Costly rules of one caller do not hold up the requests of others.
    await nextTurn()
  }
  return {
    tried: judged.length,
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
      const item = key.startsWith('id:') ? key.slice('id:'.length) : null
      return { headline: id, feed: from, title: titleOfFeed(store, from), item, isAlsoIn: outcome === 'known', at: isoDate(at) }
    }),
  )
  return { items }
}

/** The codes of the languages of feeds, by their ids. */
function languagesOf(store: ItemStore, rows: readonly FeedItemRow[]): ReadonlyMap<string, string | undefined> {
  const ids = [...new Set(rows.map((row) => row.feed))]
  return new Map(ids.map((id) => [id, storedFeed(store, id)?.language?.code]))
}

function itemOf({ item }: FeedItemRow): FeedItem {
  return parseJson(item ?? '{"categories":[]}') as unknown as FeedItem
}
