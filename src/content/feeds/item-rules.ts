/**
 * The rules of a feed, and those of all feeds behind them: what each does with an item before it becomes a headline.
 *
 * They are looked at in their order. The first that finds an item and sets a member decides about that member; one that
 * drops an item drops it. The work of all filters on one item is bounded: those beyond find nothing.
 */
import type { JsonObject } from '../../base/json.ts'
import type { FeedItem } from '../../feeds/feed.ts'
import type { Arrival, FeedRule } from '../../models/feed-model.ts'
import { matches } from '../../query/match.ts'
import { StepsExceeded, type Steps } from '../../query/steps.ts'
import { parseItemFilter } from '../rules/feed-filters.ts'

/** Of all filters on one item: some milliseconds. */
const STEPS_MAX = 500_000

export interface Judgement {
  /** The places of the rules that have found the item. */
  readonly found: readonly number[]
  readonly drops: boolean
  /** Those that rules have set; null where none has. */
  readonly topic: FeedRule['topic']
  readonly country: FeedRule['country']
  readonly arrival: Arrival | null
}

/** What a filter sees of an item. A text that the item lacks is empty. */
function judgedItem({ title = '', excerpt = '', link = '', categories, author = '', language = '' }: FeedItem): JsonObject {
  return { title, excerpt, url: link, categories, author, language }
}

/** Gives the function that judges items; the language is for those that say none. Throws badRequest for a filter that cannot be read. */
export function itemRules(rules: readonly FeedRule[]) {
  const filters = rules.map((rule) => parseItemFilter(rule.filter))
  return (item: FeedItem, language: string | undefined): Judgement => {
    const judged = judgedItem(language === undefined ? item : { language, ...item })
    const steps = { taken: 0, max: STEPS_MAX }
    const found = filters.flatMap((filter, i) => (finds(filter, judged, steps) ? [i] : []))
    const of = found.map((i) => rules[i] as FeedRule)
    return {
      found,
      drops: of.some(({ drop }) => drop),
      topic: of.find(({ topic }) => topic !== null)?.topic ?? null,
      country: of.find(({ country }) => country !== null)?.country ?? null,
      arrival: of.find(({ arrival }) => arrival !== null)?.arrival ?? null,
    }
  }
}

function finds(filter: ReturnType<typeof parseItemFilter>, item: JsonObject, steps: Steps): boolean {
  try {
    return matches(filter, item, steps)
  } catch (error) {
    if (error instanceof StepsExceeded) return false
    throw error
  }
}
