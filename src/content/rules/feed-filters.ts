/** What a feed, and the rules for all feeds, must fulfil beyond their types: an address, and filters that can be read. */
import { Failure } from '../../base/failure.ts'
import { isObject, type Json, type JsonObject } from '../../base/json.ts'
import type { Filter } from '../../query/ast.ts'
import { filterFailure } from '../../query/filter-failure.ts'
import { parseFilter, parseFilterText } from '../../query/parse.ts'
import { problemAt, throwProblem, type Report } from './problems.ts'

/** What an item has for a filter. */
const ITEM_MEMBERS: readonly string[] = ['title', 'excerpt', 'url', 'categories', 'author', 'language']

/** Parses the filter of a rule, as JSON text. Throws badRequest, also for a member that no item has: the rule would never find one. */
export function parseItemFilter(text: string): Filter {
  const filter = parseFilter(parseFilterText(text))
  const unknown = membersOf(filter).find((name) => !ITEM_MEMBERS.includes(name))
  if (unknown === undefined) return filter
  throw filterFailure('$', `members of an item: ${ITEM_MEMBERS.join(', ')}`, unknown)
}

/** Reports what is wrong with a document of feed or feed_rules; without `report`, throws it. Wrong types were reported before. */
export function checkFeed(document: JsonObject, report: Report = throwProblem): void {
  if (document['address'] === '') report(problemAt('address', 'blank', 'expected the address of a feed, found an empty text'))
  const { rules } = document
  if (!Array.isArray(rules)) return
  for (const [i, rule] of (rules as readonly Json[]).entries()) {
    const filter = isObject(rule) ? rule['filter'] : undefined
    if (typeof filter !== 'string') continue
    try {
      parseItemFilter(filter)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      report(problemAt(`rules[${i}].filter`, 'notFilter', error.message))
    }
  }
}

function membersOf(filter: Filter): readonly string[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.flatMap(membersOf)
    case 'not':
      return membersOf(filter.filter)
    case 'words':
      return filter.paths.map(([name = '']) => name)
    default:
      return [filter.path[0] ?? '']
  }
}
