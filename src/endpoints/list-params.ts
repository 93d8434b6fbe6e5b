/** The parameters of a list: filter, search, changedBy, sort, limit, cursor, fields, count, incomplete, in the query of the URL or in a body. */
import { describe, fail } from '../base/failure.ts'
import { writeJson, type Json, type JsonObject } from '../base/json.ts'
import type { ListParams } from '../content/reads/list-query.ts'
import type { Exchange } from '../http/exchange.ts'
import { parseFilterText } from '../query/parse.ts'

/** A character of a filter is work for the planner and for each document, and counts as so many bytes of a body. */
const FILTER_WEIGHT = 16

export function paramsOfUrl(exchange: Exchange): ListParams {
  const { query } = exchange
  const filter = query.get('filter')
  return {
    filter: filter === undefined ? undefined : readFilter(exchange, filter),
    sort: query.get('sort'),
    limit: query.get('limit'),
    cursor: query.get('cursor'),
    search: query.get('search'),
    changedBy: query.get('changedBy'),
    fields: query.get('fields'),
    count: query.get('count'),
    incomplete: query.get('incomplete'),
  }
}

/** The same parameters as members, where null is as good as nothing. The filter has the limits of one in a URL. */
export function paramsOfBody(exchange: Exchange, body: JsonObject): ListParams {
  const filter = body['filter'] ?? undefined
  return {
    filter: filter === undefined ? undefined : readFilter(exchange, writeJson(filter)),
    sort: readText(body, 'sort'),
    limit: body['limit'] ?? undefined,
    cursor: readText(body, 'cursor'),
    search: readText(body, 'search'),
    changedBy: readText(body, 'changedBy'),
    fields: readText(body, 'fields'),
    count: body['count'] ?? undefined,
    incomplete: body['incomplete'] ?? undefined,
  }
}

/** What the filter of a list counts as body each time, also where its page is remembered. */
export function weightOf({ filter }: ListParams): number {
  return filter === undefined ? 0 : writeJson(filter).length * FILTER_WEIGHT
}

function readFilter(exchange: Exchange, text: string): Json {
  exchange.weigh(text.length * FILTER_WEIGHT)
  return parseFilterText(text)
}

function readText(body: JsonObject, name: string): string | undefined {
  const value = body[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw fail('badRequest', `Cannot read ${name}: expected a string, found ${describe(value)}`)
}
