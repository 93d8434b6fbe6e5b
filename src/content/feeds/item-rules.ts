/**
 * The rules of a feed, and those of all feeds behind them: what each does with an item before it becomes a headline.
 *
 * They are looked at in their order. The first that finds an item and sets a member decides about that member; one that
 * drops an item drops it. The work of one filter on one item is bounded; a filter that needs more finds nothing.
 */
import type { JsonObject } from '../../base/json.ts'
import type { FeedItem } from '../../feeds/feed.ts'
import type { Arrival, FeedRule } from '../../models/feed-model.ts'
import { matches } from '../../query/match.ts'
import { StepsExceeded } from '../../query/steps.ts'
import { parseItemFilter } from '../rules/feed-filters.ts'

/** Of one filter on one item: some milliseconds. */
const STEPS_MAX = 500_000

export interface Judgement {
  /** The places of the rules that have found the item. */
  readonly found: readonly number[]
  readonly drops: boolean
  /** The id of the topic that a rule has set; undefined where none has. */
  readonly topic: string | undefined
  readonly country: string | undefined
  readonly arrival: Arrival | undefined
}

export type JudgeItem = (item: FeedItem) => Judgement

/** What a filter sees of an item. A text that the item lacks is empty. */
function judgedItem({ title = '', excerpt = '', link = '', categories, author = '', language = '' }: FeedItem): JsonObject {
  return { title, excerpt, url: link, categories, author, language }
}

/** Gives the function that judges items. `language` stands in where an item has none. Throws badRequest for a filter that cannot be read. */
export function itemRules(rules: readonly FeedRule[], language?: string): JudgeItem {
  const filters = rules.map((rule) => parseItemFilter(rule.filter))
  return (item) => {
    const judged = judgedItem(language === undefined ? item : { language, ...item })
    const found = filters.flatMap((filter, i) => (finds(filter, judged) ? [i] : []))
    const of = found.map((i) => rules[i] as FeedRule)
    return {
      found,
      drops: of.some(({ drop }) => drop),
      topic: of.find(({ topic }) => topic !== null)?.topic?.id,
      country: of.find(({ country }) => country !== null)?.country?.id,
      arrival: of.find(({ arrival }) => arrival !== null)?.arrival ?? undefined,
    }
  }
}

function finds(filter: ReturnType<typeof parseItemFilter>, item: JsonObject): boolean {
  try {
    return matches(filter, item, { taken: 0, max: STEPS_MAX })
  } catch (error) {
    if (error instanceof StepsExceeded) return false
    throw error
  }
}
