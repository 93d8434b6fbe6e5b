/** Lists for the operator, which may be longer than a page. */
import type { Model } from '../../models/schema.ts'
import { foundTexts, type Found, type QueryCaller, type FindQuery } from '../../store/query/find-query.ts'
import { UsageError, type Option } from '../command.ts'
import type { ReadStore } from '../../store/read-store.ts'

export const LIMIT_DEFAULT = 100
export const LIMIT_MAX = 1_000_000
export const LIMIT_FLAG: Option = {
  flag: '--limit',
  value: 'N',
  meaning: `print at most N (default: ${LIMIT_DEFAULT})`,
}

/** Whose queries those of a command are. */
export const OPERATOR_QUERIES: QueryCaller = { id: 'the operator', class: 'dashboard' }

/** Throws UsageError. */
export function readLimit(given: string | undefined): number {
  if (given === undefined) return LIMIT_DEFAULT
  const limit = /^\d{1,7}$/.test(given) ? Number(given) : 0
  if (limit >= 1 && limit <= LIMIT_MAX) return limit
  throw new UsageError(`Cannot use --limit: expected a whole number from 1 to ${LIMIT_MAX}, found "${given}"`)
}

/** The pages of a list together: a page is limited in bytes as well. */
export async function findPages(
  store: Pick<ReadStore, 'documents'>,
  model: Model,
  query: FindQuery & { readonly limit: number },
): Promise<Found> {
  const items: string[] = []
  for (let after = query.after; ;) {
    const found = await store.documents.find(model, { ...query, after, limit: query.limit - items.length }, OPERATOR_QUERIES)
    for (const item of found.items) items.push(item)
    if (found.next === undefined || items.length >= query.limit) return foundTexts(items, found.next)
    after = found.next
  }
}
