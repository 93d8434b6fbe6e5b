/**
 * Keys at the top of a filter that are no fields: `q` searches, and for countries `usage`, `hasActiveHeadlines` and
 * `hasActiveSources` ask for those in use. They are taken out before the rest is read as a filter.
 */
import { isObject, type Json } from '../../base/json.ts'
import { country } from '../../models/country.ts'
import type { Model } from '../../models/schema.ts'
import { and, containsText, eq, isIn, or, type Filter } from '../../query/ast.ts'
import { filterFailure } from '../../query/filter-failure.ts'
import type { ReadStore } from '../../store/read-store.ts'

export type CountryUse = 'eventCountry' | 'headquarters'

export interface SpecialKeys {
  /** The filter without the keys that were taken out. */
  readonly rest: Json
  readonly conditions: readonly Filter[]
  /** What the countries must be in use for; empty where the filter does not ask. */
  readonly uses: readonly CountryUse[]
}

/** The keys that ask for countries in use. */
export const USE_KEYS = ['usage', 'hasActiveHeadlines', 'hasActiveSources'] as const

const USAGES: Readonly<Record<string, CountryUse>> = {
  eventCountry: 'eventCountry',
  headquarters: 'headquarters',
  hasActiveHeadlines: 'eventCountry',
  hasActiveSources: 'headquarters',
}

/** Takes the keys out. Throws badRequest where one has a value that means nothing. */
export function takeSpecialKeys(model: Model, filter: Json): SpecialKeys {
  if (!isObject(filter)) return { rest: filter, conditions: [], uses: [] }
  const rest: Record<string, Json> = { ...filter }
  const conditions = searchConditions(model, rest)
  const uses = model === country ? takeUses(rest, conditions) : []
  return { rest, conditions, uses }
}

function searchConditions(model: Model, rest: Record<string, Json>): Filter[] {
  const text = take(rest, 'q')
  if (text === undefined || text === '') return []
  if (typeof text !== 'string') throw filterFailure('$.q', 'a text to search for', text)
  const anywhere = model.search.map((path) => containsText(path.split('.'), text))
  return anywhere.length === 0 ? [] : [or(...anywhere)]
}

function takeUses(rest: Record<string, Json>, conditions: Filter[]): CountryUse[] {
  const uses = new Set<CountryUse>()
  const usage = take(rest, 'usage')
  if (usage !== undefined) {
    const use = typeof usage === 'string' && Object.hasOwn(USAGES, usage) ? USAGES[usage] : undefined
    if (use === undefined) throw filterFailure('$.usage', '"eventCountry" or "headquarters"', usage)
    uses.add(use)
    // Beside `usage` a plain name searches, as the first clients of this filter expected.
    if (typeof rest['name'] === 'string') conditions.push(containsText(['name'], take(rest, 'name') as string))
  }
  if (take(rest, 'hasActiveHeadlines') === true) uses.add('eventCountry')
  if (take(rest, 'hasActiveSources') === true) uses.add('headquarters')
  return [...uses]
}

/** The condition that holds for active countries in use, right at this moment. */
export function inUse(uses: readonly CountryUse[], documents: Pick<ReadStore['documents'], 'countriesInUse'>): Filter {
  const sets = uses.map((use) => isIn(['id'], documents.countriesInUse(use)))
  return and(...sets, eq(['status'], 'active'))
}

function take(rest: Record<string, Json>, key: string): Json | undefined {
  if (!Object.hasOwn(rest, key)) return undefined
  const value = rest[key]
  delete rest[key]
  return value
}
